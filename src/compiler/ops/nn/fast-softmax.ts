// Softmax with an approximated exponential; FastMath puts it in.  TVM: src/relay/op/nn/nn.cc
// (nn.fast_softmax)
import { int } from "../../ir/attrs.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { fastExp } from "../../topi/fast-math.ts";
import { softmax as softmaxCompute } from "../../topi/softmax.ts";
import { softmax as softmaxRecipe } from "../../recipes/softmax.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { axisIndex, softmaxRelation } from "./softmax-types.ts";

export const fastSoftmax = defineOp({
  name: "nn.fast_softmax",
  inputs: ["data"],
  attrs: { axis: int({ default: -1, doc: "Axis along which the results add up to 1." }) },
  attrsKey: "relay.attrs.SoftmaxAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, { axis }, t) => softmaxRelation("nn.fast_softmax", data, axis, t),
  compute: ({ data }, { axis }, cx) =>
    softmaxCompute(data, axisIndex(axis, data.shape.length), cx.origin, (delta) =>
      elementwise(delta, "T_fast_exp", cx.origin, fastExp),
    ),
  shapeFunc: sameShape,
  schedule: softmaxRecipe,
  doc: "nn.softmax with fast_exp in place of exp.",
  examples: [{ name: "last axis", args: ["Tensor[(2, 5), float32]"] }],
});
