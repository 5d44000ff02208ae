// A tensor summed down to the shape of another.  TVM: src/relay/op/tensor/transform.cc (CollapseSumLikeRel)
import { printType, tensorType } from "../../ir/type.ts";
import { collapseSum } from "../../topi/reduction.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { defineOp } from "../define.ts";
import { shapeOfArgument } from "../_shape-funcs/same.ts";
import { asker, broadcastDims, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export const collapseSumLike = defineOp({
  name: "collapse_sum_like",
  inputs: ["data", "collapse_type"],
  attrs: {},
  pattern: "commReduce",
  type: ({ data, collapse_type: like }, _, t) => {
    const cx = asker(t, "collapse_sum_like");
    const type = tensorArg(cx, "data", data);
    const other = tensorArg(cx, "collapse_type", like);
    if (type === null || other === null) return null;
    const together = broadcastDims(other.shape, type.shape);
    if (together !== null && shapesMatch(cx, together, type.shape))
      return tensorType(other.shape, type.dtype);
    return t.error("RS2103", "collapse_sum_like: argument `data` cannot be summed down to the shape", {
      expected: `a shape that broadcasts to ${printType(type)}`,
      got: printType(other),
    });
  },
  compute: ({ data, collapse_type: like }, _, cx) => collapseSum(data, like.shape, cx.origin),
  shapeFunc: shapeOfArgument(1),
  schedule: reduceRecipe,
  doc: "Sums the first tensor over the dimensions that broadcasting the second to its shape would repeat; the result has the second's shape.",
  examples: [{ name: "column", args: ["Tensor[(2, 3, 4), float32]", "Tensor[(3, 1), float32]"] }],
});
