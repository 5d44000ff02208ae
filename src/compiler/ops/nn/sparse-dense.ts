// Product of a dense and a sparse matrix.  TVM: src/relay/op/nn/sparse.cc (SparseDenseRel)
import { first } from "../../../support/assert.ts";
import { flag } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseDense as sparseDenseCompute } from "../../topi/sparse-matrix.ts";
import { defineOp } from "../define.ts";
import { asker, checkRank, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";
import { sparseTypes } from "./sparse-types.ts";

export const sparseDense = defineOp({
  name: "nn.sparse_dense",
  inputs: ["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
  attrs: { sparse_lhs: flag({ default: false, doc: "The sparse matrix is the left one." }) },
  attrsKey: "relay.attrs.SparseDenseAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.sparse_dense");
    const dense = tensorArg(cx, "dense_data", args.dense_data);
    const sparse = sparseTypes(cx, args, [1, 3]);
    if (
      dense === null ||
      sparse === null ||
      !checkRank(cx, "dense_data", dense, [2]) ||
      !sameDTypes(cx, ["dense_data", dense], ["sparse_data", sparse.data])
    )
      return null;
    return tensorType(
      attrs.sparse_lhs
        ? [sparse.rows, first(dense.shape, "dense matrix axis")]
        : [first(dense.shape, "dense matrix axis"), sparse.rows],
      dense.dtype,
    );
  },
  compute: (args, attrs, cx) =>
    sparseDenseCompute(
      args.dense_data,
      { data: args.sparse_data, columns: args.sparse_indices, starts: args.sparse_indptr },
      attrs.sparse_lhs,
      cx.origin,
    ),
  schedule: externRecipe,
  doc: "Dense (M, K) times a transposed sparse (N, K), or with sparse_lhs a sparse (M, K) times a transposed dense (N, K). The sparse matrix is given by its entries (numbers, or blocks (entries, rows, columns)), the (block) column of each, and where each row of entries starts.",
  examples: [
    {
      name: "numbers",
      args: ["Tensor[(2, 4), float32]", "Tensor[(5), float32]", "Tensor[(5), int32]", "Tensor[(4), int32]"],
      values: { 2: [0, 3, 1, 0, 2], 3: [0, 2, 2, 5] },
    },
    {
      name: "blocks",
      args: [
        "Tensor[(3, 6), float32]",
        "Tensor[(3, 2, 3), float32]",
        "Tensor[(3), int32]",
        "Tensor[(3), int32]",
      ],
      values: { 2: [1, 0, 1], 3: [0, 1, 3] },
    },
    {
      name: "sparse on the left",
      args: [
        "Tensor[(3, 6), float32]",
        "Tensor[(3, 2, 3), float32]",
        "Tensor[(3), int32]",
        "Tensor[(3), int32]",
      ],
      attrs: { sparse_lhs: true },
      values: { 2: [1, 0, 1], 3: [0, 1, 3] },
    },
  ],
});
