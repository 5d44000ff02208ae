// Logarithm of softmax, along any axis of any rank (TVM: rank 2, last axis).  TVM: src/relay/op/nn/nn.cc
// (nn.log_softmax)
import { logSoftmax as logSoftmaxCompute } from "../../topi/softmax.ts";
import { defineSoftmax } from "./softmax-op.ts";

export const logSoftmax = defineSoftmax({
  name: "nn.log_softmax",
  axisDoc: "Axis along which the exponentials are summed.",
  compute: logSoftmaxCompute,
  doc: "x - max - log(sum of exp(x - max)) along `axis`: the logarithm of softmax.",
  examples: [
    { name: "last axis", args: ["Tensor[(2, 5), float32]"] },
    { name: "channels", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: 1 } },
  ],
});
