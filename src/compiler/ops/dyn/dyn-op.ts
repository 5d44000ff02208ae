// Operators whose shapes come as tensors. They have a type with dynamic dimensions; DynamicToStatic replaces
// them where the tensors are constants. Elsewhere their shape functions read the tensors, and kernels are
// made for the shapes at hand.
// TVM: src/relay/op/dyn/**, src/relay/transforms/dynamic_to_static.cc
import { acceptsDType } from "../math/unary.ts";
import { anyDim, printType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import type { Attrs } from "../../ir/attrs.ts";
import type { Expr } from "../../relay/expr.ts";
import type { OpRewrite } from "../define.ts";
import { checkRank, tensorArg, type Asker } from "../_shared/type-helpers.ts";

/** No program has more axes; a type of a few bytes can ask for any number. */
const mostAxes = 1024;

/**
 * The length of a vector, which must be known, of integers where `accepts` does not say otherwise; null after
 * reporting or while unknown.
 */
export function vectorLength(
  cx: Asker,
  name: string,
  type: Type,
  accepts: "integer" | "any" = "integer",
): number | null {
  const vector = tensorArg(cx, name, type);
  if (vector === null || !checkRank(cx, name, vector, [1]) || !acceptsDType(cx, name, vector, accepts))
    return null;
  const [length] = vector.shape;
  if (typeof length === "number" && length <= mostAxes) return length;
  if (typeof length === "number")
    return cx.t.error("RS2105", `${cx.op}: the result would have ${length} axes`, {
      expected: `at most ${mostAxes} elements of \`${name}\`, one an axis`,
      got: printType(vector),
      hint: "a shape is a vector of one number an axis: is this the tensor that was meant?",
    });
  return cx.t.error("RS2105", `${cx.op}: the length of \`${name}\` is not known`, {
    expected: "a vector of known length: it is the rank of the result",
    got: printType(vector),
  });
}

/** Whether an argument is one number, a scalar or a vector of one element; false after reporting. */
export function isOneNumber(cx: Asker, name: string, type: TensorType): boolean {
  const [length] = type.shape;
  if (type.shape.length === 0 || (type.shape.length === 1 && length === 1)) return true;
  cx.t.error("RS2105", `${cx.op}: argument \`${name}\` is not one number`, {
    expected: "a scalar, or a vector of one element",
    got: printType(type),
  });
  return false;
}

export function dynamicDims(count: number): Dim[] {
  return Array.from({ length: Math.max(count, 0) }, () => anyDim);
}

/** The numbers of a constant vector or scalar, or null if `expr` is none. */
export function constantNumbers(expr: Expr): number[] | null {
  return expr.kind === "constant" ? Array.from<number | bigint, number>(expr.data.data, Number) : null;
}

/**
 * The static twin `name`, called with the arguments `args`, where the arguments `constants` are constants:
 * attributes are made of their numbers.
 */
export function staticTwin<Arg extends string, Constant extends string>(
  name: string,
  spec: {
    readonly args: readonly Arg[];
    readonly constants: readonly Constant[];
    readonly attrs: (numbers: Readonly<Record<Constant, readonly number[]>>, attrs: Attrs) => Attrs;
  },
): OpRewrite<Arg | Constant, Attrs> {
  return ({ node, args, attrs }, cx) => {
    const numbers = new Map<string, readonly number[]>();
    for (const constant of spec.constants) {
      const found = constantNumbers(args[constant]);
      if (found === null) return null;
      numbers.set(constant, found);
    }
    const given = Object.fromEntries(numbers) as Record<Constant, readonly number[]>;
    return call(
      cx,
      name,
      spec.args.map((arg) => args[arg]),
      spec.attrs(given, attrs),
      node.origin,
    );
  };
}

/** `attrs` of the dynamic call without the names that its tensors give. */
export function othersOf(attrs: Attrs, ...without: readonly string[]): Attrs {
  return Object.fromEntries(Object.entries(attrs).filter(([name]) => !without.includes(name)));
}
