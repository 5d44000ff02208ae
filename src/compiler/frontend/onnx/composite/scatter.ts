// Placing elements by index.  TVM: python/tvm/relay/frontend/onnx.py (Scatter, ScatterElements, ScatterND),
// which has no reduction but none and add.
import { at } from "../../../../support/assert.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  expandDims,
  maximum,
  minimum,
  multiply,
  number,
  reduce,
  slice,
  sliceAxis,
  squeeze,
} from "../arithmetic.ts";
import { constantOf, dimsOf, rankOf, refuse, shapeOf } from "../../import-node.ts";
import { fromNumbers } from "../../values.ts";
import { bool } from "../../../ir/dtype.ts";
import { elementCount } from "../../../ir/tensor-data.ts";
import {
  axisIn,
  broadcastTo,
  call,
  dtypeOf,
  input,
  int,
  reshape,
  text,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { indicesAlong, lastFirst, tupleLength, tuplesFromFront } from "./gather.ts";

type Reduction = "none" | "add" | "mul" | "max" | "min";

function reductionOf(n: OnnxNode): Reduction {
  const word = text(n, "reduction", "none");
  if (word === "none" || word === "add" || word === "mul" || word === "max" || word === "min") return word;
  return refuse(n, "reduction is not one of ONNX's words", {
    expected: "none, add, mul, max or min",
    got: word,
  });
}

/** Updates of elements; with duplicates the last one wins, or all count. */
const scatterElements: Importer = (n) => {
  const [data, updates] = [input(n, 0), input(n, 2)];
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, data));
  const how = reductionOf(n);
  const indices = indicesAlong(n, data, input(n, 1), axis);
  if (how === "none" || how === "add")
    return call(n, how === "add" ? "scatter_add" : "scatter", [data, indices, updates], { axis });
  const [shape, part] = [shapeOf(n, data), shapeOf(n, updates, "the updates")];
  const region = shape.map((extent, i) => (i === axis ? extent : (part[i] ?? extent)));
  if (region.every((extent, i) => extent === shape[i]))
    return combined(n, { data, indices, updates, axis, how });
  // The updates reach a part of the data: what lies beside it stays.
  const axes = shape.map((_, i) => i);
  const inner = slice(n, data, { begin: axes.map(() => 0), end: region, axes });
  const changed = combined(n, { data: inner, indices, updates, axis, how });
  const padded = call(n, "nn.pad", [changed, number(n, 0, data)], {
    pad_width: shape.map((extent, i) => [0, extent - at(region, i, "extent")]),
    pad_mode: "constant",
  });
  const ones = constantOf(
    n,
    fromNumbers(
      bool,
      region,
      Array.from({ length: elementCount(region) }, () => 1),
    ),
  );
  const within = call(n, "nn.pad", [ones, constantOf(n, fromNumbers(bool, [], [0]))], {
    pad_width: shape.map((extent, i) => [0, extent - at(region, i, "extent")]),
    pad_mode: "constant",
  });
  return call(n, "where", [within, padded, data]);
};

const scatterNd: Importer = (n) => {
  const [data, updates] = [input(n, 0), input(n, 2)];
  const depth = tupleLength(n, input(n, 1));
  const how = reductionOf(n);
  const tuples = tuplesFromFront(n, input(n, 1), dimsOf(n, data).slice(0, depth));
  if (how === "none" || how === "add")
    return call(n, "scatter_nd", [data, lastFirst(n, tuples), updates], {
      mode: how === "add" ? "add" : "update",
    });
  const shape = shapeOf(n, data);
  const [indexed, rest] = [shape.slice(0, depth), shape.slice(depth)];
  const count = elementCount(shapeOf(n, tuples, "the indices").slice(0, -1));
  const rows = reshape(n, tuples, [count, depth]);
  const flat = indexed
    .map((_, i) => squeeze(n, sliceAxis(n, rows, 1, [i, i + 1]), [1]))
    .reduce((sum, along, i) => add(n, multiply(n, sum, number(n, at(indexed, i, "extent"), sum)), along));
  const inner = elementCount(rest);
  const made = combined(n, {
    data: reshape(n, data, [elementCount(indexed), inner]),
    indices: expandDims(n, flat, 1),
    updates: reshape(n, updates, [count, inner]),
    axis: 0,
    how,
  });
  return reshape(n, made, shape);
};

interface Combination {
  readonly data: Expr;
  /** Broadcast to the updates. */
  readonly indices: Expr;
  /** As many extents as the data, another one along `axis` only. */
  readonly updates: Expr;
  readonly axis: number;
  readonly how: "mul" | "max" | "min";
}

/**
 * Every element with all its updates: a reduction over them, in which those of other elements change nothing.
 */
function combined(n: OnnxNode, { data, indices, updates, axis, how }: Combination): Expr {
  const shape = shapeOf(n, data);
  const count = at(shapeOf(n, updates), axis, "extent");
  if (count === 0) return data;
  const extent = at(shape, axis, "extent");
  const whole = [...shape.slice(0, axis + 1), count, ...shape.slice(axis + 1)];
  const places = constantOf(
    n,
    fromNumbers(
      dtypeOf(n, indices),
      [extent, 1, ...shape.slice(axis + 1).map(() => 1)],
      Array.from({ length: extent }, (_, i) => i),
    ),
  );
  const hits = call(n, "equal", [places, expandDims(n, indices, axis)]);
  const neutral = how === "mul" ? number(n, 1, data) : expandDims(n, data, axis + 1);
  const chosen = call(n, "where", [
    broadcastTo(n, hits, whole),
    broadcastTo(n, expandDims(n, updates, axis), whole),
    broadcastTo(n, neutral, whole),
  ]);
  const reduced = reduce(n, how === "mul" ? "prod" : how, chosen, [axis + 1], false);
  // The data counts too where all updates go to one element.
  return { mul: multiply, max: maximum, min: minimum }[how](n, data, reduced);
}

export const scatterOps: readonly OnnxOp[] = [
  onnxOp("Scatter", scatterElements),
  onnxOp("ScatterElements", scatterElements),
  onnxOp("ScatterND", scatterNd),
];
