// Operators of ONNX where its own backend tests (npm run onnx-suite) do not look, against onnxruntime-web:
// quantised operators and ONNX Runtime's own.
import { float32, int32, int8, uint8, type DType } from "../compiler/ir/dtype.ts";
import { asOnnxRuntime, f, floats, of, scalar, single, type Case } from "./harness/onnx-cases.ts";
import type { FileTensor } from "./harness/onnx-writer.ts";

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

asOnnxRuntime({ quantised, contributed });
