// What the ONNX and the TFLite importer share: a node of the file makes typed Relay that carries the node's
// origin, and whatever is wrong ends as a diagnostic that says where the node stands.
import { at, invariant } from "../../support/assert.ts";
import { madeAttrs, type Attrs } from "../ir/attrs.ts";
import { fail, type DiagnosticParts } from "../ir/diagnostic.ts";
import type { DiagnosticCode } from "../ir/diagnostic-codes.ts";
import type { DType } from "../ir/dtype.ts";
import type { TypeReporter } from "../ir/op.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { printType, sameDim, sameType, staticShape, type Dim, type TensorType } from "../ir/type.ts";
import { constant, getItem, scalar, tuple } from "../relay/build.ts";
import { makeCall, makeFunction, makeOpRef, type Call, type Constant, type Expr } from "../relay/expr.ts";
import type { RelayContext } from "../relay/op.ts";
import { foldFunction } from "../relay/passes/constant-folder.ts";
import { postOrder } from "../relay/visit.ts";

/** The codes of a format's refusals. */
export interface ImportCodes {
  readonly refused: DiagnosticCode;
  /** An operator, of the file or of Relay, that there is no reading of. */
  readonly unknownOperator: DiagnosticCode;
  /** A shape or value that only running the model tells. */
  readonly notKnown: DiagnosticCode;
}

/** A node of the file that is being imported. */
export interface ImportNode {
  readonly state: { readonly cx: RelayContext };
  readonly origin: Origin;
  /** What every message about the node begins with: 'Conv "conv1"', 'CONV_2D that makes "features"'. */
  readonly place: string;
  readonly codes: ImportCodes;
}

/** A list of `N` elements. */
export type ListOf<T, N extends number, Made extends readonly T[] = []> = Made["length"] extends N
  ? Made
  : ListOf<T, N, readonly [...Made, T]>;

/** Ends the import of this node with a diagnostic that says where it stands. */
export function refuse(
  n: ImportNode,
  message: string,
  parts: DiagnosticParts = {},
  code: DiagnosticCode = n.codes.refused,
): never {
  return fail(code, `${n.place}: ${message}`, { origin: n.origin, ...parts });
}

/** What relations say goes to the user as a refusal of this node. */
function reporter(n: ImportNode): TypeReporter {
  return {
    unify: (a, b) =>
      sameType(a, b) || refuse(n, "types differ", { expected: printType(a), got: printType(b) }),
    dimEqual: (a, b) =>
      sameDim(a, b) ||
      (typeof a !== "number" && a.kind === "any") ||
      (typeof b !== "number" && b.kind === "any"),
    error: (_code, message, parts) => refuse(n, message, parts),
  };
}

/** A typed call of Relay operator `name`. */
export function typedCall(n: ImportNode, name: string, args: readonly Expr[], attrs: Attrs): Call {
  const { cx } = n.state;
  const op = cx.ops.get(name);
  if (op === undefined) {
    const message = `it needs the Relay operator ${name}, which this compiler does not have`;
    return refuse(n, message, {}, n.codes.unknownOperator);
  }
  const complete = madeAttrs(op.attrs, attrs);
  const types = args.map((arg) => {
    invariant(arg.type !== null, `untyped ${arg.kind} for ${name}`);
    return arg.type;
  });
  const type = op.relation(types, complete, reporter(n)) ?? refuse(n, `the type of ${name} is not known`);
  const callee = makeOpRef(cx.ids, name, { origin: n.origin });
  return makeCall(cx.ids, callee, args, complete, { origin: n.origin, type });
}

export const fields = (n: ImportNode, items: readonly Expr[]): Expr => tuple(n.state.cx, items, n.origin);
export const field = (n: ImportNode, of: Expr, index: number): Expr =>
  of.kind === "tuple" ? at(of.fields, index, "field of a tuple") : getItem(n.state.cx, of, index, n.origin);
export const scalarOf = (n: ImportNode, dtype: DType, value: number): Constant =>
  scalar(n.state.cx, dtype, value, n.origin);
export const constantOf = (n: ImportNode, data: TensorData): Constant => constant(n.state.cx, data, n.origin);

export function typeOf(n: ImportNode, expr: Expr): TensorType {
  const { type } = expr;
  return type?.kind === "tensor-type"
    ? type
    : refuse(n, "a tensor is needed", { got: type === null ? "nothing" : printType(type) });
}

export const dimsOf = (n: ImportNode, expr: Expr): readonly Dim[] => typeOf(n, expr).shape;
export const rankOf = (n: ImportNode, expr: Expr): number => typeOf(n, expr).shape.length;

/**
 * The shape in numbers; refuses where a dimension is dynamic, naming the inputs whose shapes would settle it.
 */
export function shapeOf(n: ImportNode, expr: Expr, what = "its input"): readonly number[] {
  const type = typeOf(n, expr);
  return (
    staticShape(type) ??
    refuse(
      n,
      `the shape of ${what} must be known`,
      { got: printType(type), ...dynamicInputs(expr) },
      n.codes.notKnown,
    )
  );
}

/** The shape of a tensor that must have `rank` axes, in numbers. */
export function shapeOfRank<const N extends number>(
  n: ImportNode,
  expr: Expr,
  rank: N,
  what = "its input",
): ListOf<number, N> {
  const shape = shapeOf(n, expr, what);
  return isOfLength(shape, rank)
    ? shape
    : refuse(n, `${what} must have rank ${rank}`, { got: printType(typeOf(n, expr)) });
}

/** Whether there are `length` elements. */
export function isOfLength<T, N extends number>(list: readonly T[], length: N): list is ListOf<T, N> {
  return list.length === length;
}

/**
 * One extent of the shape, `axis` counted from the back where it is negative; refuses an axis that is not
 * there.
 */
export function extentOf(n: ImportNode, expr: Expr, axis: number, what = "its input"): number {
  return (
    shapeOf(n, expr, what).at(axis) ??
    refuse(n, `${what} has too few axes`, {
      expected: `at least ${axis < 0 ? -axis : axis + 1}`,
      got: printType(typeOf(n, expr)),
    })
  );
}

/** Element `index` of what the file lists; refuses where it lists fewer. */
export function listed<T>(n: ImportNode, list: ArrayLike<T>, index: number, what: string): T {
  return (
    list[index] ??
    refuse(n, `too few ${what}`, { expected: `at least ${index + 1}`, got: String(list.length) })
  );
}

/** The graph inputs behind `expr` and what to do about them. */
export function dynamicInputs(expr: Expr): DiagnosticParts {
  const names = inputsBehind(expr);
  if (names.length === 0) return {};
  return {
    because: `it depends on the model's input ${names.join(", ")}`,
    hint: "give the inputs fixed shapes (--shape NAME=1x3x224x224, or the page's shape fields), or bind them (--bind)",
  };
}

/** Names of the graph inputs that `expr` depends on. */
export function inputsBehind(expr: Expr): readonly string[] {
  const names = new Set<string>();
  postOrder(expr, (inner) => {
    if (inner.kind === "var") names.add(inner.name);
  });
  return [...names];
}

/** The value of `expr` if nothing in it depends on a variable, by running it; null else. */
export function evaluated(expr: Expr, cx: RelayContext): TensorData | null {
  if (expr.kind === "constant") return expr.data;
  if (cx.evaluate === null || expr.type?.kind !== "tensor-type" || staticShape(expr.type) === null)
    return null;
  if (inputsBehind(expr).length > 0) return null;
  const func = makeFunction(cx.ids, [], expr, { origin: expr.origin, resultType: expr.type, attrs: {} });
  const { body } = foldFunction(func, cx);
  return body.kind === "constant" ? body.data : null;
}

/** The one element of `values`; refuses where there are none or several. */
export function single(n: ImportNode, values: readonly number[], what: string): number {
  return isOfLength(values, 1)
    ? values[0]
    : refuse(n, `${what} must be one number`, { got: `[${values.slice(0, 8).join(", ")}]` });
}
