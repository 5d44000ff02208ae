// A tensor summed down to a shape; SimplifyExpr makes it of collapse_sum_like.
// TVM: src/relay/op/tensor/transform.cc (CollapseSumToRel)
import { printType, tensorType } from "../../ir/type.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { collapseSum } from "../../topi/reduction.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { bareInitSchema } from "../tensor/init-op.ts";
import {
  asker,
  broadcastDims,
  checkRank,
  requiredAttr,
  shapesMatch,
  tensorArg,
} from "../_shared/type-helpers.ts";

export const collapseSumTo = defineOp({
  name: "collapse_sum_to",
  inputs: ["data", "shape"],
  attrs: bareInitSchema,
  attrsKey: "relay.attrs.InitOpAttrs",
  pattern: "commReduce",
  type: ({ data, shape }, attrs, t) => {
    const cx = asker(t, "collapse_sum_to");
    const type = tensorArg(cx, "data", data);
    const extents = tensorArg(cx, "shape", shape);
    const wanted = requiredAttr(cx, "shape", attrs.shape);
    if (type === null || extents === null || wanted === null || !checkRank(cx, "shape", extents, [1]))
      return null;
    const dims = wanted.map(Number);
    const together = broadcastDims(dims, type.shape);
    if (together !== null && shapesMatch(cx, together, type.shape)) return tensorType(dims, type.dtype);
    return t.error("RS2103", "collapse_sum_to: argument `data` cannot be summed down to the shape", {
      expected: `a shape that broadcasts to ${printType(type)}`,
      got: `[${dims.join(", ")}]`,
    });
  },
  compute: ({ data }, _, cx) => collapseSum(data, outExtents(cx), cx.origin),
  schedule: reduceRecipe,
  flags: { attrsInMeta: true },
  doc: "Sums data over the dimensions that broadcasting the shape to data's would repeat; the attribute `shape` repeats the second argument.",
  examples: [
    { name: "column", args: ["Tensor[(2, 3, 4), float32]", "Tensor[(2), int32]"], attrs: { shape: [3, 1] } },
  ],
});
