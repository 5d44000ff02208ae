// broadcast_to with a shape given as a tensor; with a constant it becomes broadcast_to.
// TVM: src/relay/op/dyn/tensor/transform.cc (BroadCastToRel)
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { compute } from "../../te/compute.ts";
import { broadcastAt } from "../../topi/indexing.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynBroadcastTo = defineOp({
  name: "dyn.broadcast_to",
  inputs: ["data", "shape"],
  attrs: {},
  pattern: "broadcast",
  type: ({ data, shape }, _, t) => {
    const cx = asker(t, "dyn.broadcast_to");
    const type = tensorArg(cx, "data", data);
    const rank = vectorLength(cx, "shape", shape);
    if (type === null || rank === null) return null;
    if (rank >= type.shape.length) return tensorType(dynamicDims(rank), type.dtype);
    return t.error("RS2103", "dyn.broadcast_to: argument `data` cannot be broadcast to the shape", {
      expected: `at least ${type.shape.length} elements of \`shape\`, one an axis of the data`,
      got: String(rank),
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
  shapeFunc: shapeArgument(1, 2),
  schedule: injectiveRecipe,
  toStatic: staticTwin("broadcast_to", {
    args: ["data"],
    constants: ["shape"],
    attrs: ({ shape }) => ({ shape }),
  }),
  doc: "broadcast_to with the shape as the second argument.",
  examples: [
    {
      name: "row",
      args: ["Tensor[(3), float32]", "Tensor[(2), int64]"],
      values: { 1: [2, 3] },
      results: ["Tensor[(2, 3), float32]"],
    },
  ],
});
