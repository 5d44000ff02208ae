// Products of matrices.  TVM: python/tvm/relay/frontend/onnx.py (Gemm, MatMul)
import { invariant } from "../../../../support/assert.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, concatenate, expandDims, scaled, squeeze } from "../arithmetic.ts";
import { broadcastExtent, dynBroadcastTo, extentsOf, reshapeTo, vectorOf, type Extent } from "../dynamic.ts";
import { dimsOf, rankOf, refuse } from "../../import-node.ts";
import {
  broadcastTo,
  call,
  float,
  input,
  int,
  int64sOf,
  optional,
  reshape,
  transpose,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

/** alpha * A' * B' + beta * C as dense with the weights one row an output. */
const gemm: Importer = (n) => {
  const a = int(n, "transA", 0) !== 0 ? transpose(n, input(n, 0), [1, 0]) : input(n, 0);
  const b = int(n, "transB", 0) !== 0 ? input(n, 1) : transpose(n, input(n, 1), [1, 0]);
  const rows = rankOf(n, a) === 2 ? a : call(n, "nn.batch_flatten", [a]);
  const product = call(n, "nn.dense", [scaled(n, rows, float(n, "alpha", 1)), b], { units: unitsOf(n, b) });
  const c = optional(n, 2);
  return c === null ? product : add(n, product, scaled(n, c, float(n, "beta", 1)));
};

/** Rows of the weight, null where they are not known. */
function unitsOf(n: OnnxNode, weight: Expr): number | null {
  const [rows] = dimsOf(n, weight);
  return typeof rows === "number" ? rows : null;
}

/** Numpy's matmul: vectors get an axis, batches broadcast. */
export function matmul(n: OnnxNode, a: Expr, b: Expr): Expr {
  const [aRank, bRank] = [rankOf(n, a), rankOf(n, b)];
  if (aRank === 0 || bRank === 0) refuse(n, "a matrix product needs at least vectors");
  if (aRank === 1) return squeeze(n, matmul(n, expandDims(n, a, 0), b), [Math.max(bRank - 2, 0)]);
  if (bRank === 1) return squeeze(n, matmul(n, a, expandDims(n, b, 1)), [aRank - 1]);
  if (aRank === 2 && bRank === 2) return dense(n, a, b);
  const [aShape, bShape] = [extentsOf(n, a), extentsOf(n, b)];
  // One matrix for all batches: the batch is more rows.
  const [lastOfA, innerOfB, columns] = [aShape.at(-1), bShape.at(-2), bShape.at(-1)];
  const rows = aShape.at(-2);
  invariant(rows !== undefined && columns !== undefined, "vectors got an axis");
  const inner = typeof lastOfA === "number" ? lastOfA : innerOfB;
  if (bRank === 2 && typeof inner === "number")
    return reshapeTo(n, dense(n, call(n, "reshape", [a], { newshape: [-1, inner] }), b), [
      ...aShape.slice(0, -1),
      columns,
    ]);
  const rank = Math.max(aRank, bRank) - 2;
  const batch = Array.from({ length: rank }, (_, i) =>
    broadcastExtent(aShape[i - rank + aRank - 2], bShape[i - rank + bRank - 2]),
  );
  const left = batched(n, a, batch);
  const right = transpose(n, batched(n, b, batch), [0, 2, 1]);
  return reshapeTo(n, call(n, "nn.batch_matmul", [left, right], { transpose_b: true }), [
    ...batch,
    rows,
    columns,
  ]);
}

function dense(n: OnnxNode, a: Expr, b: Expr): Expr {
  return call(n, "nn.dense", [a, transpose(n, b, [1, 0])], { units: null });
}

/**
 * `matrix` as (batch, rows, columns); one matrix for all batches stays one, as batch_matmul broadcasts it.
 */
function batched(n: OnnxNode, matrix: Expr, batch: readonly Extent[]): Expr {
  const extents = extentsOf(n, matrix);
  const [own, inner] = [extents.slice(0, -2), extents.slice(-2)];
  const one = own.every((extent) => extent === 1);
  const whole =
    own.length === batch.length &&
    own.every((extent, i) => extent === batch[i] || (typeof extent !== "number" && batch[i] !== 1));
  if (one || whole) return flattened(n, matrix, own, inner);
  const wanted = [...batch, ...inner];
  const full = wanted.every((extent) => typeof extent === "number")
    ? broadcastTo(n, matrix, wanted)
    : dynBroadcastTo(n, matrix, vectorOf(n, wanted));
  return flattened(n, full, batch, inner);
}

/** All batch axes as one. */
function flattened(n: OnnxNode, matrix: Expr, batch: readonly Extent[], inner: readonly Extent[]): Expr {
  if (batch.length === 1) return matrix;
  const count = batch.reduce<number | null>(
    (a, extent) => (a === null || typeof extent !== "number" ? null : a * extent),
    1,
  );
  if (inner.every((extent) => typeof extent === "number")) {
    return count === null
      ? call(n, "reshape", [matrix], { newshape: [-1, ...inner] })
      : reshape(n, matrix, [count, ...inner]);
  }
  if (batch.length === 2) return call(n, "reshape", [matrix], { newshape: [-3, -2] });
  return call(n, "dyn.reshape", [matrix, concatenate(n, [int64sOf(n, [-1]), vectorOf(n, inner)], 0)]);
}

export const matmulOps: readonly OnnxOp[] = [
  onnxOp("Gemm", gemm),
  onnxOp("MatMul", (n) => matmul(n, input(n, 0), input(n, 1))),
];
