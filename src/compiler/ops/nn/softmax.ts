// Exponentials divided by their sum along one axis, in four stages.  TVM: src/relay/op/nn/nn.cc (nn.softmax)
import { softmax as softmaxCompute } from "../../topi/softmax.ts";
import { defineSoftmax } from "./softmax-op.ts";

export const softmax = defineSoftmax({
  name: "nn.softmax",
  compute: (data, axis, origin) => softmaxCompute(data, axis, origin),
  doc: "exp(x - max) divided by the sum of the same along `axis`, so that the results are positive and add up to 1.",
  examples: [
    { name: "last axis", args: ["Tensor[(2, 10), float32]"] },
    { name: "channels", args: ["Tensor[(1, 3, 2, 2), float32]"], attrs: { axis: 1 } },
  ],
});
