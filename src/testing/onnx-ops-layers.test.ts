// Operators of ONNX where its own backend tests (npm run onnx-suite) do not look, against onnxruntime-web:
// products, windows, recurrent networks with everything on, normalisations.
import { float32, int32, int8 } from "../compiler/ir/dtype.ts";
import { asOnnxRuntime, f, floats, ints, of, single, type Case } from "./harness/onnx-cases.ts";
import type { FileTensor } from "./harness/onnx-writer.ts";

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

asOnnxRuntime({ products, windows, recurrent, norms });
