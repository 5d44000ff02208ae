// Building core Relay from quantised operators: calls by short names, constants and what is known of them,
// refusals.
// TVM: src/relay/transforms/pattern_utils.h
import type { Attrs } from "../../ir/attrs.ts";
import { diagnostic, type DiagnosticParts } from "../../ir/diagnostic.ts";
import { int32, int64, type DType } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import type { Type } from "../../ir/type.ts";
import { call, constant, scalar } from "../../relay/build.ts";
import type { Call, Constant, Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";

/** One quantised call on its way into core operators. */
export interface Lowering {
  readonly cx: RelayContext;
  readonly node: Call;
  /** A call of a core operator, with the quantised call's origin. */
  readonly make: (name: string, args: readonly Expr[], attrs?: Attrs) => Call;
  readonly cast: (x: Expr, dtype: DType) => Expr;
  readonly int: (value: number) => Constant;
  /** A vector of int64, one per channel. */
  readonly longs: (values: readonly bigint[]) => Constant;
  readonly long: (value: bigint) => Constant;
  /** Reports why the call cannot be lowered; the result is null so that a rule can `return l.refuse(...)`. */
  readonly refuse: (message: string, parts: DiagnosticParts) => null;
}

export function lowering(node: Call, cx: RelayContext): Lowering {
  const { origin } = node;
  const make = (name: string, args: readonly Expr[], attrs: Attrs = {}): Call =>
    call(cx, name, args, attrs, origin);
  const longs = (shape: readonly number[], values: readonly bigint[]): Constant =>
    constant(cx, tensorData(int64, shape, BigInt64Array.from(values), "folded"), origin);
  return {
    cx,
    node,
    make,
    cast: (x, dtype) => make("cast", [x], { dtype: dtype.name }),
    int: (value) => scalar(cx, int32, value, origin),
    longs: (values) => longs([values.length], values),
    long: (value) => longs([], [value]),
    refuse: (message, parts) => {
      const name = node.callee.kind === "op" ? node.callee.name : "call";
      cx.diagnostics.push(diagnostic("RS3020", `${name}: ${message}`, { span: node.span, origin, ...parts }));
      return null;
    },
  };
}

/**
 * The value of a constant of rank 0, or null. float16 and bfloat16 do not occur among scales and zero points.
 */
export function scalarValue(expr: Expr): number | null {
  return expr.kind === "constant" && expr.data.shape.length === 0 ? Number(expr.data.data[0]) : null;
}

/** Both are constants of rank 0 with the same dtype and value. */
export function equalScalars(a: Expr, b: Expr): boolean {
  if (a.kind !== "constant" || b.kind !== "constant" || a.data.dtype !== b.data.dtype) return false;
  const [x, y] = [scalarValue(a), scalarValue(b)];
  return x !== null && Object.is(x, y);
}

/** An integer constant of rank 0 with this value. */
export function isInt(expr: Expr, value: number): boolean {
  return expr.kind === "constant" && expr.data.dtype === int32 && scalarValue(expr) === value;
}

/** Whether the type is that of a tensor of rank 0. */
export function isScalarType(type: Type | null): boolean {
  return type?.kind === "tensor-type" && type.shape.length === 0;
}

/** The arguments that dense and convolutions of quantised tensors share. */
export type QuantisedProduct = Readonly<
  Record<"data" | "weight" | "input_zero_point" | "weight_zero_point", Expr>
>;

/**
 * A vector along `axis` of a tensor of rank `rank`, with axes of extent 1 behind it so that it broadcasts.
 */
export function alongAxis(l: Lowering, vector: Expr, rank: number, axis: number): Expr {
  const behind = rank - axis - 1;
  return behind > 0 ? l.make("expand_dims", [vector], { axis: 1, num_newaxis: behind }) : vector;
}

/** Least and greatest value of an integer dtype of at most 32 bits. */
export function integerRange(dtype: DType): readonly [number, number] {
  return dtype.code === "int"
    ? [-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1]
    : [0, 2 ** dtype.bits - 1];
}

/** Clips to the range of `dtype` and converts. */
export function saturate(l: Lowering, x: Expr, dtype: DType): Expr {
  const [low, high] = integerRange(dtype);
  return l.cast(l.make("clip", [x], { a_min: low, a_max: high }), dtype);
}
