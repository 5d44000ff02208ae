// Picking and placing elements by index. Negative indices count from the end, as ONNX wants and Relay does
// not.
// TVM: python/tvm/relay/frontend/onnx.py (normalize_gather_indices, Gather, GatherND, Scatter, ScatterND,
// OneHot)
import { at } from "../../../../support/assert.ts";
import { elementCount } from "../../../ir/tensor-data.ts";
import { windowOf } from "./window.ts";
import { int64, isInteger } from "../../../ir/dtype.ts";
import type { Dim } from "../../../ir/type.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, less, multiply, number, sliceAxis, squeeze } from "../arithmetic.ts";
import { constantOf, dimsOf, rankOf, refuse, scalarOf, shapeOf, single } from "../../import-node.ts";
import {
  axisIn,
  call,
  cast,
  dtypeOf,
  input,
  int,
  intsOf,
  int64sOf,
  known,
  reshape,
  transpose,
  type Importer,
  type OnnxNode,
  has,
  intsOfLength,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { fromNumbers, numbersOf } from "../../values.ts";

/** `indices` along an axis of `extent` elements, counted from the front. */
function fromFront(n: OnnxNode, indices: Expr, extent: number): Expr {
  const value = known(n, indices);
  if (value === null)
    return call(n, "where", [
      less(n, indices, number(n, 0, indices)),
      add(n, indices, number(n, extent, indices)),
      indices,
    ]);
  const numbers = numbersOf(value);
  if (numbers.every((index) => index >= 0)) return indices;
  return constantOf(
    n,
    fromNumbers(
      value.dtype,
      value.shape,
      numbers.map((index) => (index < 0 ? index + extent : index)),
    ),
  );
}

/**
 * The extent of `axis`; a vector's first element needs none, so dynamic dimensions pass where no index is
 * negative.
 */
export function indicesAlong(n: OnnxNode, data: Expr, indices: Expr, axis: number): Expr {
  const dim = dimsOf(n, data)[axis];
  if (typeof dim === "number") return fromFront(n, indices, dim);
  const value = known(n, indices);
  if (value !== null && numbersOf(value).every((index) => index >= 0)) return indices;
  const extent = call(
    n,
    "take",
    [call(n, "shape_of", [data], { dtype: dtypeOf(n, indices).name }), scalarOf(n, int64, axis)],
    { axis: 0, mode: "clip" },
  );
  return call(n, "where", [less(n, indices, number(n, 0, indices)), add(n, indices, extent), indices]);
}

const gather: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, data));
  return call(n, "take", [data, indicesAlong(n, data, input(n, 1), axis)], { axis, mode: "clip" });
};

const gatherElements: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, data));
  return call(n, "gather", [data, indicesAlong(n, data, input(n, 1), axis)], { axis });
};

/** Index tuples of the last axis, counted from the front; `extents` are those of the axes that they index. */
export function tuplesFromFront(n: OnnxNode, indices: Expr, dims: readonly Dim[]): Expr {
  const value = known(n, indices);
  const extents = dims.filter((dim) => typeof dim === "number");
  // Dynamic extents: indices are taken as they are, as TVM does.
  if (extents.length < dims.length) return indices;
  if (value === null)
    return call(n, "where", [
      less(n, indices, number(n, 0, indices)),
      add(n, indices, cast(n, int64sOf(n, extents), dtypeOf(n, indices))),
      indices,
    ]);
  const numbers = numbersOf(value).map((index, i) =>
    index < 0 ? index + at(extents, i % extents.length, "indexed extent") : index,
  );
  return constantOf(n, fromNumbers(value.dtype, value.shape, numbers));
}

/** The last axis of the indices comes first in Relay. */
export function lastFirst(n: OnnxNode, indices: Expr): Expr {
  const rank = rankOf(n, indices);
  return transpose(n, indices, [rank - 1, ...Array.from({ length: rank - 1 }, (_, i) => i)]);
}

/** How many axes each tuple of the last axis indexes. */
export function tupleLength(n: OnnxNode, indices: Expr): number {
  const depth = dimsOf(n, indices).at(-1);
  return typeof depth === "number" ? depth : refuse(n, "the length of the index tuples must be known");
}

const gatherNd: Importer = (n) => {
  const [data, indices] = [input(n, 0), input(n, 1)];
  const batch = int(n, "batch_dims", 0);
  const depth = tupleLength(n, indices);
  const tuples = tuplesFromFront(n, indices, dimsOf(n, data).slice(batch, batch + depth));
  return call(n, "gather_nd", [data, lastFirst(n, tuples)], { batch_dims: batch, index_rank: depth });
};

/**
 * Elements where the condition is true: how many there are, a condition that is not known tells when it runs.
 */
const compress: Importer = (n) => {
  const data = input(n, 0);
  const condition = known(n, input(n, 1));
  const indices =
    condition === null
      ? call(n, "reshape", [call(n, "argwhere", [input(n, 1)])], { newshape: [-1] })
      : int64sOf(
          n,
          numbersOf(condition).flatMap((value, i) => (value !== 0 ? [i] : [])),
        );
  const axis = has(n, "axis") ? axisIn(n, int(n, "axis", 0), rankOf(n, data)) : null;
  const from = axis === null ? call(n, "reshape", [data], { newshape: [-1] }) : data;
  return call(n, "take", [from, indices], { axis: axis ?? 0, mode: "clip" });
};

const oneHot: Importer = (n) => {
  const indices = isInteger(dtypeOf(n, input(n, 0))) ? input(n, 0) : cast(n, input(n, 0), int64);
  const given = known(n, input(n, 1));
  const values = input(n, 2);
  const value = (index: number): Expr => squeeze(n, sliceAxis(n, values, 0, [index, index + 1]), [0]);
  const axis = axisIn(n, int(n, "axis", -1), rankOf(n, indices) + 1);
  const dtype = dtypeOf(n, values).name;
  if (given !== null) {
    const depth = single(n, numbersOf(given), "the depth");
    const front = fromFront(n, indices, depth);
    return call(n, "one_hot", [front, value(1), value(0)], { depth, axis, dtype });
  }
  const scalar = reshape(n, input(n, 1), []);
  const front = call(n, "where", [
    less(n, indices, number(n, 0, indices)),
    add(n, indices, cast(n, scalar, dtypeOf(n, indices))),
    indices,
  ]);
  return call(n, "dyn.one_hot", [front, value(1), value(0), cast(n, scalar, int64)], { axis, dtype });
};

/** Positions of what is not zero, one column each. */
const nonZero: Importer = (n) => {
  const value = known(n, input(n, 0));
  if (value === null) return transpose(n, cast(n, call(n, "argwhere", [input(n, 0)]), int64), [1, 0]);
  const found = numbersOf(value).flatMap((element, i) => (element !== 0 ? [i] : []));
  const rows = value.shape.flatMap((dim, axis) => {
    const stride = elementCount(value.shape.slice(axis + 1));
    return found.map((place) => Math.floor(place / stride) % dim);
  });
  return constantOf(n, fromNumbers(int64, [value.shape.length, found.length], rows));
};

/** Where in the image a maximum came from, and zero everywhere else. */
const maxUnpool: Importer = (n) => {
  const [data, indices] = [input(n, 0), input(n, 1)];
  const shape = shapeOf(n, data);
  const spatial = shape.slice(2);
  const window = windowOf(n, intsOfLength(n, "kernel_shape", spatial.length, 1), () => spatial);
  const inner = window.map(
    ({ kernel, stride, before, after }, i) =>
      (at(spatial, i, "spatial axis") - 1) * stride + kernel - before - after,
  );
  const own = [...shape.slice(0, 2), ...inner];
  const wanted = n.inputs[2] == null ? own : intsOf(n, input(n, 2), "the output's shape");
  const size = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);
  const empty = call(n, "zeros", [], { shape: [size(wanted)], dtype: dtypeOf(n, data).name });
  const places = moved(n, indices, own, wanted);
  return reshape(
    n,
    call(n, "scatter", [empty, reshape(n, places, [size(shape)]), reshape(n, data, [size(shape)])], {
      axis: 0,
    }),
    wanted,
  );
};

/** Flat indices of a tensor of shape `from` as flat indices of the larger `to`. */
function moved(n: OnnxNode, indices: Expr, from: readonly number[], to: readonly number[]): Expr {
  if (from.every((dim, i) => dim === to[i])) return indices;
  const stride = (shape: readonly number[], axis: number): number =>
    shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const terms = from.map((dim, axis) => {
    const along = call(n, "floor_mod", [
      call(n, "floor_divide", [indices, number(n, stride(from, axis), indices)]),
      number(n, dim, indices),
    ]);
    return multiply(n, along, number(n, stride(to, axis), indices));
  });
  return terms.reduce((a, b) => add(n, a, b));
}

export const gatherOps: readonly OnnxOp[] = [
  onnxOp("Gather", gather),
  onnxOp("GatherElements", gatherElements),
  onnxOp("GatherND", gatherNd),
  onnxOp("Compress", compress),
  onnxOp("OneHot", oneHot),
  onnxOp("NonZero", nonZero),
  onnxOp("MaxUnpool", maxUnpool, { values: [2] }),
];
