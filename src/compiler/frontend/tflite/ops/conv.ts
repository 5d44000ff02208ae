// Convolutions and fully connected layers.  TVM: python/tvm/relay/frontend/tflite.py (convert_conv,
// convert_transpose_conv, convert_fully_connected)
import { at } from "../../../../support/assert.ts";
import { elementCount, tensorData, type TensorData } from "../../../ir/tensor-data.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import { int16, int32, int64 } from "../../../ir/dtype.ts";
import { allocateArray } from "../../../ir/tensor-data.ts";
import { constant } from "../../../relay/build.ts";
import type { Expr } from "../../../relay/expr.ts";
import { byte, flag, int } from "../flatbuffer.ts";
import { refuse, shapeOf, isOfLength, listed, shapeOfRank, typeOf, type ListOf } from "../../import-node.ts";
import {
  call,
  constantOrigin,
  dataOf,
  dtypeOf,
  exprOf,
  input,
  isConstant,
  option,
  output,
  type TfNode,
  intsOf,
} from "../graph.ts";
import type { TfTensor } from "../model.ts";
import {
  dequantize,
  isWide,
  quantOf,
  rescaled,
  scaleOf,
  scaleValue,
  withActivation,
  zeroPointOf,
  zeroPointValue,
} from "../quant.ts";
import { samePadding } from "./padding.ts";
import { roundsAsTflite } from "../double-rounding.ts";
import { tfOp, type TfOp } from "./op-table.ts";

/** Permutes the axes of a constant; the same bytes where nothing moves but axes of one element. */
function transposed(data: TensorData, axes: readonly number[]): TensorData {
  const shape = axes.map((axis) => at(data.shape, axis, "data axis"));
  const moving = axes.filter((axis) => at(data.shape, axis, "data axis") > 1);
  if (moving.every((axis, i) => axis > (moving[i - 1] ?? -1))) return { ...data, shape };
  const strides = data.shape.map((_, axis) => elementCount(data.shape.slice(axis + 1)));
  const steps = axes.map((axis) => at(strides, axis, "stride"));
  const out = allocateArray(data.dtype, elementCount(shape));
  const index = shape.map(() => 0);
  let from = 0;
  for (let i = 0; i < out.length; i++) {
    out[i] = data.data[from]!;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += steps[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      from -= steps[axis]! * shape[axis]!;
      index[axis] = 0;
    }
  }
  return tensorData(data.dtype, shape, out, data.provenance);
}

interface WeightForm {
  /** A constant's values in the layout that Relay wants. */
  readonly data: (data: TensorData) => TensorData;
  /** The same of a weight that is computed (16-bit floats, dynamic range). */
  readonly expr: (weight: Expr) => Expr;
}

/**
 * Weights of integers beside float data are brought to floats: dynamic range quantisation, which TVM refuses.
 */
function isDynamicRange(n: TfNode, data: TfTensor, weight: TfTensor): boolean {
  return data.quant === null && weight.quant !== null && dtypeOf(n, weight).code !== "float";
}

function weightOf(n: TfNode, data: TfTensor, weight: TfTensor, form: WeightForm): Expr {
  if (isDynamicRange(n, data, weight)) return form.expr(dequantize(n, exprOf(n, weight), weight));
  if (!isConstant(n, weight)) return form.expr(exprOf(n, weight));
  return constant(n.state.cx, form.data(dataOf(n, weight)), constantOrigin(n, weight));
}

function withBias(n: TfNode, expr: Expr, operand: number, axis: number | null): Expr {
  const bias = n.inputs[operand] ?? null;
  if (bias === null) return expr;
  const { dtype } = typeOf(n, expr);
  const given = exprOf(n, bias);
  const same = typeOf(n, given).dtype === dtype || dtype !== int64;
  const values = same ? given : call(n, "cast", [given], { dtype: dtype.name });
  return call(n, "nn.bias_add", [expr, values], axis === null ? {} : { axis });
}

/** An operator of products, as Relay has it: on floats nn.`name`, on integers qnn.`name`. */
interface Product {
  readonly name: "conv2d" | "conv2d_transpose" | "dense";
  readonly data: Expr;
  readonly weight: Expr;
  readonly attrs: Attrs;
  readonly from: Operands;
}

interface Operands {
  readonly data: TfTensor;
  readonly weight: TfTensor;
}

/** Sums of products: floats, int32, or int64 of 16-bit data, whose products are too many for 32 bits. */
function productOf(n: TfNode, { name, data, weight, attrs, from }: Product): Expr {
  if (from.data.quant === null) return call(n, `nn.${name}`, [data, weight], attrs);
  if (isWide(n, from.data))
    return call(n, `nn.${name}`, [centred(n, data, from.data), centred(n, weight, from.weight)], {
      ...attrs,
      out_dtype: int64.name,
    });
  return call(
    n,
    `qnn.${name}`,
    [
      data,
      weight,
      zeroPointOf(n, from.data),
      zeroPointOf(n, from.weight),
      scaleOf(n, from.data),
      scaleOf(n, from.weight),
    ],
    { ...attrs, out_dtype: int32.name },
  );
}

/** Integers as int16 without their zero point; TFLite asks for one of 0 here. */
function centred(n: TfNode, expr: Expr, tensor: TfTensor): Expr {
  if (zeroPointValue(n, tensor) !== 0)
    return refuse(n, `the zero point of "${tensor.name}" is not 0`, {
      expected: "0 beside 16-bit data, as TFLite's specification asks",
      got: String(zeroPointValue(n, tensor)),
    });
  return dtypeOf(n, tensor) === int16 ? expr : call(n, "cast", [expr], { dtype: int16.name });
}

/** The result in the output's scale. Its own is the product of those of data and weight. */
function finished(
  n: TfNode,
  expr: Expr,
  from: Operands,
  spec: { readonly axis: number | null; readonly activation: number; readonly isDense?: boolean },
): Expr {
  const to = output(n);
  if (to.quant !== null && from.data.quant === null)
    return refuse(n, "its output is quantised, its input is not", { expected: "both or neither" });
  if (to.quant === null) return withActivation(n, expr, spec.activation);
  const data = scaleValue(n, from.data);
  // TFLite multiplies the scales of FULLY_CONNECTED, and those of unsigned integers, as floats.
  const isSingle = roundsAsTflite(n) && (spec.isDense === true || dtypeOf(n, to).code === "uint");
  const scale = Array.from(quantOf(n, from.weight).scale, (weight) =>
    isSingle ? Math.fround(data * weight) : data * weight,
  );
  return withActivation(n, rescaled(n, expr, scale, to, spec.axis), spec.activation);
}

const paddings = ["SAME", "VALID"] as const;

export function paddingOf(n: TfNode, field: number): "SAME" | "VALID" {
  const code = option(n, byte, field, 0);
  return (
    paddings[code] ?? refuse(n, "its padding is not known", { expected: "SAME or VALID", got: String(code) })
  );
}

/** CONV_2D and DEPTHWISE_CONV_2D: the options differ by one field. */
function convolution(op: string, depthwise: boolean): TfOp {
  const late = depthwise ? 1 : 0;
  return tfOp(op, (n) => {
    const [dataTensor, weightTensor] = [input(n, 0), input(n, 1)];
    const data = exprOf(n, dataTensor);
    const [, height, width, channelsIn] = shapeOfRank(n, data, 4, "its data");
    const [outer, kh, kw, inner] = weightShape(n, weightTensor);
    const strides = [option(n, int, 2, 1), option(n, int, 1, 1)] as const;
    const dilation = [option(n, int, 5 + late, 1), option(n, int, 4 + late, 1)] as const;
    const window = [dilation[0] * (kh - 1) + 1, dilation[1] * (kw - 1) + 1] as const;
    const same = paddingOf(n, 0) === "SAME";
    const [rows, columns] = [
      samePadding(height, window[0], strides[0]),
      samePadding(width, window[1], strides[1]),
    ];
    const padding = same ? [rows[0], columns[0], rows[1], columns[1]] : [0, 0, 0, 0];
    const grouping = depthwise
      ? depthwiseGrouping(n, [kh, kw, channelsIn, inner])
      : plainGrouping(n, { kernel: [kh, kw], channels: outer, from: channelsIn, each: inner });
    const from = { data: dataTensor, weight: weightTensor };
    const product = productOf(n, {
      name: "conv2d",
      data,
      weight: weightOf(n, dataTensor, weightTensor, grouping.form),
      attrs: {
        strides,
        padding,
        dilation,
        kernel_size: [kh, kw],
        data_layout: "NHWC",
        channels: depthwise ? inner : outer,
        ...grouping.attrs,
      },
      from,
    });
    return finished(n, withBias(n, product, 2, 3), from, {
      axis: 3,
      activation: option(n, byte, 3 + late, 0),
    });
  });
}

/** How a weight lies for Relay, and the attributes that say so. */
interface Grouping {
  readonly form: WeightForm;
  readonly attrs: Attrs;
}

function depthwiseGrouping(
  n: TfNode,
  [kh, kw, channels, inner]: readonly [number, number, number, number],
): Grouping {
  const multiplier = Math.floor(inner / channels);
  if (multiplier * channels !== inner)
    return refuse(n, "the weight's channels do not fit the data", {
      expected: `a multiple of ${channels}`,
      got: String(inner),
    });
  return {
    form: reshapedForm(n, [kh, kw, channels, multiplier]),
    attrs: { groups: channels, kernel_layout: channels === 1 ? "HWIO" : "HWOI" },
  };
}

interface PlainWeight {
  readonly kernel: readonly [number, number];
  readonly channels: number;
  /** Channels of the data, and how many of them each channel of the result sees. */
  readonly from: number;
  readonly each: number;
}

/** A weight of fewer channels than the data is one of groups. */
function plainGrouping(n: TfNode, { kernel, channels, from, each }: PlainWeight): Grouping {
  const groups = from / each;
  if (!Number.isInteger(groups) || channels % groups !== 0)
    return refuse(n, "the weight's channels do not fit the data", {
      expected: `a weight of ${from} channels, or of groups that divide ${from} and ${channels}`,
      got: `${each} channels in, ${channels} out`,
    });
  const form = permutedForm(n, [1, 2, 3, 0]);
  if (groups === 1) return { form, attrs: { kernel_layout: "HWIO" } };
  if (each > 1) return { form, attrs: { groups, kernel_layout: "HWIO" } };
  // One channel a group is what Relay calls depthwise.
  const split = reshapedForm(n, [...kernel, from, channels / from]);
  return {
    form: { data: (data) => split.data(form.data(data)), expr: (weight) => split.expr(form.expr(weight)) },
    attrs: { groups, kernel_layout: "HWOI" },
  };
}

/** The four extents of a weight. */
function weightShape(n: TfNode, weight: TfTensor): ListOf<number, 4> {
  return isOfLength(weight.shape, 4)
    ? weight.shape
    : refuse(n, `its weight "${weight.name}" must have rank 4`, { got: `rank ${weight.shape.length}` });
}

function permutedForm(n: TfNode, axes: readonly number[]): WeightForm {
  return {
    data: (data) => transposed(data, axes),
    expr: (weight) => call(n, "transpose", [weight], { axes }),
  };
}

/** The same bytes in another shape, as (1, H, W, C M) in (H, W, C, M). */
function reshapedForm(n: TfNode, shape: readonly number[]): WeightForm {
  return {
    data: (data) => ({ ...data, shape }),
    expr: (weight) => call(n, "reshape", [weight], { newshape: shape }),
  };
}

interface TransposeConv {
  readonly data: TfTensor;
  readonly weight: TfTensor;
  readonly bias: number;
  /** Height and width of the result. */
  readonly size: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly same: boolean;
  readonly activation: number;
}

function transposeConvolution(n: TfNode, spec: TransposeConv): Expr {
  const [channels, kh, kw] = weightShape(n, spec.weight);
  const data = exprOf(n, spec.data);
  const weight = weightOf(n, spec.data, spec.weight, permutedForm(n, [3, 0, 1, 2]));
  const [rows, columns] = [
    samePadding(spec.size[0], kh, spec.strides[0]),
    samePadding(spec.size[1], kw, spec.strides[1]),
  ];
  const [, height, width] = shapeOfRank(n, data, 4, "its data");
  // What the padding alone does not give is added at the end: sizes that the stride does not divide.
  const spatial = [
    { extent: height, window: kh, pads: rows, size: spec.size[0], stride: spec.strides[0] },
    { extent: width, window: kw, pads: columns, size: spec.size[1], stride: spec.strides[1] },
  ].map((axis) => {
    const padded = spec.same ? axis.pads[0] + axis.pads[1] : 0;
    const missing = axis.size - ((axis.extent - 1) * axis.stride + axis.window - padded);
    return { missing, fits: missing >= 0 && missing < Math.max(axis.stride, 1) };
  });
  if (spatial.some(({ fits }) => !fits))
    return refuse(n, "its output shape does not fit strides and padding", {
      got: `[${spec.size.join(", ")}]`,
    });
  const attrs = {
    channels,
    kernel_size: [kh, kw],
    strides: spec.strides,
    padding: spec.same ? [rows[0], columns[0], rows[1], columns[1]] : [0, 0, 0, 0],
    data_layout: "NHWC",
    kernel_layout: "IOHW",
    ...(spatial.some(({ missing }) => missing > 0)
      ? { output_padding: spatial.map(({ missing }) => missing) }
      : {}),
  };
  const from = { data: spec.data, weight: spec.weight };
  const product = productOf(n, {
    name: "conv2d_transpose",
    data,
    weight,
    attrs: { ...attrs, ...(spec.data.quant === null ? { out_dtype: dtypeOf(n, output(n)).name } : {}) },
    from,
  });
  return finished(n, withBias(n, product, spec.bias, 3), from, { axis: 3, activation: spec.activation });
}

const transposeConv = tfOp("TRANSPOSE_CONV", (n) => {
  const shape = intsOf(n, 0, "the output shape");
  return transposeConvolution(n, {
    data: input(n, 2),
    weight: input(n, 1),
    bias: 3,
    size: [listed(n, shape, 1, "extents"), listed(n, shape, 2, "extents")],
    strides: [option(n, int, 2, 1), option(n, int, 1, 1)],
    same: paddingOf(n, 0) === "SAME",
    activation: option(n, byte, 3, 0),
  });
});

/**
 * MediaPipe's own operator; its options are three int32: padding (1 is SAME), stride along the width, along
 * the height.
 */
const transposeConvBias = tfOp("Convolution2DTransposeBias", (n) => {
  const bytes = n.op.customOptions;
  if (bytes === null || bytes.length < 12)
    return refuse(n, "its options cannot be read", {
      expected: "12 bytes",
      got: `${bytes?.length ?? 0} bytes`,
    });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return transposeConvolution(n, {
    data: input(n, 0),
    weight: input(n, 1),
    bias: 2,
    size: [listed(n, output(n).shape, 1, "extents"), listed(n, output(n).shape, 2, "extents")],
    strides: [view.getInt32(8, true), view.getInt32(4, true)],
    same: view.getInt32(0, true) === 1,
    activation: 0,
  });
});

const fullyConnected = tfOp("FULLY_CONNECTED", (n) => {
  const [dataTensor, weightTensor] = [input(n, 0), input(n, 1)];
  if (option(n, byte, 1, 0) !== 0)
    return refuse(n, "its weight is shuffled for a processor", { expected: "weights_format DEFAULT" });
  if (!isOfLength(weightTensor.shape, 2))
    return refuse(n, "its weight must have rank 2", { got: `rank ${weightTensor.shape.length}` });
  const [units, inner] = weightTensor.shape;
  const data = exprOf(n, dataTensor);
  const rows = call(n, "reshape", [data], { newshape: [-1, inner] });
  const weight = weightOf(n, dataTensor, weightTensor, { data: (given) => given, expr: (given) => given });
  const from = { data: dataTensor, weight: weightTensor };
  const product = productOf(n, { name: "dense", data: rows, weight, attrs: { units }, from });
  const result = finished(n, withBias(n, product, 2, null), from, {
    axis: null,
    isDense: true,
    activation: option(n, byte, 0, 0),
  });
  const shape = shapeOf(n, data);
  // TVM leaves the result flat; the file says when all dimensions but the last stay.
  return option(n, flag, 2, false) && shape.length !== 2
    ? call(n, "reshape", [result], { newshape: [...shape.slice(0, -1), units] })
    : result;
});

export const convOps: readonly TfOp[] = [
  convolution("CONV_2D", false),
  convolution("DEPTHWISE_CONV_2D", true),
  transposeConv,
  transposeConvBias,
  fullyConnected,
];
