// sparse_to_dense with the shape given as a tensor; with a constant it becomes sparse_to_dense.
// TVM: src/relay/op/dyn/tensor/transform.cc (SparseToDenseRel)
import { tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { defineOp } from "../define.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { asker } from "../_shared/type-helpers.ts";
import { denseOf, fitsRank, sparseElements } from "../tensor/sparse-to-dense.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynSparseToDense = defineOp({
  name: "dyn.sparse_to_dense",
  inputs: ["sparse_indices", "sparse_values", "default_value", "output_shape"],
  attrs: {},
  pattern: "opaque",
  type: (args, _, t) => {
    const cx = asker(t, "dyn.sparse_to_dense");
    const elements = sparseElements(cx, args);
    const rank = vectorLength(cx, "output_shape", args.output_shape);
    if (elements === null || rank === null || !fitsRank(cx, elements, rank)) return null;
    return tensorType(dynamicDims(rank), elements.values.dtype);
  },
  compute: denseOf,
  shapeFunc: shapeArgument(3, 4),
  schedule: externRecipe,
  toStatic: staticTwin("sparse_to_dense", {
    args: ["sparse_indices", "sparse_values", "default_value"],
    constants: ["output_shape"],
    attrs: ({ output_shape: shape }) => ({ output_shape: shape }),
  }),
  doc: "sparse_to_dense with the shape of the result as the last argument.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 2), int32]", "Tensor[(2), float32]", "float32", "Tensor[(2), int64]"],
      values: { 0: [0, 1, 2, 3], 3: [3, 4] },
      results: ["Tensor[(3, 4), float32]"],
    },
  ],
});
