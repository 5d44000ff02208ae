// A tensor broadcast to a shape.  TVM: src/relay/op/tensor/transform.cc (BroadCastToRel)
import { printType, tensorType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { broadcastAt } from "../../topi/indexing.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { shapeAttribute } from "../_shape-funcs/init.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, broadcastDims, requiredAttr, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";
import { bareInitSchema } from "./init-op.ts";

export const broadcastTo = defineOp({
  name: "broadcast_to",
  inputs: ["data"],
  attrs: bareInitSchema,
  attrsKey: "relay.attrs.InitOpAttrs",
  pattern: "broadcast",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "broadcast_to");
    const type = tensorArg(cx, "data", data);
    const wanted = requiredAttr(cx, "shape", attrs.shape);
    if (type === null || wanted === null) return null;
    const shape = wanted.map(Number);
    const together = broadcastDims(type.shape, shape);
    if (together !== null && shapesMatch(cx, together, shape)) return tensorType(shape, type.dtype);
    return t.error("RS2103", "broadcast_to: argument `data` cannot be broadcast to the shape", {
      expected: "each dimension, counted from the last, equal to that of the shape or 1",
      got: `${printType(type)} and shape=[${shape.join(", ")}]`,
    });
  },
  compute: ({ data }, _, cx) => {
    const shape = outExtents(cx);
    return compute(shape, (indices) => broadcastAt(data, indices, shape), {
      name: "T_broadcast_to",
      tag: "broadcast",
      origin: cx.origin,
    });
  },
  flags: { attrsInMeta: true },
  shapeFunc: shapeAttribute,
  schedule: injectiveRecipe,
  doc: "Repeats dimensions of extent 1, and puts new ones in front, until the tensor has the given shape.",
  examples: [{ name: "matrix to rank 3", args: ["Tensor[(2, 1), float32]"], attrs: { shape: [4, 2, 3] } }],
});
