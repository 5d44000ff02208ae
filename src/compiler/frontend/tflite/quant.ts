// Scales and zero points of tensors as Relay, conversions between them, and activations that are fused into
// operators.
// TVM: python/tvm/relay/frontend/tflite.py (quantize, dequantize, convert_qnn_fused_activation_function)
import { float32, int16, int32, int64, type DType } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import type { Expr } from "../../relay/expr.ts";
import { constantOf, refuse, scalarOf, typeOf } from "../import-node.ts";
import { centredWide, isByte, roundsAsTflite, scaledTwice } from "./double-rounding.ts";
import { call, dtypeOf, exprOf, input, output, type TfNode } from "./graph.ts";
import type { Quant, TfTensor } from "./model.ts";

/** Names of the fused activations by number.  Source: schema.fbs (ActivationFunctionType) */
const activations = ["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"] as const;
export type Activation = (typeof activations)[number];

export function activationOf(n: TfNode, code: number): Activation {
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

function scaleConstant(n: TfNode, scale: Float32Array): Expr {
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
  if (isWide(n, to)) return quantizeWide(n, expr, to);
  return call(n, "qnn.quantize", [expr, scaleOf(n, to), zeroPointOf(n, to)], {
    out_dtype: dtypeOf(n, to).name,
  });
}

export function dequantize(n: TfNode, expr: Expr, from: TfTensor): Expr {
  if (isWide(n, from)) return dequantizeWide(n, expr, from);
  const quant = quantOf(n, from);
  return call(
    n,
    "qnn.dequantize",
    [expr, scaleOf(n, from), zeroPointOf(n, from)],
    quant.scale.length === 1 ? {} : { axis: quant.axis },
  );
}

export function requantize(n: TfNode, expr: Expr, from: TfTensor, to: TfTensor): Expr {
  if (roundsAsTflite(n) && isByte(dtypeOf(n, to)) && isByte(dtypeOf(n, from)))
    return rescaledTwice(n, expr, { from, to, factor: scaleValue(n, from) / scaleValue(n, to) });
  if (isWide(n, from) || isWide(n, to))
    return sameQuant(n, from, to) && dtypeOf(n, from) === dtypeOf(n, to)
      ? asStored(n, expr, to)
      : quantize(n, dequantize(n, expr, from), to);
  return call(
    n,
    "qnn.requantize",
    [expr, scaleOf(n, from), zeroPointOf(n, from), scaleOf(n, to), zeroPointOf(n, to)],
    { out_dtype: dtypeOf(n, to).name },
  );
}

/** Integers of `from` times `factor` in the output's dtype, rounded as TFLite does. */
export function rescaledTwice(
  n: TfNode,
  expr: Expr,
  how: { readonly from: TfTensor; readonly to: TfTensor; readonly factor: number },
): Expr {
  return storedInts(
    n,
    scaledTwice(n, centredWide(n, expr, zeroPointValue(n, how.from)), [how.factor]),
    how.to,
  );
}

/** int64 numbers in the output's scale, without its zero point, as it stores them. */
export function storedInts(n: TfNode, expr: Expr, to: TfTensor): Expr {
  return asStored(n, addZeroPoint(n, expr, int64, to), to);
}

/**
 * Sums of products, whose zero point is 0, in the output's scale. `scale` is one number, or one for each of
 * the channels, which lie along `axis` (null: the last). int64 sums are scaled as TFLite does it: a 15-bit
 * multiplier, then a shift that rounds halves up. Source: tensorflow/lite/kernels/internal/common.cc
 * (MultiplyByQuantizedMultiplier of int64)
 */
export function rescaled(
  n: TfNode,
  expr: Expr,
  scale: readonly number[],
  to: TfTensor,
  axis: number | null,
): Expr {
  if (roundsAsTflite(n) && isByte(dtypeOf(n, to))) {
    const factors = scale.map((value) => value / scaleValue(n, to));
    return storedInts(n, scaledTwice(n, expr, factors), to);
  }
  if (typeOf(n, expr).dtype !== int64)
    return call(
      n,
      "qnn.requantize",
      [
        expr,
        scaleConstant(n, Float32Array.from(scale)),
        scalarOf(n, int32, 0),
        scaleOf(n, to),
        zeroPointOf(n, to),
      ],
      { out_dtype: dtypeOf(n, to).name, ...(axis === null ? {} : { axis }) },
    );
  const factors = scale.map((value) => fixedPoint(n, value / scaleValue(n, to)));
  const vector = (value: (factor: FixedPoint) => bigint): Expr =>
    constantOf(
      n,
      tensorData(int64, factors.length === 1 ? [] : [factors.length], BigInt64Array.from(factors, value)),
    );
  const product = call(n, "add", [
    call(n, "multiply", [expr, vector(({ multiplier }) => BigInt(multiplier))]),
    vector(({ shift }) => 1n << BigInt(shift - 1)),
  ]);
  const shifted = call(n, "right_shift", [product, vector(({ shift }) => BigInt(shift))]);
  return storedInts(n, shifted, to);
}

interface FixedPoint {
  readonly multiplier: number;
  /** To the right, after the product. */
  readonly shift: number;
}

/** `value` as multiplier / 2^shift with a multiplier of 15 bits. */
function fixedPoint(n: TfNode, value: number): FixedPoint {
  if (!(value > 0)) return { multiplier: 0, shift: 1 };
  let exponent = Math.floor(Math.log2(value)) + 1;
  let part = value / 2 ** exponent;
  if (part >= 1) [part, exponent] = [part / 2, exponent + 1];
  const whole = Math.round(part * 2 ** 31);
  const [fixed, power] = whole === 2 ** 31 ? [2 ** 30, exponent + 1] : [whole, exponent];
  if (power < -31) return { multiplier: 0, shift: 1 };
  if (power > 14)
    return refuse(n, "the scale of its output is too small beside those of its inputs", {
      expected: "a factor below 16384",
      got: String(value),
    });
  const multiplier = fixed < 0x7fff0000 ? Math.floor((fixed + (1 << 15)) / 65536) : 0x7fff;
  return { multiplier, shift: 15 - power };
}

/** Integers of 16 bits, which TVM's quantised operators do not take: their arithmetic is spelled out. */
export function isWide(n: TfNode, tensor: TfTensor): boolean {
  return tensor.quant !== null && dtypeOf(n, tensor) === int16;
}

function quantizeWide(n: TfNode, expr: Expr, to: TfTensor): Expr {
  const steps = call(n, "round", [call(n, "divide", [expr, scaleOf(n, to)])]);
  return asStored(n, addZeroPoint(n, steps, float32, to), to);
}

function dequantizeWide(n: TfNode, expr: Expr, from: TfTensor): Expr {
  const zero = zeroPointValue(n, from);
  const steps = call(n, "cast", [expr], { dtype: float32.name });
  const centred = zero === 0 ? steps : call(n, "subtract", [steps, scalarOf(n, float32, zero)]);
  return call(n, "multiply", [centred, scaleOf(n, from)]);
}

function addZeroPoint(n: TfNode, expr: Expr, dtype: DType, to: TfTensor): Expr {
  const zero = zeroPointValue(n, to);
  return zero === 0 ? expr : call(n, "add", [expr, scalarOf(n, dtype, zero)]);
}

/** Numbers held in the range of the output's dtype. */
function asStored(n: TfNode, expr: Expr, to: TfTensor): Expr {
  const dtype = dtypeOf(n, to);
  if (typeOf(n, expr).dtype === dtype) return expr;
  const [low, high] = rangeOf(dtype);
  return call(n, "cast", [call(n, "clip", [expr], { a_min: low, a_max: high })], { dtype: dtype.name });
}

function rangeOf(dtype: DType): readonly [number, number] {
  return dtype.code === "int"
    ? [-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1]
    : [0, 2 ** dtype.bits - 1];
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
  const [low, high] = rangeOf(dtype);
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
