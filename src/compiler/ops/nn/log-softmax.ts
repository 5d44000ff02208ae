// Logarithm of softmax, along any axis of any rank (TVM: rank 2, last axis).  TVM: src/relay/op/nn/nn.cc
// (nn.log_softmax)
import { int } from "../../ir/attrs.ts";
import { logSoftmax as logSoftmaxCompute } from "../../topi/softmax.ts";
import { softmax as softmaxRecipe } from "../../recipes/softmax.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { axisIndex, softmaxRelation } from "./softmax-types.ts";

export const logSoftmax = defineOp({
  name: "nn.log_softmax",
  inputs: ["data"],
  attrs: { axis: int({ default: -1, doc: "Axis along which the exponentials are summed." }) },
  attrsKey: "relay.attrs.SoftmaxAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, { axis }, t) => softmaxRelation("nn.log_softmax", data, axis, t),
  compute: ({ data }, { axis }, cx) => logSoftmaxCompute(data, axisIndex(axis, data.shape.length), cx.origin),
  shapeFunc: sameShape,
  schedule: softmaxRecipe,
  doc: "x - max - log(sum of exp(x - max)) along `axis`: the logarithm of softmax.",
  examples: [
    { name: "last axis", args: ["Tensor[(2, 5), float32]"] },
    { name: "channels", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: 1 } },
  ],
});
