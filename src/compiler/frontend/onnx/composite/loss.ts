// Losses.  TVM: src/relay/op/nn/nn.cc (nn.nll_loss); python/tvm/relay/frontend/onnx.py of later versions
import { extentOf } from "../../import-node.ts";
import type { Expr } from "../../../relay/expr.ts";
import { call, dtypeOf, has, input, int, optional, text, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { logSoftmaxOf } from "../ops/reduce.ts";

/** Without ignore_index a class that cannot be is ignored. */
const noClass = -100000;

function negativeLogLikelihood(n: OnnxNode, logProbabilities: Expr): Expr {
  const classes = extentOf(n, logProbabilities, 1);
  const weights =
    optional(n, 2) ?? call(n, "ones", [], { shape: [classes], dtype: dtypeOf(n, logProbabilities).name });
  const ignore_index = has(n, "ignore_index") ? int(n, "ignore_index", 0) : noClass;
  return call(n, "nn.nll_loss", [logProbabilities, input(n, 1), weights], {
    reduction: text(n, "reduction", "mean"),
    ignore_index,
  });
}

const softmaxCrossEntropy: Importer = (n) => {
  const logProbabilities = logSoftmaxOf(n, input(n, 0), [1]);
  return [negativeLogLikelihood(n, logProbabilities), logProbabilities];
};

export const lossOps: readonly OnnxOp[] = [
  onnxOp("NegativeLogLikelihoodLoss", (n) => negativeLogLikelihood(n, input(n, 0))),
  onnxOp("SoftmaxCrossEntropyLoss", softmaxCrossEntropy),
];
