// Shapes: reading them off, and giving the same elements another one.  TVM: python/tvm/relay/frontend/onnx.py
// (Reshape, Flatten, …)
import { int64 } from "../../../ir/dtype.ts";
import { anyDim, staticShape, type Dim } from "../../../ir/type.ts";
import type { Expr } from "../../../relay/expr.ts";
import { concatenate, expandDims, reduce, sliceAxis, squeeze } from "../arithmetic.ts";
import { dimsOf, field, rankOf, refuse, scalarOf, shapeOf, typeOf, extentOf } from "../../import-node.ts";
import { numbersOf } from "../../values.ts";
import {
  allInputs,
  axisIn,
  call,
  has,
  input,
  int,
  ints,
  intsOf,
  int64sOf,
  known,
  optional,
  reshape,
  transpose,
  valueOf,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { partly, shapeVector } from "../dynamic.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

/** 0 copies the input's dimension (unless allowzero), -1 is what is left. */
const reshapeTo: Importer = (n) => {
  const data = input(n, 0);
  const attribute = ints(n, "shape");
  if (attribute !== null) return reshapeBy(n, data, attribute);
  const wanted = input(n, 1);
  const value = known(n, wanted);
  if (value !== null) return reshapeBy(n, data, numbersOf(value));
  const parts = partly(n, wanted);
  // One dynamic number among known ones is what is left.
  if (
    parts !== null &&
    parts.filter((part) => part === null).length === 1 &&
    !parts.includes(-1) &&
    !parts.includes(0)
  )
    return reshapeBy(
      n,
      data,
      parts.map((part) => part ?? -1),
    );
  // In Relay's reshape a 0 copies a dimension.
  if (int(n, "allowzero", 0) !== 0) valueOf(n, wanted, "the new shape, in which a 0 is a 0,");
  return call(n, "dyn.reshape", [data, wanted]);
};

function reshapeBy(n: OnnxNode, data: Expr, wanted: readonly number[]): Expr {
  const from = staticShape(typeOf(n, data));
  const literal = int(n, "allowzero", 0) !== 0;
  if (wanted.some((dim) => dim < -1) || wanted.filter((dim) => dim === -1).length > 1)
    refuse(n, "the new shape is none", {
      expected: "extents, at most one of which is -1",
      got: `(${wanted.join(", ")})`,
    });
  if (literal && wanted.includes(0) && wanted.includes(-1))
    refuse(n, "with allowzero a 0 and a -1 do not go together", { got: `(${wanted.join(", ")})` });
  if (from === null)
    // In Relay's reshape a 0 copies a dimension.
    return literal && wanted.includes(0)
      ? reshape(n, data, wanted)
      : call(n, "reshape", [data], { newshape: wanted });
  const copy = (i: number): number =>
    from[i] ??
    refuse(n, "a 0 in the shape copies a dimension that the input does not have", {
      got: `(${wanted.join(", ")})`,
    });
  const copied = wanted.map((dim, i) => (dim === 0 && !literal ? copy(i) : dim));
  const count = from.reduce((a, b) => a * b, 1);
  const rest = copied.reduce((a, dim) => (dim === -1 ? a : a * dim), 1);
  const shape = copied.map((dim) => (dim === -1 ? (rest === 0 ? 0 : count / rest) : dim));
  if (shape.reduce((a, b) => a * b, 1) !== count || shape.some((dim) => !Number.isInteger(dim)))
    refuse(n, "the new shape does not hold the elements", {
      expected: `${count} elements, as (${from.join(", ")})`,
      got: `(${wanted.join(", ")})`,
    });
  return reshape(n, data, shape);
}

const flatten: Importer = (n) => {
  const data = input(n, 0);
  const rank = rankOf(n, data);
  const given = int(n, "axis", 1);
  const axis = given < 0 ? given + rank : given;
  if (axis === 1 && rank > 1) return rank === 2 ? data : call(n, "nn.batch_flatten", [data]);
  const dims = dimsOf(n, data);
  const product = (part: readonly Dim[]): number | null =>
    part.reduce<number | null>((a, dim) => (a === null || typeof dim !== "number" ? null : a * dim), 1);
  const [before, after] = [product(dims.slice(0, axis)), product(dims.slice(axis))];
  if (before !== null && after !== null) return reshape(n, data, [before, after]);
  if (before !== null || after !== null)
    return call(n, "reshape", [data], { newshape: [before ?? -1, after ?? -1] });
  const shapes = shapeVector(n, data);
  const size = (from: number, to: number): Expr =>
    reduce(n, "prod", sliceAxis(n, shapes, 0, [from, to]), [0], true);
  return call(n, "dyn.reshape", [data, concatenate(n, [size(0, axis), size(axis, rank)], 0)]);
};

/** Axes by attribute, or by input from opset 13 on. */
function axesOf(n: OnnxNode): readonly number[] | null {
  const second = optional(n, 1);
  return second === null ? ints(n, "axes") : intsOf(n, second, "the axes");
}

const squeezeAxes: Importer = (n) => {
  const data = input(n, 0);
  const axes = axesOf(n);
  if (axes !== null)
    return squeeze(
      n,
      data,
      axes.map((axis) => axisIn(n, axis, rankOf(n, data))),
    );
  return squeeze(
    n,
    data,
    dimsOf(n, data).flatMap((dim, i) => (dim === 1 ? [i] : [])),
  );
};

const unsqueeze: Importer = (n) => {
  const data = input(n, 0);
  const axes = axesOf(n) ?? refuse(n, "the axes are missing");
  const rank = rankOf(n, data) + axes.length;
  const sorted = axes.map((axis) => axisIn(n, axis, rank)).sort((a, b) => a - b);
  return sorted.reduce((expr, axis) => expandDims(n, expr, axis), data);
};

const transposeAxes: Importer = (n) => {
  const data = input(n, 0);
  const rank = rankOf(n, data);
  return transpose(n, data, ints(n, "perm") ?? Array.from({ length: rank }, (_, i) => rank - 1 - i));
};

const shape: Importer = (n) => {
  const data = input(n, 0);
  const dims = dimsOf(n, data);
  const [start, end] = [int(n, "start", 0), has(n, "end") ? int(n, "end", 0) : dims.length];
  const part = dims.slice(start, end);
  if (part.every((dim): dim is number => typeof dim === "number")) return int64sOf(n, part);
  const whole = call(n, "shape_of", [data], { dtype: "int64" });
  return part.length === dims.length
    ? whole
    : call(n, "strided_slice", [whole], {
        begin: [start],
        end: [end],
        strides: [1],
        slice_mode: "end",
        axes: [0],
      });
};

const size: Importer = (n) => {
  const data = input(n, 0);
  const dims: readonly Dim[] = dimsOf(n, data);
  if (dims.includes(anyDim)) return call(n, "ndarray_size", [data], { dtype: "int64" });
  return scalarOf(
    n,
    int64,
    shapeOf(n, data).reduce((a, b) => a * b, 1),
  );
};

const concat: Importer = (n) => {
  const all = allInputs(n);
  const rank = rankOf(n, all[0]);
  return concatenate(n, all, axisIn(n, int(n, "axis", n.opset < 4 ? 1 : 0), rank));
};

/**
 * Parts by attribute, by input from opset 13 on, or as many equal ones as there are outputs (the last one
 * shorter).
 */
const split: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, data));
  const second = optional(n, 1);
  const parts = second === null ? ints(n, "split") : intsOf(n, second, "the sizes of the parts");
  const count = n.proto.output.length;
  if (count === 1 && (parts === null || parts.length === 1)) return data;
  const sizes = parts ?? equalParts(extentOf(n, data, axis), count);
  if (sizes.some((part) => part < 0))
    refuse(n, "a part has a negative size", { expected: "0 or more", got: `[${sizes.join(", ")}]` });
  const equal = sizes.every((part) => part === sizes[0]);
  const at = sizes.slice(0, -1).map((_, i) => sizes.slice(0, i + 1).reduce((a, b) => a + b, 0));
  if (sizes.includes(0))
    return sizes.map((size, i) =>
      sliceAxis(n, data, axis, [
        (at[i] ?? sizes.reduce((a, b) => a + b, 0)) - size,
        at[i] ?? sizes.reduce((a, b) => a + b, 0),
      ]),
    );
  const made = call(n, "split", [data], { indices_or_sections: equal ? sizes.length : at, axis });
  return sizes.map((_, i) => field(n, made, i));
};

function equalParts(extent: number, count: number): readonly number[] {
  const part = Math.ceil(extent / count);
  return Array.from({ length: count }, (_, i) => Math.max(Math.min(part, extent - i * part), 0));
}

export const shapeOps: readonly OnnxOp[] = [
  onnxOp("Reshape", reshapeTo, {
    values: ({ attribute }) => (attribute.some(({ name, i }) => name === "allowzero" && i !== 0) ? [1] : []),
  }),
  onnxOp("Flatten", flatten),
  onnxOp("Squeeze", squeezeAxes, { values: [1] }),
  onnxOp("Unsqueeze", unsqueeze, { values: [1] }),
  onnxOp("Transpose", transposeAxes),
  onnxOp("Shape", shape),
  onnxOp("Size", size),
  onnxOp("Concat", concat),
  onnxOp("Split", split, { values: [1] }),
];
