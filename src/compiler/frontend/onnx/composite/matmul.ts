// Products of matrices.  TVM: python/tvm/relay/frontend/onnx.py (Gemm, MatMul)
import type { Expr } from "../../../relay/expr.ts";
import { add, expandDims, scaled, squeeze } from "../arithmetic.ts";
import { broadcastTo, call, float, input, int, optional, rankOf, refuse, reshape, shapeOf, transpose, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

/** alpha * A' * B' + beta * C as dense with the weights one row an output. */
const gemm: Importer = (n) => {
  const a = int(n, "transA", 0) !== 0 ? transpose(n, input(n, 0), [1, 0]) : input(n, 0);
  const b = int(n, "transB", 0) !== 0 ? input(n, 1) : transpose(n, input(n, 1), [1, 0]);
  const rows = rankOf(n, a) === 2 ? a : call(n, "nn.batch_flatten", [a]);
  const product = call(n, "nn.dense", [scaled(n, rows, float(n, "alpha", 1)), b], { units: shapeOf(n, b)[0]! });
  const c = optional(n, 2);
  return c === null ? product : add(n, product, scaled(n, c, float(n, "beta", 1)));
};

/** Numpy's matmul: vectors get an axis, batches broadcast. */
export function matmul(n: OnnxNode, a: Expr, b: Expr): Expr {
  const [aRank, bRank] = [rankOf(n, a), rankOf(n, b)];
  if (aRank === 0 || bRank === 0) refuse(n, "a matrix product needs at least vectors");
  if (aRank === 1) return squeeze(n, matmul(n, expandDims(n, a, 0), b), [Math.max(bRank - 2, 0)].filter(() => true));
  if (bRank === 1) return squeeze(n, matmul(n, a, expandDims(n, b, 1)), [aRank - 1]);
  if (aRank === 2 && bRank === 2) return dense(n, a, b);
  const [aShape, bShape] = [shapeOf(n, a), shapeOf(n, b)];
  // One matrix for all batches: the batch is more rows.
  if (bRank === 2) return reshape(n, dense(n, reshape(n, a, [-1, aShape.at(-1)!]), b), [...aShape.slice(0, -1), bShape[1]!]);
  const rank = Math.max(aRank, bRank) - 2;
  const batch = Array.from({ length: rank }, (_, i) => Math.max(aShape[i - rank + aRank - 2] ?? 1, bShape[i - rank + bRank - 2] ?? 1));
  const left = batched(n, a, batch, aShape.slice(-2));
  const right = transpose(n, batched(n, b, batch, bShape.slice(-2)), [0, 2, 1]);
  return reshape(n, call(n, "nn.batch_matmul", [left, right], { transpose_b: true }), [...batch, aShape.at(-2)!, bShape.at(-1)!]);
}

function dense(n: OnnxNode, a: Expr, b: Expr): Expr {
  return call(n, "nn.dense", [a, transpose(n, b, [1, 0])], { units: null });
}

/** `matrix` as (batch, rows, columns); one matrix for all batches stays one, as batch_matmul broadcasts it. */
function batched(n: OnnxNode, matrix: Expr, batch: readonly number[], inner: readonly number[]): Expr {
  const own = shapeOf(n, matrix).slice(0, -2);
  const count = own.reduce((a, b) => a * b, 1);
  const full = count === 1 || batch.reduce((a, b) => a * b, 1) === count ? matrix : broadcastTo(n, matrix, [...batch, ...inner]);
  return reshape(n, full, [shapeOf(n, full).slice(0, -2).reduce((a, b) => a * b, 1), ...inner]);
}

export const matmulOps: readonly OnnxOp[] = [onnxOp("Gemm", gemm), onnxOp("MatMul", (n) => matmul(n, input(n, 0), input(n, 1)))];
