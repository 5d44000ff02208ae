// Quantised operators as qnn ones.  TVM: python/tvm/relay/frontend/onnx.py (QuantizeLinear, QLinearConv,
// QLinearMatMul, …)
import { float32, int32, uint8, type DType } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  clip,
  concatenate,
  divide,
  expandDims,
  maximum,
  minimum,
  multiply,
  number,
  reduce,
  roundEven,
  squeeze,
  subtract,
} from "../arithmetic.ts";
import { dimsOf, rankOf, refuse, scalarOf, shapeOf, isOfLength, listed } from "../../import-node.ts";
import {
  axisIn,
  call,
  cast,
  dtypeOf,
  elementOf,
  float,
  input,
  int,
  optional,
  reshape,
  transpose,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { convAttrs, oneElement, relayAttrs, type ConvAttrs } from "./conv.ts";
import { dimensioned } from "./window.ts";
import { matmul } from "./matmul.ts";
import { averages } from "./pool.ts";

/** A scale or zero point: vectors of one element are scalars. */
function param(n: OnnxNode, expr: Expr, dtype: DType): Expr {
  const shape = dimsOf(n, expr);
  const plain = shape.length === 1 && shape[0] === 1 ? reshape(n, expr, []) : expr;
  return cast(n, plain, dtype);
}

const scaleAt = (n: OnnxNode, index: number): Expr => param(n, input(n, index), float32);
const zeroAt = (n: OnnxNode, index: number): Expr => {
  const given = optional(n, index);
  return given === null ? scalarOf(n, int32, 0) : param(n, given, int32);
};

/** The channel axis; scalars have none. */
function channelAxis(n: OnnxNode, data: Expr): number {
  const rank = rankOf(n, data);
  return rank < 2 || n.opset < 13 ? 0 : axisIn(n, int(n, "axis", 1), rank);
}

const quantizeTo = (
  n: OnnxNode,
  data: Expr,
  params: readonly [Expr, Expr],
  at: { readonly axis: number; readonly dtype: DType },
): Expr =>
  call(n, "qnn.quantize", [cast(n, data, float32), ...params], { out_dtype: at.dtype.name, axis: at.axis });

const quantizeLinear: Importer = (n) => {
  withoutBlocks(n);
  const zero = optional(n, 2);
  const dtype = zero === null ? elementOf(n, "output_dtype", uint8) : dtypeOf(n, zero);
  return quantizeTo(n, input(n, 0), [scaleAt(n, 1), zeroAt(n, 2)], {
    axis: channelAxis(n, input(n, 0)),
    dtype,
  });
};

const dequantizeLinear: Importer = (n) => {
  withoutBlocks(n);
  return call(n, "qnn.dequantize", [input(n, 0), scaleAt(n, 1), zeroAt(n, 2)], {
    axis: channelAxis(n, input(n, 0)),
  });
};

/** Scales of blocks along an axis (opset 21): Relay has one a channel. */
function withoutBlocks(n: OnnxNode): void {
  const block = int(n, "block_size", 0);
  if (block !== 0)
    refuse(n, "scales of blocks along an axis are not taken", {
      expected: "one scale, or one a channel",
      got: `block_size ${block}`,
      hint: "quantise by channel",
    });
}

/** Scale and zero point from the data's range, which always holds 0. */
const dynamicQuantizeLinear: Importer = (n) => {
  const x = input(n, 0);
  const axes = Array.from({ length: rankOf(n, x) }, (_, i) => i);
  const zero = number(n, 0, x);
  const greatest = maximum(n, zero, reduce(n, "max", x, axes, false));
  const least = minimum(n, zero, reduce(n, "min", x, axes, false));
  const scale = divide(n, subtract(n, greatest, least), number(n, 255, x));
  const point = cast(n, roundEven(n, clip(n, subtract(n, zero, divide(n, least, scale)), 0, 255)), uint8);
  return [quantizeTo(n, x, [scale, cast(n, point, int32)], { axis: 0, dtype: uint8 }), scale, point];
};

interface Requantize {
  readonly dtype: DType;
  readonly axis: number;
  readonly rounding: "UPWARD" | "TONEAREST";
}

/** int32 sums of scale `scale` to the output's scale and zero point, inputs `at` and at + 1. */
function requantize(n: OnnxNode, sums: Expr, scale: Expr, at: number, how: Requantize): Expr {
  return call(n, "qnn.requantize", [sums, scale, scalarOf(n, int32, 0), scaleAt(n, at), zeroAt(n, at + 1)], {
    axis: how.axis,
    rounding: how.rounding,
    out_dtype: how.dtype.name,
  });
}

function quantisedConv(
  n: OnnxNode,
  args: { readonly data: Expr; readonly weight: Expr },
  zeros: readonly [Expr, Expr],
  scales: readonly [Expr, Expr],
): Expr {
  const { data, weight } = args;
  const attrs = convAttrs(n, data, weight);
  if (attrs.window.length > 2) return shiftedConv(n, args, zeros, attrs);
  // One axis is two, the first of extent 1.
  const flat = attrs.window.length === 1;
  const wide = flat ? { ...attrs, window: [oneElement, ...attrs.window] } : attrs;
  const planes = flat ? [expandDims(n, data, 2), expandDims(n, weight, 2)] : [data, weight];
  const sums = call(n, "qnn.conv2d", [...planes, ...zeros, ...scales], {
    ...relayAttrs(wide),
    out_dtype: "int32",
  });
  return flat ? squeeze(n, sums, [2]) : sums;
}

/**
 * Relay has no quantised convolution over three axes: the zero points are taken away first, so that padding
 * is 0.
 */
function shiftedConv(
  n: OnnxNode,
  args: { readonly data: Expr; readonly weight: Expr },
  [zeroOfData, zeroOfWeight]: readonly [Expr, Expr],
  attrs: ConvAttrs,
): Expr {
  const { suffix } = dimensioned(n, attrs.window.length);
  const rank = rankOf(n, args.weight);
  const byChannel = isScalar(n, zeroOfWeight) ? zeroOfWeight : expandDims(n, zeroOfWeight, 1, rank - 1);
  const shifted = (values: Expr, zero: Expr): Expr => subtract(n, cast(n, values, int32), zero);
  return call(n, `nn.conv${suffix}`, [shifted(args.data, zeroOfData), shifted(args.weight, byChannel)], {
    ...relayAttrs(attrs),
    out_dtype: "int32",
  });
}

const qLinearConv: Importer = (n) => {
  const [xScale, wScale] = [scaleAt(n, 1), scaleAt(n, 4)];
  const sums = quantisedConv(
    n,
    { data: input(n, 0), weight: input(n, 3) },
    [zeroAt(n, 2), zeroAt(n, 5)],
    [xScale, wScale],
  );
  const bias = optional(n, 8);
  const biased = bias === null ? sums : call(n, "nn.bias_add", [sums, bias], { axis: 1 });
  return requantize(n, biased, multiply(n, xScale, wScale), 6, {
    dtype: dtypeOf(n, input(n, 7)),
    axis: 1,
    rounding: "UPWARD",
  });
};

const convInteger: Importer = (n) => {
  const one = scalarOf(n, float32, 1);
  return quantisedConv(
    n,
    { data: input(n, 0), weight: input(n, 1) },
    [zeroAt(n, 2), zeroAt(n, 3)],
    [one, one],
  );
};

const isScalar = (n: OnnxNode, expr: Expr): boolean => rankOf(n, expr) === 0;

/** int32 product of two quantised matrices, or batches of them. */
function quantisedProduct(
  n: OnnxNode,
  [a, b]: readonly [Expr, Expr],
  zeros: readonly [Expr, Expr],
  scales: readonly [Expr, Expr],
): Expr {
  const [aShape, bShape] = [shapeOf(n, a), shapeOf(n, b)];
  const scalars = [...zeros, ...scales].every((expr) => isScalar(n, expr));
  if (scalars && isOfLength(aShape, 2) && isOfLength(bShape, 2)) {
    return call(n, "qnn.dense", [a, transpose(n, b, [1, 0]), ...zeros, ...scales], {
      units: bShape[1],
      out_dtype: "int32",
    });
  }
  if (scalars && aShape.length === 3 && bShape.length === 3 && aShape[0] === bShape[0]) {
    return call(n, "qnn.batch_matmul", [a, transpose(n, b, [0, 2, 1]), ...zeros, ...scales], {
      out_dtype: "int32",
      transpose_b: true,
    });
  }
  // One zero point a row of a, or a column of b: the difference is taken first.
  const rows = isScalar(n, zeros[0])
    ? zeros[0]
    : call(n, "expand_dims", [zeros[0]], { axis: -1, num_newaxis: 1 });
  return matmul(n, subtract(n, cast(n, a, int32), rows), subtract(n, cast(n, b, int32), zeros[1]));
}

const qLinearMatMul: Importer = (n) => {
  const [aScale, bScale] = [scaleAt(n, 1), scaleAt(n, 4)];
  const sums = quantisedProduct(
    n,
    [input(n, 0), input(n, 3)],
    [zeroAt(n, 2), zeroAt(n, 5)],
    [aScale, bScale],
  );
  return requantize(n, sums, multiply(n, aScale, bScale), 6, {
    dtype: dtypeOf(n, input(n, 7)),
    axis: -1,
    rounding: "TONEAREST",
  });
};

const matMulInteger: Importer = (n) => {
  const one = scalarOf(n, float32, 1);
  return quantisedProduct(n, [input(n, 0), input(n, 1)], [zeroAt(n, 2), zeroAt(n, 3)], [one, one]);
};

const microsoft = { domain: "com.microsoft" };

/** The data input at `index`, followed by its scale and zero point, in floats. */
const realAt = (n: OnnxNode, index: number): Expr =>
  call(n, "qnn.dequantize", [input(n, index), scaleAt(n, index + 1), zeroAt(n, index + 2)], { axis: 0 });

/** `result` with the scale and zero point that stand at `index`. */
const storedBy = (n: OnnxNode, result: Expr, index: number): Expr =>
  quantizeTo(n, result, [scaleAt(n, index), zeroAt(n, index + 1)], {
    axis: 0,
    dtype: dtypeOf(n, input(n, 0)),
  });

/** ONNX Runtime computes these in floats, between dequantize and quantize. */
const unaryInFloats =
  (f: (n: OnnxNode, x: Expr) => Expr): Importer =>
  (n) =>
    storedBy(n, f(n, realAt(n, 0)), 3);
const binaryInFloats =
  (f: (n: OnnxNode, a: Expr, b: Expr) => Expr): Importer =>
  (n) =>
    storedBy(n, f(n, realAt(n, 0), realAt(n, 3)), 6);

const qGlobalAverage = (n: OnnxNode, x: Expr): Expr => {
  if (int(n, "channels_last", 0) !== 0) return refuse(n, "channels_last is not taken");
  return reduce(
    n,
    "mean",
    x,
    Array.from({ length: rankOf(n, x) - 2 }, (_, i) => i + 2),
    true,
  );
};

/** Inputs: the result's scale and zero point, then data, scale and zero point of each part. */
const qLinearConcat: Importer = (n) => {
  const count = Math.floor((n.inputs.length - 2) / 3);
  const parts = Array.from({ length: count }, (_, i) => realAt(n, 3 * i + 2));
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, listed(n, parts, 0, "parts")));
  const joined = concatenate(n, parts, axis);
  return quantizeTo(n, joined, [scaleAt(n, 0), zeroAt(n, 1)], { axis: 0, dtype: dtypeOf(n, input(n, 2)) });
};

const qAveragePool = (n: OnnxNode, x: Expr): Expr => {
  if (int(n, "channels_last", 0) !== 0) return refuse(n, "channels_last is not taken");
  return averages(n, x);
};

/** The values that are asked for are scales and zero points: requantize wants them as constants. */
export const quantisedOps: readonly OnnxOp[] = [
  onnxOp("QuantizeLinear", quantizeLinear),
  onnxOp("DequantizeLinear", dequantizeLinear),
  onnxOp("DynamicQuantizeLinear", dynamicQuantizeLinear),
  onnxOp("QLinearConv", qLinearConv, { values: [1, 2, 4, 5, 6, 7] }),
  onnxOp("ConvInteger", convInteger, { values: [2, 3] }),
  onnxOp("QLinearMatMul", qLinearMatMul, { values: [1, 2, 4, 5, 6, 7] }),
  onnxOp("MatMulInteger", matMulInteger, { values: [2, 3] }),
  onnxOp("QLinearAdd", binaryInFloats(add), microsoft),
  onnxOp("QLinearMul", binaryInFloats(multiply), microsoft),
  onnxOp(
    "QLinearSigmoid",
    unaryInFloats((n, x) => call(n, "sigmoid", [x])),
    microsoft,
  ),
  onnxOp(
    "QLinearLeakyRelu",
    unaryInFloats((n, x) => call(n, "nn.leaky_relu", [x], { alpha: float(n, "alpha", 0.01) })),
    microsoft,
  ),
  onnxOp("QLinearAveragePool", unaryInFloats(qAveragePool), microsoft),
  onnxOp("QLinearConcat", qLinearConcat, microsoft),
  onnxOp("QLinearGlobalAveragePool", unaryInFloats(qGlobalAverage), microsoft),
];
