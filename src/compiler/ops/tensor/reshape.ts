// The same elements in another shape.  TVM: src/relay/op/tensor/transform.cc (ReshapeRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { reshape as reshapeCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { reshapeShape } from "../_shape-funcs/reshape.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { newShape } from "./reshape-types.ts";

export const reshape = defineOp({
  name: "reshape",
  inputs: ["data"],
  attrs: { newshape: ints({ doc: "The new shape; 0, -1, -2, -3 and -4 have meanings of their own." }) },
  attrsKey: "relay.attrs.ReshapeAttrs",
  pattern: "injective",
  type: ({ data }, { newshape }, t) => {
    const cx = asker(t, "reshape");
    const type = tensorArg(cx, "data", data);
    const wanted = requiredAttr(cx, "newshape", newshape);
    if (type === null || wanted === null) return null;
    const shape = newShape(cx, type.shape, wanted.map(Number));
    return shape === null ? null : tensorType(shape, type.dtype);
  },
  compute: ({ data }, _, cx) => reshapeCompute(data, outExtents(cx), cx.origin),
  flags: { reshapeOnly: true },
  shapeFunc: reshapeShape,
  schedule: injectiveRecipe,
  doc: "The same elements in row-major order under a new shape. In it 0 keeps a dimension, -1 is what is left, -2 keeps all that remain, -3 joins two, -4 splits one into the next two numbers.",
  examples: [
    { name: "plain", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [4, 6] } },
    { name: "inferred", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [0, -1] } },
    { name: "joined", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [-3, -2] } },
    { name: "split", args: ["Tensor[(2, 6, 4), float32]"], attrs: { newshape: [0, -4, -1, 3, -2] } },
    { name: "to a scalar", args: ["Tensor[(1, 1), float32]"], attrs: { newshape: [] } },
  ],
});
