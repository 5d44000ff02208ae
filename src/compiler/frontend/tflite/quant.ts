// Scales and zero points of tensors as Relay, conversions between them, and activations that are fused into operators.
// TVM: python/tvm/relay/frontend/tflite.py (quantize, dequantize, convert_qnn_fused_activation_function)
import { float32, int32 } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import type { Expr } from "../../relay/expr.ts";
import { constantOf, refuse, scalarOf } from "../import-node.ts";
import { call, dtypeOf, exprOf, input, output, type TfNode } from "./graph.ts";
import type { Quant, TfTensor } from "./model.ts";

/** Names of the fused activations by number.  Source: schema.fbs (ActivationFunctionType) */
const activations = ["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"] as const;
export type Activation = (typeof activations)[number];

function activationOf(n: TfNode, code: number): Activation {
  return (
    activations[code] ??
    refuse(n, "its fused activation is not known", { expected: activations.join(", "), got: String(code) })
  );
}

export function quantOf(n: TfNode, tensor: TfTensor): Quant {
  return (
    tensor.quant ??
    refuse(n, `the tensor "${tensor.name}" has no scale`, {
      expected: "a quantised tensor, as the others of this operator",
    })
  );
}

/** The scale as a constant: a scalar, or a vector of one per channel. */
export function scaleOf(n: TfNode, tensor: TfTensor): Expr {
  const { scale } = quantOf(n, tensor);
  return scaleConstant(n, scale);
}

export function scaleConstant(n: TfNode, scale: Float32Array): Expr {
  const [first] = scale;
  return first !== undefined && scale.length === 1
    ? scalarOf(n, float32, first)
    : constantOf(n, tensorData(float32, [scale.length], scale));
}

/** The zero point as a constant scalar. Those of channels are all 0, as TFLite's specification asks. */
export function zeroPointOf(n: TfNode, tensor: TfTensor): Expr {
  return scalarOf(n, int32, zeroPointValue(n, tensor));
}

export function zeroPointValue(n: TfNode, tensor: TfTensor): number {
  const { zeroPoint } = quantOf(n, tensor);
  const [first = 0, ...others] = zeroPoint;
  if (others.every((value) => value === first)) return first;
  return refuse(n, `the channels of "${tensor.name}" have different zero points`, {
    expected: "0 for every channel",
    got: `[${zeroPoint.slice(0, 5).join(", ")}…]`,
  });
}

/** One scale for the whole tensor. */
export function scaleValue(n: TfNode, tensor: TfTensor): number {
  const { scale } = quantOf(n, tensor);
  const [first] = scale;
  return first !== undefined && scale.length === 1
    ? first
    : refuse(n, `the tensor "${tensor.name}" has a scale a channel`, {
        expected: "one scale",
        got: `${scale.length} scales`,
      });
}

/** Equal within the tolerance that TVM allows. */
export function sameQuant(n: TfNode, a: TfTensor, b: TfTensor): boolean {
  const close = (x: number, y: number): boolean => Math.abs(x - y) <= 1e-5 + 1e-5 * Math.abs(y);
  return close(scaleValue(n, a), scaleValue(n, b)) && close(zeroPointValue(n, a), zeroPointValue(n, b));
}

export function requireSameQuant(n: TfNode, [first, ...others]: readonly [TfTensor, ...TfTensor[]]): void {
  const other = others.find((tensor) => !sameQuant(n, first, tensor));
  if (other === undefined) return;
  refuse(n, "its tensors must have one scale and zero point", {
    expected: `those of "${first.name}"`,
    got: `others for "${other.name}"`,
  });
}

export function quantize(n: TfNode, expr: Expr, to: TfTensor): Expr {
  return call(n, "qnn.quantize", [expr, scaleOf(n, to), zeroPointOf(n, to)], {
    out_dtype: dtypeOf(n, to).name,
  });
}

export function dequantize(n: TfNode, expr: Expr, from: TfTensor): Expr {
  const quant = quantOf(n, from);
  return call(
    n,
    "qnn.dequantize",
    [expr, scaleOf(n, from), zeroPointOf(n, from)],
    quant.scale.length === 1 ? {} : { axis: quant.axis },
  );
}

export function requantize(n: TfNode, expr: Expr, from: TfTensor, to: TfTensor): Expr {
  return call(
    n,
    "qnn.requantize",
    [expr, scaleOf(n, from), zeroPointOf(n, from), scaleOf(n, to), zeroPointOf(n, to)],
    { out_dtype: dtypeOf(n, to).name },
  );
}

/** Input `index` in floats, whatever it is stored as. */
export function realInput(n: TfNode, index: number): Expr {
  const tensor = input(n, index);
  const expr = exprOf(n, tensor);
  return tensor.quant === null ? expr : dequantize(n, expr, tensor);
}

/** A float result as the output stores it. */
export function stored(n: TfNode, expr: Expr): Expr {
  const to = output(n);
  return to.quant === null ? expr : quantize(n, expr, to);
}

/** f of input 0 in floats: around it the conversions that quantised tensors need. */
export function inFloats(n: TfNode, f: (x: Expr) => Expr): Expr {
  return stored(n, f(realInput(n, 0)));
}

/** The activation of float results. */
export function activated(n: TfNode, expr: Expr, activation: Activation): Expr {
  switch (activation) {
    case "NONE":
      return expr;
    case "RELU":
      return call(n, "nn.relu", [expr]);
    case "RELU6":
      return call(n, "clip", [expr], { a_min: 0, a_max: 6 });
    case "RELU_N1_TO_1":
      return call(n, "clip", [expr], { a_min: -1, a_max: 1 });
    case "TANH":
      return call(n, "tanh", [expr]);
    case "SIGN_BIT":
      return refuse(n, "the fused activation SIGN_BIT is not supported");
  }
}

/** The activation of integers with `params`' scale and zero point, held in the range of `like`'s dtype. */
export function activatedQuantised(
  n: TfNode,
  expr: Expr,
  activation: Activation,
  params: TfTensor,
  like: TfTensor = params,
): Expr {
  if (activation === "NONE") return expr;
  const [scale, zeroPoint] = [scaleValue(n, params), zeroPointValue(n, params)];
  const dtype = dtypeOf(n, like);
  const low = dtype.code === "int" ? -(2 ** (dtype.bits - 1)) : 0;
  const high = 2 ** (dtype.code === "int" ? dtype.bits - 1 : dtype.bits) - 1;
  const step = (value: number): number => roundHalfToEven(value / scale) + zeroPoint;
  switch (activation) {
    case "RELU":
      return call(n, "clip", [expr], { a_min: Math.max(low, step(0)), a_max: high });
    case "RELU6":
      return call(n, "clip", [expr], { a_min: Math.max(low, step(0)), a_max: Math.min(high, step(6)) });
    case "RELU_N1_TO_1":
      return call(n, "clip", [expr], { a_min: Math.max(low, step(-1)), a_max: Math.min(high, step(1)) });
    case "TANH":
    case "SIGN_BIT":
      return refuse(n, `the fused activation ${activation} is not supported on quantised tensors`);
  }
}

/** The activation in whichever way the output asks. */
export function withActivation(n: TfNode, expr: Expr, code: number): Expr {
  const activation = activationOf(n, code);
  const to = output(n);
  return to.quant === null ? activated(n, expr, activation) : activatedQuantised(n, expr, activation, to);
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}
