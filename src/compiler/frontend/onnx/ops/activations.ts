// Activation functions, written out as TVM writes them.  TVM: python/tvm/relay/frontend/onnx.py (Elu, Selu,
// HardSigmoid, …)
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  clip,
  divide,
  exp,
  greater,
  less,
  log,
  maximum,
  minimum,
  multiply,
  negative,
  number,
  relu,
  scaled,
  subtract,
  tanh,
} from "../arithmetic.ts";
import { call, cast, dtypeOf, float, input, text, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "./op-table.ts";

interface ActivationAttrs {
  readonly alpha: number | null;
  readonly beta: number | null;
}

/** -alpha * relu(1 - exp(x)) + relu(x). */
function elu(n: OnnxNode, x: Expr, alpha: number): Expr {
  return add(
    n,
    multiply(n, number(n, -alpha, x), relu(n, subtract(n, number(n, 1, x), exp(n, x)))),
    relu(n, x),
  );
}

function affine(n: OnnxNode, x: Expr, alpha: number, beta: number): Expr {
  return add(n, scaled(n, x, alpha), number(n, beta, x));
}

const hardSigmoid = (n: OnnxNode, x: Expr, alpha: number, beta: number): Expr =>
  clip(n, affine(n, x, alpha, beta), 0, 1);

/** log(exp(x) + 1) without overflow: max(x, 0) + log(1 + exp(-|x|)). */
const softplus = (n: OnnxNode, x: Expr): Expr =>
  add(n, relu(n, x), log(n, add(n, exp(n, negative(n, call(n, "abs", [x]))), number(n, 1, x))));
const softsign = (n: OnnxNode, x: Expr): Expr => divide(n, x, add(n, number(n, 1, x), call(n, "abs", [x])));
const thresholded = (n: OnnxNode, x: Expr, alpha: number): Expr =>
  multiply(n, x, cast(n, greater(n, x, number(n, alpha, x)), dtypeOf(n, x)));
const leaky = (n: OnnxNode, x: Expr, alpha: number): Expr => call(n, "nn.leaky_relu", [x], { alpha });

/**
 * The activation called `name` inside a recurrent operator, with ONNX's defaults; null for an unknown one.
 */
export function activation(name: string): ((n: OnnxNode, x: Expr, attrs: ActivationAttrs) => Expr) | null {
  switch (name.toLowerCase()) {
    case "relu":
      return relu;
    case "tanh":
      return tanh;
    case "sigmoid":
      return (n, x) => call(n, "sigmoid", [x]);
    case "softsign":
      return softsign;
    case "softplus":
      return softplus;
    case "affine":
      return (n, x, { alpha, beta }) => affine(n, x, alpha ?? 1, beta ?? 0);
    case "leakyrelu":
      return (n, x, { alpha }) => leaky(n, x, alpha ?? 0.01);
    case "thresholdedrelu":
      return (n, x, { alpha }) => thresholded(n, x, alpha ?? 1);
    case "scaledtanh":
      return (n, x, { alpha, beta }) => scaled(n, tanh(n, scaled(n, x, beta ?? 1)), alpha ?? 1);
    case "hardsigmoid":
      return (n, x, { alpha, beta }) => hardSigmoid(n, x, alpha ?? 0.2, beta ?? 0.5);
    case "elu":
      return (n, x, { alpha }) => elu(n, x, alpha ?? 1);
    default:
      return null;
  }
}

const selu: Importer = (n) => {
  const [alpha, gamma] = n.opset < 6 ? [1.6732, 1.0507] : [1.6732632423543772, 1.0507009873554805];
  return scaled(n, elu(n, input(n, 0), float(n, "alpha", alpha)), float(n, "gamma", gamma));
};

const celu: Importer = (n) => {
  const x = input(n, 0);
  const alpha = float(n, "alpha", 1);
  const zero = number(n, 0, x);
  const below = scaled(n, subtract(n, exp(n, divide(n, x, number(n, alpha, x))), number(n, 1, x)), alpha);
  return add(n, maximum(n, zero, x), minimum(n, zero, below));
};

const shrink: Importer = (n) => {
  const x = input(n, 0);
  const [lambd, bias] = [float(n, "lambd", 0.5), float(n, "bias", 0)];
  const none = call(n, "zeros_like", [x]);
  const under = call(n, "where", [less(n, x, number(n, -lambd, x)), add(n, x, number(n, bias, x)), none]);
  const over = call(n, "where", [
    greater(n, x, number(n, lambd, x)),
    subtract(n, x, number(n, bias, x)),
    none,
  ]);
  return add(n, under, over);
};

/** x times the normal distribution's share below x, or its approximation by tanh. */
const gelu: Importer = (n) => {
  const x = input(n, 0);
  const one = number(n, 1, x);
  if (text(n, "approximate", "none") !== "tanh")
    return multiply(n, scaled(n, x, 0.5), add(n, one, call(n, "erf", [scaled(n, x, Math.SQRT1_2)])));
  const cube = multiply(n, multiply(n, x, x), x);
  return multiply(
    n,
    scaled(n, x, 0.5),
    add(n, one, tanh(n, scaled(n, add(n, x, scaled(n, cube, 0.044715)), Math.sqrt(2 / Math.PI)))),
  );
};

const parametricSoftplus: Importer = (n) =>
  scaled(n, softplus(n, scaled(n, input(n, 0), float(n, "beta", 1))), float(n, "alpha", 1));

export const activationOps: readonly OnnxOp[] = [
  onnxOp("LeakyRelu", (n) => leaky(n, input(n, 0), float(n, "alpha", 0.01))),
  onnxOp("Elu", (n) => elu(n, input(n, 0), float(n, "alpha", 1))),
  onnxOp("Selu", selu),
  onnxOp("Celu", celu),
  onnxOp("Shrink", shrink),
  onnxOp("HardSigmoid", (n) => hardSigmoid(n, input(n, 0), float(n, "alpha", 0.2), float(n, "beta", 0.5))),
  onnxOp("HardSwish", (n) => multiply(n, input(n, 0), hardSigmoid(n, input(n, 0), 1 / 6, 0.5))),
  onnxOp("Softplus", (n) => softplus(n, input(n, 0))),
  onnxOp("Mish", (n) => multiply(n, input(n, 0), tanh(n, softplus(n, input(n, 0))))),
  onnxOp("Gelu", gelu),
  onnxOp("Gelu", gelu, { domain: "com.microsoft" }),
  onnxOp("ParametricSoftplus", parametricSoftplus),
  onnxOp("Softsign", (n) => softsign(n, input(n, 0))),
  onnxOp("ThresholdedRelu", (n) => thresholded(n, input(n, 0), float(n, "alpha", 1))),
  onnxOp("ScaledTanh", (n) =>
    scaled(n, tanh(n, scaled(n, input(n, 0), float(n, "beta", 1))), float(n, "alpha", 1)),
  ),
  onnxOp("Affine", (n) => affine(n, input(n, 0), float(n, "alpha", 1), float(n, "beta", 0))),
];
