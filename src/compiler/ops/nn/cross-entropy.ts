// Cross entropy of probabilities.  TVM: src/relay/op/nn/nn.cc (CrossEntropyRel),
// python/tvm/relay/op/nn/_nn.py
import { crossEntropyCompute, crossEntropyRelation } from "./cross-entropy-op.ts";
import { mul, unary } from "../../tir/build.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { defineOp } from "../define.ts";

export const crossEntropy = defineOp({
  name: "nn.cross_entropy",
  inputs: ["x", "y"],
  attrs: {},
  pattern: "opaque",
  type: ({ x, y }, _, t) => crossEntropyRelation("nn.cross_entropy", x, y, t),
  compute: ({ x, y }, _, cx) =>
    crossEntropyCompute(x, cx.origin, ([i, j]) => mul(unary("tir.log", x.at(i!, j!)), y.at(i!, j!))),
  schedule: reduceRecipe,
  doc: "Minus the average over the batch of the sum of log(x) * y: predictions x are probabilities.",
  examples: [{ name: "batch", args: ["Tensor[(2, 5), float32]", "Tensor[(2, 5), float32]"] }],
});
