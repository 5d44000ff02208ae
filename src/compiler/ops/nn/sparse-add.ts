// Sum of a dense and a sparse matrix.  TVM: src/relay/op/nn/sparse.cc (SparseAddRel)
import { first } from "../../../support/assert.ts";
import { printType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseAdd as sparseAddCompute } from "../../topi/sparse-matrix.ts";
import { defineOp } from "../define.ts";
import { asker, checkRank, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";
import { sparseTypes } from "./sparse-types.ts";

export const sparseAdd = defineOp({
  name: "nn.sparse_add",
  inputs: ["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
  attrs: {},
  pattern: "opaque",
  type: (args, _, t) => {
    const cx = asker(t, "nn.sparse_add");
    const dense = tensorArg(cx, "dense_data", args.dense_data);
    const sparse = sparseTypes(cx, args, [1]);
    if (
      dense === null ||
      sparse === null ||
      !checkRank(cx, "dense_data", dense, [2]) ||
      !sameDTypes(cx, ["dense_data", dense], ["sparse_data", sparse.data])
    )
      return null;
    return t.dimEqual(first(dense.shape, "dense matrix axis"), sparse.rows)
      ? dense
      : t.error("RS2105", "nn.sparse_add: the matrices differ in rows", {
          expected: `${printType(dense)}: one row start more than that`,
          got: printType(sparse.starts),
        });
  },
  compute: (args, _, cx) =>
    sparseAddCompute(
      args.dense_data,
      { data: args.sparse_data, columns: args.sparse_indices, starts: args.sparse_indptr },
      cx.origin,
    ),
  schedule: externRecipe,
  doc: "A dense matrix plus a sparse one, given by its entries, the column of each, and where each row of entries starts.",
  examples: [
    {
      name: "three rows",
      args: ["Tensor[(3, 4), float32]", "Tensor[(5), float32]", "Tensor[(5), int32]", "Tensor[(4), int32]"],
      values: { 2: [0, 3, 1, 0, 2], 3: [0, 2, 2, 5] },
    },
  ],
});
