// Softmax with an approximated exponential; FastMath puts it in.  TVM: src/relay/op/nn/nn.cc
// (nn.fast_softmax)
import { elementwise } from "../../topi/elementwise.ts";
import { fastExp } from "../../topi/fast-math.ts";
import { softmax as softmaxCompute } from "../../topi/softmax.ts";
import { defineSoftmax } from "./softmax-op.ts";

export const fastSoftmax = defineSoftmax({
  name: "nn.fast_softmax",
  compute: (data, axis, origin) =>
    softmaxCompute(data, axis, origin, (delta) => elementwise(delta, "T_fast_exp", origin, fastExp)),
  doc: "nn.softmax with fast_exp in place of exp.",
  examples: [{ name: "last axis", args: ["Tensor[(2, 5), float32]"] }],
});
