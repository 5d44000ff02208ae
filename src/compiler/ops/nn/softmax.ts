// Exponentials divided by their sum along one axis, in four stages.  TVM: src/relay/op/nn/nn.cc (nn.softmax)
import { int } from "../../ir/attrs.ts";
import { softmax as softmaxCompute } from "../../topi/softmax.ts";
import { softmax as softmaxRecipe } from "../../recipes/softmax.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { axisIndex, softmaxRelation } from "./softmax-types.ts";

export const softmax = defineOp({
  name: "nn.softmax",
  inputs: ["data"],
  attrs: { axis: int({ default: -1, doc: "Axis along which the results add up to 1." }) },
  attrsKey: "relay.attrs.SoftmaxAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, { axis }, t) => softmaxRelation("nn.softmax", data, axis, t),
  compute: ({ data }, { axis }, cx) => softmaxCompute(data, axisIndex(axis, data.shape.length), cx.origin),
  shapeFunc: sameShape,
  schedule: softmaxRecipe,
  doc: "exp(x - max) divided by the sum of the same along `axis`, so that the results are positive and add up to 1.",
  examples: [
    { name: "last axis", args: ["Tensor[(2, 10), float32]"] },
    { name: "channels", args: ["Tensor[(1, 3, 2, 2), float32]"], attrs: { axis: 1 } },
  ],
});
