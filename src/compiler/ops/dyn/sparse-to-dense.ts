// sparse_to_dense with the shape given as a tensor; with a constant it becomes sparse_to_dense.
// TVM: src/relay/op/dyn/tensor/transform.cc (SparseToDenseRel)
import { tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseToDense as sparseToDenseCompute } from "../../topi/sparse.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { asker, checkRank, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynSparseToDense = defineOp({
  name: "dyn.sparse_to_dense",
  inputs: ["sparse_indices", "sparse_values", "default_value", "output_shape"],
  attrs: {},
  pattern: "opaque",
  type: (args, _, t) => {
    const cx = asker(t, "dyn.sparse_to_dense");
    const positions = tensorArg(cx, "sparse_indices", args.sparse_indices);
    const values = tensorArg(cx, "sparse_values", args.sparse_values);
    const rest = tensorArg(cx, "default_value", args.default_value);
    const rank = vectorLength(cx, "output_shape", args.output_shape);
    if (
      positions === null ||
      values === null ||
      rest === null ||
      rank === null ||
      !acceptsDType(cx, "sparse_indices", positions, "integer")
    )
      return null;
    if (
      !checkRank(cx, "sparse_indices", positions, [0, 1, 2]) ||
      !checkRank(cx, "sparse_values", values, [0, 1]) ||
      !checkRank(cx, "default_value", rest, [0])
    )
      return null;
    return sameDTypes(cx, ["sparse_values", values], ["default_value", rest])
      ? tensorType(dynamicDims(rank), values.dtype)
      : null;
  },
  compute: (args, _, cx) =>
    sparseToDenseCompute(
      [args.sparse_indices, args.sparse_values, args.default_value],
      outExtents(cx),
      cx.origin,
    ),
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
