// Normalisations.  TVM: python/tvm/relay/frontend/onnx.py (BatchNorm, InstanceNorm, LRN)
import { bool, float32 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, divide, expandDims, multiply, number, reduce, scaled, sqrt, subtract } from "../arithmetic.ts";
import { field, rankOf, refuse, shapeOf, single } from "../../import-node.ts";
import {
  axisIn,
  call,
  cast,
  dtypeOf,
  elementOf,
  float,
  input,
  int,
  intsOf,
  ints,
  known,
  optional,
  type Importer,
  type OnnxNode,
  type Value,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { numbersOf } from "../../values.ts";

/**
 * By attribute from opset 14 on, and before 7, where one with several outputs trains unless it says is_test.
 */
function trains(n: OnnxNode): boolean {
  if (n.opset >= 14) return int(n, "training_mode", 0) !== 0;
  return n.opset < 7 && int(n, "is_test", 0) === 0 && n.proto.output.filter((name) => name !== "").length > 1;
}

const batchNorm: Importer = (n) => {
  const inputs = [input(n, 0), input(n, 1), input(n, 2), input(n, 3), input(n, 4)] as const;
  if (trains(n)) return batchNormTraining(n, inputs);
  // The other outputs belong to training; nothing reads them in inference.
  return field(n, call(n, "nn.batch_norm", inputs, { axis: 1, epsilon: float(n, "epsilon", 1e-5) }), 0);
};

/** Statistics of this batch normalise it, and move the running ones. */
function batchNormTraining(
  n: OnnxNode,
  [x, gamma, beta, mean, variance]: readonly [Expr, Expr, Expr, Expr, Expr],
): readonly Expr[] {
  const rank = rankOf(n, x);
  const axes = Array.from({ length: rank }, (_, i) => i).filter((i) => i !== 1);
  const channel = (v: Expr): Expr => expandDims(n, v, 1, rank - 2);
  const own = reduce(n, "mean", x, axes, false);
  const centred = subtract(n, x, channel(own));
  const spread = reduce(n, "mean", multiply(n, centred, centred), axes, false);
  const normal = divide(
    n,
    centred,
    sqrt(n, add(n, channel(spread), number(n, float(n, "epsilon", 1e-5), x))),
  );
  const momentum = float(n, "momentum", 0.9);
  const moved = (old: Expr, now: Expr): Expr =>
    add(n, scaled(n, old, momentum), scaled(n, now, 1 - momentum));
  return [
    add(n, multiply(n, normal, channel(gamma)), channel(beta)),
    moved(mean, own),
    moved(variance, spread),
  ];
}

const instanceNorm: Importer = (n) =>
  call(n, "nn.instance_norm", [input(n, 0), input(n, 1), input(n, 2)], {
    axis: 1,
    epsilon: float(n, "epsilon", 1e-5),
  });

/** Statistics in stash_type over the axes from `axis` on; mean and inverse deviation are outputs too. */
const layerNorm: Importer = (n) => {
  const x = input(n, 0);
  const rank = rankOf(n, x);
  const axis = axisIn(n, int(n, "axis", -1), rank);
  const axes = Array.from({ length: rank - axis }, (_, i) => axis + i);
  const stash = cast(n, x, elementOf(n, "stash_type", float32));
  const mean = reduce(n, "mean", stash, axes, true);
  const centred = subtract(n, stash, mean);
  const variance = reduce(n, "mean", multiply(n, centred, centred), axes, true);
  const inverse = divide(
    n,
    number(n, 1, stash),
    sqrt(n, add(n, variance, number(n, float(n, "epsilon", 1e-5), stash))),
  );
  const normal = cast(n, multiply(n, centred, inverse), dtypeOf(n, x));
  const scale = multiply(n, normal, input(n, 1));
  const bias = optional(n, 2);
  return [bias === null ? scale : add(n, scale, bias), mean, inverse];
};

/** Each group of channels has its own mean and variance. */
const groupNorm: Importer = (n) => {
  const x = input(n, 0);
  const [scale, bias] = [input(n, 1), input(n, 2)];
  if (shapeOf(n, scale)[0] !== shapeOf(n, x)[1])
    return refuse(n, "scale and bias need one element a channel, as from opset 21 on", {
      expected: `${shapeOf(n, x)[1]} elements`,
      got: String(shapeOf(n, scale)[0]),
    });
  return call(n, "nn.group_norm", [x, scale, bias], {
    num_groups: int(n, "num_groups", 1),
    axis: 1,
    epsilon: float(n, "epsilon", 1e-5),
  });
};

const lrn: Importer = (n) => {
  const attrs = {
    size: int(n, "size", 5),
    axis: 1,
    alpha: float(n, "alpha", 0.0001),
    beta: float(n, "beta", 0.75),
    bias: float(n, "bias", 1),
  };
  return call(n, "nn.lrn", [input(n, 0)], attrs);
};

const lpNorm: Importer = (n) => {
  const x = input(n, 0);
  const axis = axisIn(n, int(n, "axis", -1), rankOf(n, x));
  const length =
    int(n, "p", 2) === 1
      ? reduce(n, "sum", call(n, "abs", [x]), [axis], true)
      : sqrt(n, reduce(n, "sum", multiply(n, x, x), [axis], true));
  return divide(n, x, length);
};

/** (x - mean) / (deviation + 1e-9). */
const meanVariance: Importer = (n) => {
  const x = input(n, 0);
  const axes = ints(n, "axes") ?? [0, 2, 3];
  const mean = reduce(n, "mean", x, axes, true);
  const squares = reduce(n, "mean", multiply(n, x, x), axes, true);
  const deviation = sqrt(n, subtract(n, squares, multiply(n, mean, mean)));
  return divide(n, subtract(n, x, mean), add(n, deviation, number(n, 1e-9, x)));
};

/** The same at inference; with training_mode the dropped elements are random, which no compiler can know. */
const dropout: Importer = (n) => {
  const x = input(n, 0);
  const training = optional(n, 2);
  const ratio = optional(n, 1);
  const drops = training !== null && intsOf(n, training, "training_mode")[0] !== 0;
  const given = ratio === null ? null : known(n, ratio);
  const rate = given === null ? 0.5 : single(n, numbersOf(given), "the ratio");
  if (drops && rate !== 0)
    return refuse(n, "dropout in training mode drops elements at random", {
      expected: "training_mode false, or a ratio of 0",
      got: `a ratio of ${rate}`,
    });
  const mask = (): Value =>
    call(n, "ones", [], { shape: shapeOf(n, x), dtype: n.opset >= 10 ? bool.name : dtypeOf(n, x).name });
  return (n.proto.output[1] ?? "") === "" ? x : [x, mask()];
};

export const normOps: readonly OnnxOp[] = [
  onnxOp("BatchNormalization", batchNorm),
  onnxOp("InstanceNormalization", instanceNorm),
  // Of opset 17, but optimisers write it into older ones, and ONNX Runtime takes it there.
  onnxOp("LayerNormalization", layerNorm),
  onnxOp("GroupNormalization", groupNorm),
  onnxOp("LRN", lrn),
  onnxOp("LpNormalization", lpNorm),
  onnxOp("MeanVarianceNormalization", meanVariance),
  onnxOp("Dropout", dropout, { values: [1, 2] }),
];
