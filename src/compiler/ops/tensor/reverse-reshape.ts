// Reshape whose special values count dimensions from the end.  TVM: src/relay/op/tensor/transform.cc
// (ReverseReshapeRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { reshape } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { reverseReshapeShape } from "../_shape-funcs/reshape.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { newShape } from "./reshape-types.ts";

export const reverseReshape = defineOp({
  name: "contrib_reverse_reshape",
  inputs: ["data"],
  attrs: { newshape: ints({ doc: "The new shape, read from its end." }) },
  attrsKey: "relay.attrs.ReshapeAttrs",
  pattern: "injective",
  type: ({ data }, { newshape }, t) => {
    const cx = asker(t, "contrib_reverse_reshape");
    const type = tensorArg(cx, "data", data);
    const wanted = requiredAttr(cx, "newshape", newshape);
    if (type === null || wanted === null) return null;
    const shape = newShape(cx, type.shape.toReversed(), wanted.map(Number).toReversed());
    return shape === null ? null : tensorType(shape.toReversed(), type.dtype);
  },
  compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
  flags: { reshapeOnly: true },
  shapeFunc: reverseReshapeShape,
  schedule: injectiveRecipe,
  doc: "Like reshape, but special values of the new shape are matched with the dimensions of data from the last to the first.",
  examples: [{ name: "last kept", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [-1, 0] } }],
});
