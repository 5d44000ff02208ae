// reshape to a shape given as a tensor; with a constant it becomes reshape.
// TVM: src/relay/op/dyn/tensor/transform.cc (ReshapeRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { reshape } from "../../topi/transform.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { dynReshapeShape } from "../_shape-funcs/reshape.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynReshape = defineOp({
  name: "dyn.reshape",
  inputs: ["data", "newshape"],
  attrs: { newshape: ints({ doc: "Not used." }) },
  attrsKey: "relay.attrs.ReshapeAttrs",
  pattern: "injective",
  type: ({ data, newshape }, _, t) => {
    const cx = asker(t, "dyn.reshape");
    const type = tensorArg(cx, "data", data);
    const rank = vectorLength(cx, "newshape", newshape);
    return type === null || rank === null ? null : tensorType(dynamicDims(rank), type.dtype);
  },
  compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
  shapeFunc: dynReshapeShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("reshape", {
    args: ["data"],
    constants: ["newshape"],
    attrs: ({ newshape }) => ({ newshape }),
  }),
  flags: { reshapeOnly: true },
  doc: "reshape with the new shape as the second argument.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 6), float32]", "Tensor[(2), int64]"],
      values: { 1: [-1, 4] },
      results: ["Tensor[(3, 4), float32]"],
    },
  ],
});
