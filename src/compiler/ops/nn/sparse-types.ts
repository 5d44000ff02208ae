// What the relations of operators on sparse matrices share.  TVM: src/relay/op/nn/sparse.cc
import { first } from "../../../support/assert.ts";
import { anyDim, printType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { acceptsDType } from "../math/unary.ts";
import { checkRank, mapDim, productDim, tensorArg, type Asker } from "../_shared/type-helpers.ts";

interface SparseArgs {
  readonly sparse_data: Type;
  readonly sparse_indices: Type;
  readonly sparse_indptr: Type;
}

interface SparseTypes {
  readonly data: TensorType;
  readonly columns: TensorType;
  readonly starts: TensorType;
  /** Rows of the matrix. */
  readonly rows: Dim;
  /** Columns of a block. */
  readonly wide: Dim;
}

/**
 * The three tensors of a sparse matrix, whose data has one of `ranks` (1: numbers, 3: blocks); null after
 * reporting or while unknown.
 */
export function sparseTypes(cx: Asker, args: SparseArgs, ranks: readonly number[]): SparseTypes | null {
  const data = tensorArg(cx, "sparse_data", args.sparse_data);
  const columns = tensorArg(cx, "sparse_indices", args.sparse_indices);
  const starts = tensorArg(cx, "sparse_indptr", args.sparse_indptr);
  if (data === null || columns === null || starts === null) return null;
  if (
    !checkRank(cx, "sparse_data", data, ranks) ||
    !checkRank(cx, "sparse_indices", columns, [1]) ||
    !checkRank(cx, "sparse_indptr", starts, [1])
  )
    return null;
  if (
    !acceptsDType(cx, "sparse_indices", columns, "integer") ||
    !acceptsDType(cx, "sparse_indptr", starts, "integer")
  )
    return null;
  const fits =
    cx.t.dimEqual(first(data.shape, "data axis"), first(columns.shape, "column indices axis")) &&
    (typeof starts.shape[0] !== "number" || starts.shape[0] > 0);
  if (!fits)
    return cx.t.error("RS2105", `${cx.op}: the parts of the sparse matrix do not fit together`, {
      expected: "a column an entry, and one start more than there are rows",
      got: [data, columns, starts].map(printType).join(", "),
    });
  const rows = productDim([
    mapDim(first(starts.shape, "row starts axis"), (count) => count - 1),
    data.shape[1] ?? 1,
  ]);
  return { data, columns, starts, rows: typeof rows === "number" ? rows : anyDim, wide: data.shape[2] ?? 1 };
}
