// Short names for the Relay that most importers make.
import type { DType } from "../../ir/dtype.ts";
import { staticShape } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { fields, rankOf, scalarOf, shapeOf, typeOf, isOfLength } from "../import-node.ts";
import { broadcastTo, call, dtypeOf, type OnnxNode } from "./graph.ts";

type Binary = (n: OnnxNode, a: Expr, b: Expr) => Expr;
type Unary = (n: OnnxNode, a: Expr) => Expr;

export const add: Binary = (n, a, b) => call(n, "add", [a, b]);
export const subtract: Binary = (n, a, b) => call(n, "subtract", [a, b]);
export const multiply: Binary = (n, a, b) => call(n, "multiply", [a, b]);
export const divide: Binary = (n, a, b) => call(n, "divide", [a, b]);
export const maximum: Binary = (n, a, b) => call(n, "maximum", [a, b]);
export const minimum: Binary = (n, a, b) => call(n, "minimum", [a, b]);
export const less: Binary = (n, a, b) => call(n, "less", [a, b]);
export const greater: Binary = (n, a, b) => call(n, "greater", [a, b]);
export const exp: Unary = (n, a) => call(n, "exp", [a]);
export const log: Unary = (n, a) => call(n, "log", [a]);
export const sqrt: Unary = (n, a) => call(n, "sqrt", [a]);
export const negative: Unary = (n, a) => call(n, "negative", [a]);
export const relu: Unary = (n, a) => call(n, "nn.relu", [a]);
export const tanh: Unary = (n, a) => call(n, "tanh", [a]);

/** A scalar of `like`'s dtype. */
export const number = (n: OnnxNode, value: number, like: Expr): Expr => scalarOf(n, dtypeOf(n, like), value);
export const scaled = (n: OnnxNode, a: Expr, factor: number): Expr =>
  factor === 1 ? a : multiply(n, a, number(n, factor, a));

export const expandDims = (n: OnnxNode, a: Expr, axis: number, count = 1): Expr =>
  count === 0 ? a : call(n, "expand_dims", [a], { axis, num_newaxis: count });
export const squeeze = (n: OnnxNode, a: Expr, axes: readonly number[]): Expr =>
  axes.length === 0 ? a : call(n, "squeeze", [a], { axis: axes });
export const concatenate = (n: OnnxNode, parts: readonly Expr[], axis: number): Expr =>
  isOfLength(parts, 1) ? parts[0] : call(n, "concatenate", [fields(n, parts)], { axis });
export const stack = (n: OnnxNode, parts: readonly Expr[], axis: number): Expr =>
  call(n, "stack", [fields(n, parts)], { axis });
export const zeros = (n: OnnxNode, shape: readonly number[], dtype: DType): Expr =>
  call(n, "zeros", [], { shape, dtype: dtype.name });
export const reduce = (n: OnnxNode, op: string, a: Expr, axis: readonly number[], keepdims: boolean): Expr =>
  call(n, op, [a], { axis, keepdims });
export const clip = (n: OnnxNode, a: Expr, least: number, greatest: number): Expr =>
  call(n, "clip", [a], { a_min: least, a_max: greatest });

/** Halves go to the even neighbour, as ONNX wants; Relay's round takes them away from zero. */
export function roundEven(n: OnnxNode, x: Expr): Expr {
  const half = call(n, "equal", [call(n, "abs", [subtract(n, x, call(n, "trunc", [x]))]), number(n, 0.5, x)]);
  const even = scaled(n, call(n, "round", [scaled(n, x, 0.5)]), 2);
  return call(n, "where", [half, even, call(n, "round", [x])]);
}

interface Slice {
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly strides?: readonly number[];
  readonly axes: readonly number[];
}

/** Bounds count as in Python. */
export function slice(n: OnnxNode, a: Expr, { begin, end, strides, axes }: Slice): Expr {
  return call(n, "strided_slice", [a], {
    begin,
    end,
    strides: strides ?? begin.map(() => 1),
    slice_mode: "end",
    axes,
  });
}

/** Elements [from, to) along one axis. */
export const sliceAxis = (
  n: OnnxNode,
  a: Expr,
  axis: number,
  bounds: readonly [from: number, to: number],
): Expr => slice(n, a, { begin: [bounds[0]], end: [bounds[1]], axes: [axis] });

/**
 * All of `parts` broadcast to one shape, by numpy's rule. Where a shape is dynamic they stay, and the
 * operator broadcasts.
 */
export function broadcastTogether(n: OnnxNode, parts: readonly Expr[]): readonly Expr[] {
  if (parts.some((part) => staticShape(typeOf(n, part)) === null)) return parts;
  const shapes = parts.map((part) => shapeOf(n, part));
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const shape = Array.from({ length: rank }, (_, i) => {
    const dims = shapes.map((one) => one[i - rank + one.length] ?? 1);
    return dims.find((dim) => dim !== 1) ?? 1;
  });
  return parts.map((part) => broadcastTo(n, part, shape));
}

/** Adds axes at the end until `a` has `rank` axes, the first of which lines up with `axis`. */
export function alignAt(n: OnnxNode, a: Expr, axis: number, rank: number): Expr {
  const own = rankOf(n, a);
  return expandDims(n, a, own, Math.max(rank - axis - own, 0));
}
