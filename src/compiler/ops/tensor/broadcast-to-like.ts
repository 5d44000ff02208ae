// A tensor broadcast to the shape of another.  TVM: src/relay/op/tensor/transform.cc (BroadCastToLikeRel)
import { printType, tensorType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { broadcastAt } from "../../topi/indexing.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { shapeOfArgument } from "../_shape-funcs/same.ts";
import { asker, broadcastDims, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export const broadcastToLike = defineOp({
  name: "broadcast_to_like",
  inputs: ["data", "broadcast_type"],
  attrs: {},
  pattern: "broadcast",
  type: ({ data, broadcast_type: like }, _, t) => {
    const cx = asker(t, "broadcast_to_like");
    const type = tensorArg(cx, "data", data);
    const other = tensorArg(cx, "broadcast_type", like);
    if (type === null || other === null) return null;
    const together = broadcastDims(type.shape, other.shape);
    if (together !== null && shapesMatch(cx, together, other.shape))
      return tensorType(other.shape, type.dtype);
    return t.error("RS2103", "broadcast_to_like: argument `data` cannot be broadcast to the shape", {
      expected: `a tensor that broadcasts to ${printType(other)}`,
      got: printType(type),
    });
  },
  compute: ({ data, broadcast_type: like }, _, cx) =>
    compute(like.shape, (indices) => broadcastAt(data, indices, like.shape), {
      name: "T_broadcast_to",
      tag: "broadcast",
      origin: cx.origin,
    }),
  shapeFunc: shapeOfArgument(1),
  schedule: injectiveRecipe,
  doc: "The first tensor broadcast to the shape of the second.",
  examples: [{ name: "column", args: ["Tensor[(3, 1), float32]", "Tensor[(2, 3, 4), int8]"] }],
});
