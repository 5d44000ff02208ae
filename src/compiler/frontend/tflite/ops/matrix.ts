// Products and diagonals of matrices.  TVM: python/tvm/relay/frontend/tflite.py (convert_batch_matmul,
// convert_matrix_diag)
import { int32 } from "../../../ir/dtype.ts";
import { elementCount } from "../../../ir/tensor-data.ts";
import { broadcastDims } from "../../../ops/_shared/type-helpers.ts";
import type { Expr } from "../../../relay/expr.ts";
import { flag } from "../flatbuffer.ts";
import { refuse, scalarOf, shapeOf, typeOf, extentOf } from "../../import-node.ts";
import { call, exprOf, input, option } from "../graph.ts";
import { realInput, stored } from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

const sameDims = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((dim, i) => dim === b[i]);

/** Batches broadcast; a lone matrix serves all. */
const batchMatmul = tfOp("BATCH_MATMUL", (n) => {
  const [x, y] = [realInput(n, 0), realInput(n, 1)];
  const [a, b] = [shapeOf(n, x), shapeOf(n, y)];
  if (a.length < 2 || b.length < 2)
    return refuse(n, "its inputs must be matrices", { got: `rank ${a.length} and ${b.length}` });
  const batch = broadcastDims(a.slice(0, -2), b.slice(0, -2)) as number[] | null;
  if (batch === null)
    return refuse(n, "its batches cannot be broadcast together", {
      got: `(${a.join(", ")}) and (${b.join(", ")})`,
    });
  const flat = (z: Expr, dims: readonly number[]): Expr => {
    const own = dims.slice(0, -2);
    const spread =
      elementCount(own) === 1 || sameDims(own, batch)
        ? z
        : call(n, "broadcast_to", [z], { shape: [...batch, ...dims.slice(-2)] });
    return dims.length === 3 && spread === z
      ? z
      : call(n, "reshape", [spread], { newshape: [-1, ...dims.slice(-2)] });
  };
  const [adjX, adjY] = [option(n, flag, 0, false), option(n, flag, 1, false)];
  const product = call(n, "nn.batch_matmul", [flat(x, a), flat(y, b)], {
    transpose_a: adjX,
    transpose_b: adjY,
  });
  const wanted = [...batch, extentOf(n, x, adjX ? -1 : -2), extentOf(n, y, adjY ? -2 : -1)];
  return stored(n, batch.length === 1 ? product : call(n, "reshape", [product], { newshape: wanted }));
});

const matrixSetDiag = tfOp("MATRIX_SET_DIAG", (n) =>
  call(
    n,
    "matrix_set_diag",
    [exprOf(n, input(n, 0)), exprOf(n, input(n, 1)), scalarOf(n, int32, 0), scalarOf(n, int32, 0)],
    {},
  ),
);
const matrixDiag = tfOp("MATRIX_DIAG", (n) => {
  const diagonal = exprOf(n, input(n, 0));
  const dims = shapeOf(n, diagonal);
  const zeros = call(n, "zeros", [], {
    shape: [...dims, ...dims.slice(-1)],
    dtype: typeOf(n, diagonal).dtype.name,
  });
  return call(n, "matrix_set_diag", [zeros, diagonal, scalarOf(n, int32, 0), scalarOf(n, int32, 0)], {});
});

export const matrixOps: readonly TfOp[] = [batchMatmul, matrixSetDiag, matrixDiag];
