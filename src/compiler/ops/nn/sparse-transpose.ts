// A square sparse matrix transposed.  TVM: src/relay/op/nn/sparse.cc (SparseTransposeRel)
import { tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseTranspose as sparseTransposeCompute } from "../../topi/sparse-matrix.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { sparseTypes } from "./sparse-types.ts";

export const sparseTranspose = defineOp({
  name: "nn.sparse_transpose",
  inputs: ["sparse_data", "sparse_indices", "sparse_indptr"],
  attrs: {},
  attrsKey: "relay.attrs.SparseTransposeAttrs",
  pattern: "outEWiseFusable",
  type: (args, _, t) => {
    const sparse = sparseTypes(asker(t, "nn.sparse_transpose"), args, [1]);
    return sparse === null ? null : tupleType([sparse.data, sparse.columns, sparse.starts]);
  },
  compute: (args, _, cx) =>
    sparseTransposeCompute(
      { data: args.sparse_data, columns: args.sparse_indices, starts: args.sparse_indptr },
      cx.origin,
    ),
  schedule: externRecipe,
  doc: "The transposed square matrix as a tuple of entries, the column of each, and where each row of entries starts.",
  examples: [
    {
      name: "four by four",
      args: ["Tensor[(6), float32]", "Tensor[(6), int32]", "Tensor[(5), int32]"],
      values: { 1: [0, 2, 1, 3, 0, 2], 2: [0, 2, 3, 3, 6] },
    },
  ],
});
