// Operators of ONNX where its own backend tests (npm run onnx-suite) do not look, against onnxruntime-web: attributes in
// combination, broadcasting, recurrent networks with everything on, quantised operators, control flow.
import { describe, expect, it } from "vitest";
import { bool, float32, int32, int64, int8, uint8, type DType } from "../compiler/ir/dtype.ts";
import { fromNumbers } from "../compiler/frontend/values.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { firstDifference, inputsOf, runOnnxRuntime, runOurs } from "./harness/onnx-runtime.ts";
import type { FileAttr, FileOp, FileTensor, OnnxFile } from "./harness/onnx-writer.ts";

interface Case {
  readonly name: string;
  readonly file: OnnxFile;
  readonly given?: Readonly<Record<string, TensorData>>;
  /** Inputs given when importing. */
  readonly bound?: readonly string[];
  readonly relative?: number;
}

const f = (...shape: number[]): FileTensor => ({ dtype: float32, shape });
const of = (dtype: DType, shape: readonly number[], values: readonly number[]): TensorData =>
  fromNumbers(dtype, shape, values);
const ints = (...values: number[]): TensorData => of(int64, [values.length], values);
const floats = (...values: number[]): TensorData => of(float32, [values.length], values);
const scalar = (dtype: DType, value: number): TensorData => of(dtype, [], [value]);

interface Single {
  readonly ins: Readonly<Record<string, FileTensor>>;
  /** Inputs of the node in order; "" leaves one out. All inputs, then all constants, where not given. */
  readonly order?: readonly string[];
  readonly outs?: number;
  readonly attrs?: Readonly<Record<string, FileAttr>>;
  readonly consts?: Readonly<Record<string, TensorData>>;
  readonly opset?: number;
  readonly domain?: string;
  readonly given?: Readonly<Record<string, TensorData>>;
  readonly bound?: readonly string[];
  readonly relative?: number;
}

/** A model of one node. */
function single(op: string, name: string, spec: Single): Case {
  const outputs = Array.from({ length: spec.outs ?? 1 }, (_, i) => `out${i}`);
  const node: FileOp = {
    op,
    in: spec.order ?? [...Object.keys(spec.ins), ...Object.keys(spec.consts ?? {})],
    out: outputs,
    attrs: spec.attrs ?? {},
    domain: spec.domain ?? "",
  };
  const domains = spec.domain === undefined ? {} : { [spec.domain]: 1 };
  const file: OnnxFile = {
    opset: spec.opset ?? 13,
    domains,
    inputs: spec.ins,
    outputs,
    nodes: [node],
    initializers: spec.consts ?? {},
  };
  const { given, bound, relative } = spec;
  return {
    name: `${op}: ${name}`,
    file,
    ...(given === undefined ? {} : { given }),
    ...(bound === undefined ? {} : { bound }),
    ...(relative === undefined ? {} : { relative }),
  };
}

const products: readonly Case[] = [
  single("Gemm", "alpha, beta, both transposed, bias a column", {
    ins: { a: f(4, 3), b: f(5, 4), c: f(3, 1) },
    attrs: { alpha: 0.5, beta: 2.5, transA: 1, transB: 1 },
  }),
  single("MatMul", "vector by matrix", { ins: { a: f(4), b: f(4, 3) } }),
  single("MatMul", "matrix by vector", { ins: { a: f(2, 4), b: f(4) } }),
  single("MatMul", "vector by batch", { ins: { a: f(4), b: f(2, 4, 3) } }),
  single("MatMul", "batch by vector", { ins: { a: f(2, 3, 4), b: f(4) } }),
  single("MatMul", "vector by vector", { ins: { a: f(4), b: f(4) } }),
  single("MatMul", "batches broadcast", { ins: { a: f(2, 1, 3, 4), b: f(5, 4, 2) } }),
  single("MatMul", "matrix by batches", { ins: { a: f(3, 4), b: f(2, 2, 4, 5) } }),
  single("MatMul", "batches by matrix", { ins: { a: f(2, 2, 3, 4), b: f(4, 5) } }),
  single("Einsum", "attention scores", {
    ins: { a: f(2, 3, 4, 5), b: f(2, 6, 4, 5) },
    attrs: { equation: "bqhd,bkhd->bhqk" },
  }),
  single("Einsum", "ellipsis", {
    ins: { a: f(2, 3, 4), b: f(2, 4, 5) },
    attrs: { equation: "...ij,...jk->...ik" },
  }),
  single("Einsum", "ellipsis turned", {
    ins: { a: f(2, 3, 4), b: f(1, 4, 5) },
    attrs: { equation: "...ij,...jk->...ki" },
  }),
  single("Einsum", "implicit result", { ins: { a: f(3, 4), b: f(4, 2) }, attrs: { equation: "ik, kj" } }),
  single("Einsum", "outer product of three", {
    ins: { a: f(2), b: f(3), c: f(4) },
    attrs: { equation: "i,j,k->kij" },
  }),
  single("Einsum", "trace", { ins: { a: f(3, 3) }, attrs: { equation: "ii->" } }),
];

const windows: readonly Case[] = [
  single("Conv", "grouped along one axis", {
    ins: { x: f(1, 4, 9), w: f(6, 2, 3), b: f(6) },
    attrs: { group: 2, pads: [2, 1], strides: [2] },
  }),
  single("Conv", "SAME_LOWER, strides", {
    ins: { x: f(1, 2, 9, 8), w: f(3, 2, 3, 2) },
    attrs: { auto_pad: "SAME_LOWER", strides: [2, 3] },
  }),
  single("Conv", "SAME_UPPER, even kernel", {
    ins: { x: f(1, 2, 7, 8), w: f(3, 2, 4, 2) },
    attrs: { auto_pad: "SAME_UPPER", strides: [2, 3] },
  }),
  single("Conv", "three axes, grouped", {
    ins: { x: f(1, 4, 4, 5, 6), w: f(4, 2, 2, 2, 3) },
    attrs: { group: 2, pads: [0, 1, 1, 1, 0, 1] },
  }),
  single("ConvTranspose", "groups, output padding", {
    ins: { x: f(1, 4, 4, 3), w: f(4, 3, 3, 3), b: f(6) },
    attrs: { group: 2, strides: [2, 3], output_padding: [1, 2], pads: [1, 0, 1, 1] },
  }),
  single("ConvTranspose", "SAME_LOWER", {
    ins: { x: f(1, 2, 4, 4), w: f(2, 3, 4, 3) },
    attrs: { auto_pad: "SAME_LOWER", strides: [3, 2] },
  }),
  single("ConvTranspose", "SAME_UPPER", {
    ins: { x: f(1, 2, 4, 4), w: f(2, 3, 4, 3) },
    attrs: { auto_pad: "SAME_UPPER", strides: [2, 2] },
  }),
  single("ConvTranspose", "one axis, output_shape", {
    ins: { x: f(1, 2, 5), w: f(2, 3, 4) },
    attrs: { strides: [3], output_shape: [14] },
  }),
  single("ConvTranspose", "dilated", {
    ins: { x: f(1, 1, 3, 3), w: f(1, 2, 2, 3) },
    attrs: { dilations: [2, 2], strides: [2, 1] },
  }),
  single("AveragePool", "ceil mode, uneven pads", {
    ins: { x: f(1, 2, 7, 8) },
    attrs: { kernel_shape: [3, 3], strides: [2, 2], pads: [0, 1, 1, 0], ceil_mode: 1 },
  }),
  single("AveragePool", "SAME_LOWER", {
    ins: { x: f(1, 2, 6, 7) },
    attrs: { kernel_shape: [3, 2], strides: [2, 2], auto_pad: "SAME_LOWER" },
  }),
  single("AveragePool", "pads counted, three axes", {
    ins: { x: f(1, 1, 4, 5, 4) },
    attrs: { kernel_shape: [2, 3, 2], pads: [1, 1, 0, 0, 1, 1], count_include_pad: 1 },
  }),
  single("MaxPool", "indices, pads, dilation", {
    ins: { x: f(2, 2, 6, 7) },
    outs: 2,
    opset: 12,
    attrs: { kernel_shape: [2, 3], strides: [2, 1], pads: [1, 0, 0, 1], dilations: [2, 2] },
  }),
  single("MaxPool", "int8", {
    ins: { x: { dtype: int8, shape: [1, 2, 5, 5] } },
    opset: 12,
    attrs: { kernel_shape: [2, 2], pads: [1, 1, 1, 1] },
  }),
  single("LpPool", "p 3", {
    ins: { x: f(1, 2, 6, 5) },
    attrs: { kernel_shape: [3, 2], strides: [2, 1], p: 3 },
  }),
  single("GlobalLpPool", "p 2", { ins: { x: f(1, 3, 4, 5) } }),
  single("GlobalAveragePool", "one axis", { ins: { x: f(1, 3, 5) } }),
  single("GlobalMaxPool", "three axes", { ins: { x: f(1, 3, 2, 3, 4) } }),
];

const rnn = (hidden: number, gates: number, directions: number): Readonly<Record<string, FileTensor>> => ({
  w: f(directions, gates * hidden, 4),
  r: f(directions, gates * hidden, hidden),
  b: f(directions, 2 * gates * hidden),
});
const recurrent: readonly Case[] = [
  single("LSTM", "both directions, peepholes, clip, lengths", {
    ins: {
      x: f(5, 3, 4),
      ...rnn(2, 4, 2),
      h: f(2, 3, 2),
      c: f(2, 3, 2),
      p: f(2, 6),
      lengths: { dtype: int32, shape: [3] },
    },
    order: ["x", "w", "r", "b", "lengths", "h", "c", "p"],
    given: { lengths: of(int32, [3], [5, 2, 4]) },
    outs: 3,
    attrs: { hidden_size: 2, direction: "bidirectional", clip: { float: 0.7 } },
  }),
  single("LSTM", "reverse, other activations", {
    ins: { x: f(4, 2, 4), ...rnn(3, 4, 1) },
    outs: 3,
    attrs: {
      hidden_size: 3,
      direction: "reverse",
      activations: ["HardSigmoid", "Softsign", "Relu"],
      activation_alpha: { floats: [0.3] },
      activation_beta: { floats: [0.4] },
    },
  }),
  single("GRU", "both directions, linear before reset", {
    ins: { x: f(4, 2, 4), ...rnn(3, 3, 2), h: f(2, 2, 3) },
    order: ["x", "w", "r", "b", "", "h"],
    outs: 2,
    attrs: { hidden_size: 3, direction: "bidirectional", linear_before_reset: 1 },
  }),
  single("GRU", "lengths", {
    ins: { x: f(4, 2, 4), ...rnn(3, 3, 1), lengths: { dtype: int32, shape: [2] } },
    given: { lengths: of(int32, [2], [1, 4]) },
    outs: 2,
    attrs: { hidden_size: 3 },
  }),
  single("RNN", "both directions, LeakyRelu and Tanh", {
    ins: { x: f(3, 2, 4), ...rnn(3, 1, 2) },
    outs: 2,
    attrs: {
      hidden_size: 3,
      direction: "bidirectional",
      activations: ["LeakyRelu", "Tanh"],
      activation_alpha: { floats: [0.2] },
    },
  }),
];

const image = f(1, 2, 5, 6);
const resizeTo = (name: string, sizes: readonly number[], attrs: Readonly<Record<string, FileAttr>>): Case =>
  single("Resize", name, {
    ins: { x: image },
    order: ["x", "", "", "sizes"],
    consts: { sizes: ints(1, 2, ...sizes) },
    attrs,
  });
const resampling: readonly Case[] = [
  ...["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"].flatMap((mode) => [
    resizeTo(`linear ${mode}`, [9, 4], { mode: "linear", coordinate_transformation_mode: mode }),
    resizeTo(`cubic ${mode}`, [3, 11], { mode: "cubic", coordinate_transformation_mode: mode }),
  ]),
  ...["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"].map((rounding) =>
    resizeTo(`nearest ${rounding}`, [8, 4], { mode: "nearest", nearest_mode: rounding }),
  ),
  single("Resize", "scales that make no whole extents", {
    ins: { x: image },
    order: ["x", "", "scales"],
    consts: { scales: floats(1, 1, 0.7, 1.6) },
    attrs: { mode: "linear" },
  }),
  single("Resize", "one axis of five", {
    ins: { x: f(1, 1, 2, 3, 4) },
    order: ["x", "", "scales"],
    consts: { scales: floats(1, 1, 2, 1, 2) },
    attrs: { mode: "nearest", coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" },
  }),
  single("Upsample", "linear", {
    ins: { x: image },
    consts: { scales: floats(1, 1, 2, 3) },
    opset: 9,
    attrs: { mode: "linear" },
  }),
];

const q = (shape: readonly number[], dtype: DType = uint8): FileTensor => ({ dtype, shape });
const quantised: readonly Case[] = [
  single("QuantizeLinear", "one scale a channel", {
    ins: { x: f(2, 3, 4) },
    consts: { scale: floats(0.1, 0.02, 0.3), zero: of(int8, [3], [1, -2, 3]) },
    attrs: { axis: 1 },
  }),
  single("DequantizeLinear", "one scale a channel, last axis", {
    ins: { x: q([2, 3], int8) },
    consts: { scale: floats(0.1, 0.02, 0.3), zero: of(int8, [3], [1, -2, 3]) },
    attrs: { axis: -1 },
  }),
  single("DequantizeLinear", "no zero point", {
    ins: { x: q([2, 3]) },
    consts: { scale: scalar(float32, 0.25) },
  }),
  single("QLinearConv", "one scale a channel, bias", {
    ins: { x: q([1, 2, 6, 5]), w: q([3, 2, 3, 3], int8) },
    order: ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"],
    consts: {
      xs: scalar(float32, 0.02),
      xz: scalar(uint8, 7),
      ws: floats(0.01, 0.02, 0.005),
      wz: of(int8, [3], [0, 0, 0]),
      ys: scalar(float32, 0.013),
      yz: scalar(uint8, 100),
      b: of(int32, [3], [50, -100, 7]),
    },
    attrs: { pads: [1, 1, 1, 1], strides: [2, 1] },
  }),
  single("QLinearMatMul", "batches", {
    ins: { a: q([2, 3, 4]), b: q([2, 4, 5], int8) },
    order: ["a", "as", "az", "b", "bs", "bz", "ys", "yz"],
    consts: {
      as: scalar(float32, 0.1),
      az: scalar(uint8, 3),
      bs: scalar(float32, 0.05),
      bz: scalar(int8, 0),
      ys: scalar(float32, 0.07),
      yz: scalar(uint8, 120),
    },
  }),
  single("MatMulInteger", "zero points", {
    ins: { a: q([3, 4]), b: q([4, 2], int8) },
    consts: { az: scalar(uint8, 5), bz: scalar(int8, -3) },
  }),
  single("ConvInteger", "zero points", {
    ins: { x: q([1, 2, 5, 5]), w: q([3, 2, 2, 2]) },
    consts: { xz: scalar(uint8, 9), wz: scalar(uint8, 4) },
    attrs: { pads: [1, 0, 0, 1] },
  }),
  single("DynamicQuantizeLinear", "both signs", { ins: { x: f(3, 5) }, outs: 3 }),
  ...(["QLinearAdd", "QLinearMul"] as const).map((op) =>
    single(op, "broadcast", {
      ins: { a: q([2, 3]), b: q([3]) },
      order: ["a", "as", "az", "b", "bs", "bz", "ys", "yz"],
      domain: "com.microsoft",
      consts: {
        as: scalar(float32, 0.1),
        az: scalar(uint8, 3),
        bs: scalar(float32, 0.05),
        bz: scalar(uint8, 8),
        ys: scalar(float32, 0.23),
        yz: scalar(uint8, 10),
      },
    }),
  ),
];

const contributed: readonly Case[] = [
  single("QLinearConcat", "two parts", {
    ins: { a: q([1, 2, 3]), b: q([1, 1, 3]) },
    order: ["ys", "yz", "a", "as", "az", "b", "bs", "bz"],
    domain: "com.microsoft",
    attrs: { axis: 1 },
    consts: {
      ys: scalar(float32, 0.23),
      yz: scalar(uint8, 10),
      as: scalar(float32, 0.1),
      az: scalar(uint8, 3),
      bs: scalar(float32, 0.05),
      bz: scalar(uint8, 8),
    },
  }),
  single("QLinearAveragePool", "pads", {
    ins: { a: q([1, 2, 5, 5]) },
    order: ["a", "as", "az", "ys", "yz"],
    domain: "com.microsoft",
    attrs: { kernel_shape: [3, 2], pads: [1, 0, 1, 1] },
    consts: {
      as: scalar(float32, 0.1),
      az: scalar(uint8, 3),
      ys: scalar(float32, 0.0731),
      yz: scalar(uint8, 8),
    },
  }),
  single("Gelu", "contributed", { ins: { x: f(3, 4) }, domain: "com.microsoft" }),
  single("GroupNormalization", "opset 21", {
    ins: { x: f(2, 4, 3, 3), s: f(4), b: f(4) },
    opset: 21,
    attrs: { num_groups: 2 },
    relative: 1e-4,
  }),
  single("Mish", "opset 18", { ins: { x: f(3, 4) }, opset: 18 }),
  single("BitwiseXor", "opset 18", {
    ins: { a: { dtype: int32, shape: [4] }, b: { dtype: int32, shape: [4] } },
    opset: 18,
  }),
];

const indexing: readonly Case[] = [
  single("GatherND", "negative indices", {
    ins: { x: f(3, 4, 2) },
    consts: { i: of(int64, [2, 2], [-1, 1, 0, -3]) },
  }),
  single("Gather", "indices by input, negative", {
    ins: { x: f(4, 3), i: { dtype: int64, shape: [2, 2] } },
    given: { i: of(int64, [2, 2], [-1, 0, 2, -4]) },
  }),
  single("GatherElements", "indices by input, negative", {
    ins: { x: f(3, 3), i: { dtype: int64, shape: [2, 3] } },
    given: { i: of(int64, [2, 3], [-1, 0, 2, 1, -2, -3]) },
    attrs: { axis: 0 },
  }),
  single("ScatterElements", "negative axis and indices", {
    ins: { x: f(2, 5), i: { dtype: int64, shape: [2, 2] }, u: f(2, 2) },
    given: { i: of(int64, [2, 2], [-1, 0, 3, -2]) },
    attrs: { axis: -1 },
  }),
  single("ScatterND", "slices", {
    ins: { x: f(4, 3), i: { dtype: int64, shape: [2, 1] }, u: f(2, 3) },
    given: { i: of(int64, [2, 1], [3, -4]) },
  }),
  single("OneHot", "values by input", {
    ins: { i: { dtype: int64, shape: [3] }, v: f(2) },
    order: ["i", "depth", "v"],
    consts: { depth: scalar(int64, 4) },
    given: { i: of(int64, [3], [-1, 0, 3]) },
    attrs: { axis: 0 },
  }),
  single("Slice", "backward, beyond the ends", {
    ins: { x: f(5, 6) },
    consts: { starts: ints(10, -2), ends: ints(-100, 1), axes: ints(0, -1), steps: ints(-2, -1) },
  }),
  single("Slice", "empty", {
    ins: { x: f(5, 6) },
    consts: { starts: ints(3), ends: ints(2), axes: ints(1) },
  }),
  single("Pad", "cuts and fills", {
    ins: { x: f(3, 4) },
    consts: { pads: ints(-1, 2, 0, -1), value: scalar(float32, 1.5) },
  }),
  single("Pad", "reflect", {
    ins: { x: f(2, 4, 5) },
    consts: { pads: ints(0, 2, 1, 0, 1, 3) },
    attrs: { mode: "reflect" },
  }),
  single("TopK", "least of the first axis", {
    ins: { x: f(5, 3) },
    consts: { k: ints(2) },
    outs: 2,
    attrs: { axis: 0, largest: 0 },
  }),
  single("CumSum", "backward and exclusive, last axis", {
    ins: { x: f(3, 4) },
    consts: { axis: scalar(int32, -1) },
    attrs: { reverse: 1, exclusive: 1 },
  }),
  single("Split", "uneven", {
    ins: { x: f(7, 2) },
    consts: { split: ints(2, 1, 4) },
    outs: 3,
    attrs: { axis: 0 },
  }),
  single("ReverseSequence", "time second", {
    ins: { x: f(2, 4, 3) },
    consts: { lengths: ints(3, 1) },
    attrs: { time_axis: 1, batch_axis: 0 },
  }),
  single("Expand", "both ways", { ins: { x: f(3, 1) }, consts: { shape: ints(2, 1, 4) } }),
  single("Tile", "two axes", { ins: { x: f(2, 3) }, consts: { reps: ints(2, 3) } }),
  single("DepthToSpace", "CRD", { ins: { x: f(1, 8, 2, 3) }, attrs: { blocksize: 2, mode: "CRD" } }),
  single("NonZero", "known data", {
    ins: { x: f(2, 3) },
    given: { x: of(float32, [2, 3], [0, 1, 0, 2, 0, 3]) },
    bound: ["x"],
  }),
];

const norms: readonly Case[] = [
  single("Softmax", "opset 11: everything from the axis on", {
    ins: { x: f(2, 3, 4) },
    opset: 11,
    attrs: { axis: 1 },
  }),
  single("LogSoftmax", "opset 11", { ins: { x: f(2, 3, 4) }, opset: 11, attrs: { axis: 1 } }),
  single("Hardmax", "opset 11", { ins: { x: f(2, 3, 4) }, opset: 11, attrs: { axis: 1 } }),
  single("Hardmax", "opset 13, middle axis", { ins: { x: f(2, 3, 4) }, attrs: { axis: 1 } }),
  single("BatchNormalization", "opset 9", {
    ins: { x: f(2, 3, 4, 2), s: f(3), b: f(3), m: f(3) },
    consts: { v: floats(0.5, 1.5, 2) },
    opset: 9,
    attrs: { epsilon: 0.01 },
  }),
  single("InstanceNormalization", "one axis", { ins: { x: f(2, 3, 7), s: f(3), b: f(3) }, relative: 1e-4 }),
  single("LayerNormalization", "two axes, no bias", {
    ins: { x: f(2, 3, 4), s: f(3, 4) },
    opset: 17,
    attrs: { axis: 1 },
  }),
  single("LRN", "even size", {
    ins: { x: f(1, 6, 3, 3) },
    attrs: { size: 3, alpha: 0.5, beta: 0.6, bias: 1.2 },
  }),
  single("LpNormalization", "p 1", { ins: { x: f(3, 4) }, attrs: { axis: 0, p: 1 } }),
  single("MeanVarianceNormalization", "two axes", {
    ins: { x: f(2, 3, 4, 4) },
    attrs: { axes: [1, 3] },
    relative: 1e-4,
  }),
  single("ReduceLogSumExp", "large numbers", {
    ins: { x: f(3, 4) },
    given: { x: of(float32, [3, 4], [200, 201, 90, -80, 0, 1, 2, 3, -500, -501, -502, -400]) },
    attrs: { axes: [1], keepdims: 0 },
  }),
  single("ReduceSum", "axes by input", {
    ins: { x: f(2, 3, 4) },
    consts: { axes: ints(0, -1) },
    attrs: { keepdims: 0 },
  }),
  single("ArgMax", "last of equals", {
    ins: { x: f(2, 4) },
    given: { x: of(float32, [2, 4], [1, 3, 3, 0, 5, 5, 1, 5]) },
    attrs: { axis: 1, select_last_index: 1, keepdims: 0 },
  }),
];

const elementwise: readonly Case[] = [
  single("PRelu", "one slope a channel", { ins: { x: f(1, 3, 2, 2), slope: f(3, 1, 1) } }),
  single("Clip", "opset 6, lower bound only", {
    ins: { x: f(3, 4) },
    opset: 6,
    attrs: { min: { float: -0.1 } },
  }),
  single("Clip", "bounds by input", {
    ins: { x: f(3, 4), low: f(), high: f() },
    given: { low: scalar(float32, -0.2), high: scalar(float32, 0.3) },
  }),
  single("Where", "three shapes", { ins: { c: { dtype: bool, shape: [2, 1, 3] }, x: f(4, 1), y: f(1) } }),
  single("Mod", "mixed signs, integers", {
    ins: { a: { dtype: int32, shape: [6] } },
    consts: { b: of(int32, [6], [3, -3, 5, -5, 7, 2]) },
  }),
  single("Mod", "fmod", {
    ins: { a: f(6) },
    consts: { b: floats(0.3, -0.3, 0.25, -0.2, 0.7, 0.11) },
    attrs: { fmod: 1 },
  }),
  single("Round", "halves", { ins: { x: f(6) }, given: { x: floats(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5) } }),
  single("Softplus", "large numbers", { ins: { x: f(4) }, given: { x: floats(-200, -1, 1, 200) } }),
  single("Div", "integers truncate", {
    ins: { a: { dtype: int32, shape: [4] } },
    given: { a: of(int32, [4], [7, -7, 8, -9]) },
    consts: { b: of(int32, [4], [2, 2, -3, -4]) },
  }),
  single("Mean", "broadcast", { ins: { a: f(2, 3), b: f(3), c: f(2, 1) } }),
  single("BitShift", "right", {
    ins: { a: { dtype: uint8, shape: [4] } },
    given: { a: of(uint8, [4], [255, 16, 7, 128]) },
    consts: { b: of(uint8, [4], [1, 2, 3, 7]) },
    attrs: { direction: "RIGHT" },
  }),
  ...[
    "Elu",
    "Selu",
    "Celu",
    "HardSigmoid",
    "HardSwish",
    "ThresholdedRelu",
    "Shrink",
    "Softsign",
    "LeakyRelu",
  ].map((op) => single(op, "defaults", { ins: { x: f(4, 3) }, opset: 14 })),
];

const body = {
  inputs: { i: { dtype: int64, shape: [] }, going: { dtype: bool, shape: [] }, acc: f(2) },
  outputs: ["stays", "next", "next"],
  nodes: [
    { op: "Identity", in: ["going"], out: ["stays"] },
    { op: "Add", in: ["acc", "x"], out: ["next"] },
  ],
};
const step = {
  inputs: { sum: f(3), row: f(3) },
  outputs: ["total", "seen"],
  nodes: [
    { op: "Add", in: ["sum", "row"], out: ["total"] },
    { op: "Mul", in: ["total", "row"], out: ["seen"] },
  ],
};
const side = (op: string) => ({ inputs: {}, outputs: ["y"], nodes: [{ op, in: ["x"], out: ["y"] }] });
const control: readonly Case[] = [
  {
    name: "Loop: outer values, scan output",
    file: {
      inputs: { x: f(2), start: f(2) },
      outputs: ["last", "all"],
      initializers: { count: scalar(int64, 3), go: scalar(bool, 1) },
      nodes: [{ op: "Loop", in: ["count", "go", "start"], out: ["last", "all"], attrs: { body } }],
    },
  },
  {
    name: "Scan: backward, output along the second axis",
    file: {
      inputs: { start: f(3), rows: f(4, 3) },
      outputs: ["sum", "seen"],
      nodes: [
        {
          op: "Scan",
          in: ["start", "rows"],
          out: ["sum", "seen"],
          attrs: {
            body: step,
            num_scan_inputs: 1,
            scan_input_directions: [1],
            scan_output_axes: [1],
            scan_output_directions: [1],
          },
        },
      ],
    },
  },
  ...[0, 1].map((value): Case => ({
    name: `If: open condition, ${value === 1}`,
    given: { c: scalar(bool, value) },
    file: {
      inputs: { c: { dtype: bool, shape: [] }, x: f(3) },
      outputs: ["out"],
      nodes: [
        { op: "If", in: ["c"], out: ["out"], attrs: { then_branch: side("Exp"), else_branch: side("Neg") } },
      ],
    },
  })),
  {
    name: "sequences between tensors",
    file: {
      inputs: { a: f(2, 3), b: f(1, 3) },
      outputs: ["out"],
      initializers: { first: scalar(int64, 0) },
      nodes: [
        { op: "SequenceConstruct", in: ["a", "b"], out: ["s"] },
        { op: "SequenceInsert", in: ["s", "b", "first"], out: ["t"] },
        { op: "ConcatFromSequence", in: ["t"], out: ["out"], attrs: { axis: 0 } },
      ],
    },
  },
  {
    name: "GridSample: bicubic, reflection",
    file: {
      opset: 16,
      inputs: { x: f(1, 2, 4, 5), grid: f(1, 3, 2, 2) },
      outputs: ["out"],
      nodes: [
        {
          op: "GridSample",
          in: ["x", "grid"],
          out: ["out"],
          attrs: { mode: "bicubic", padding_mode: "reflection", align_corners: 1 },
        },
      ],
    },
    given: {
      grid: of(float32, [1, 3, 2, 2], [-1.2, 0.3, 0.9, -0.8, 0.1, 1.3, 0.5, -1.1, -0.4, 0.2, 1.4, 0.6]),
    },
    relative: 1e-4,
  },
  {
    name: "RoiAlign: two regions",
    file: {
      opset: 10,
      inputs: { x: f(1, 2, 8, 8), rois: f(2, 4) },
      outputs: ["out"],
      initializers: { batch: ints(0, 0) },
      nodes: [
        {
          op: "RoiAlign",
          in: ["x", "rois", "batch"],
          out: ["out"],
          attrs: { output_height: 2, output_width: 3, sampling_ratio: 2, spatial_scale: { float: 0.5 } },
        },
      ],
    },
    given: { rois: of(float32, [2, 4], [1, 2, 12, 11, 0, 0, 5, 7]) },
  },
];

const groups: Readonly<Record<string, readonly Case[]>> = {
  products,
  windows,
  recurrent,
  resampling,
  quantised,
  contributed,
  indexing,
  norms,
  elementwise,
  control,
};

describe.each(Object.entries(groups))("%s as ONNX Runtime computes them", (_, cases) => {
  it.each(cases.map((one) => [one.name, one] as const))(
    "%s",
    async (_name, { file, given, bound, relative }) => {
      const inputs = inputsOf(file, given);
      const want = await runOnnxRuntime(file, inputs);
      expect(firstDifference(await runOurs(file, inputs, bound), want, relative)).toBeNull();
    },
    60_000,
  );
});
