// Operators of ONNX at their edges, where public models met wrong results: windows that ceil_mode makes,
// integers, extents of 0, against onnxruntime-web.
import { float32, int32, int64, int8, uint8, type DType } from "../compiler/ir/dtype.ts";
import { asOnnxRuntime, f, floats, ints, of, scalar, single, type Case } from "./harness/onnx-cases.ts";
import type { FileTensor } from "./harness/onnx-writer.ts";

const t = (dtype: DType, ...shape: (number | string)[]): FileTensor => ({ dtype, shape });
const counted = (...shape: number[]): ReturnType<typeof of> =>
  of(
    float32,
    shape,
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 7) % 11) - 4),
  );

const ceilWindows: readonly (readonly [string, Readonly<Record<string, number | readonly number[]>>])[] = [
  ["the last begins in the padding", { kernel_shape: [3, 3], strides: [3, 3], pads: [1, 1, 1, 1] }],
  ["steps wider than windows", { kernel_shape: [1, 2], strides: [3, 3] }],
  ["unequal padding", { kernel_shape: [3, 2], strides: [2, 3], pads: [0, 1, 2, 1] }],
  ["one axis drops, one does not", { kernel_shape: [3, 3], strides: [3, 2], pads: [1, 1, 1, 1] }],
];

const pools: readonly Case[] = [
  ...[
    [2, 2],
    [5, 6],
    [7, 4],
    [6, 6],
  ].flatMap(([height = 1, width = 1]) =>
    ceilWindows.flatMap(([name, attrs]) => {
      const ins = { x: f(1, 2, height, width) };
      const plain = { ...attrs, ceil_mode: 1 };
      const what = `ceil_mode, ${name}, ${height}x${width}`;
      return [
        single("MaxPool", what, { ins, attrs: plain }),
        single("MaxPool", `indices, ${what}`, { ins, attrs: plain, outs: 2 }),
        single("AveragePool", what, { ins, attrs: plain }),
        single("AveragePool", `count_include_pad, ${what}`, {
          ins,
          attrs: { ...plain, count_include_pad: 1 },
        }),
      ];
    }),
  ),
  ...["SAME_UPPER", "SAME_LOWER", "VALID"].map((auto_pad) =>
    single("MaxPool", `ceil_mode and ${auto_pad}`, {
      ins: { x: f(1, 2, 8, 5) },
      attrs: { kernel_shape: [2, 3], strides: [3, 2], ceil_mode: 1, auto_pad },
    }),
  ),
  single("AveragePool", "ceil_mode, one axis, count_include_pad", {
    ins: { x: f(1, 2, 8) },
    attrs: { kernel_shape: [3], strides: [4], pads: [1, 1], ceil_mode: 1, count_include_pad: 1 },
  }),
  single("AveragePool", "ceil_mode, three axes", {
    ins: { x: f(1, 2, 5, 4, 5) },
    attrs: { kernel_shape: [2, 2, 3], strides: [3, 2, 3], pads: [1, 0, 1, 1, 0, 1], ceil_mode: 1 },
  }),
  single("AveragePool", "dilations", {
    ins: { x: f(1, 2, 7, 6) },
    attrs: { kernel_shape: [2, 3], strides: [2, 1], dilations: [2, 2], pads: [1, 1, 1, 1] },
    opset: 19,
  }),
  single("AveragePool", "dilations, ceil_mode, count_include_pad", {
    ins: { x: f(1, 2, 7, 6) },
    attrs: {
      kernel_shape: [2, 3],
      strides: [3, 2],
      dilations: [2, 2],
      pads: [1, 1, 1, 1],
      ceil_mode: 1,
      count_include_pad: 1,
    },
    opset: 19,
  }),
  single("MaxPool", "dynamic extents, ceil_mode", {
    ins: { x: t(float32, 1, 2, "h", "w") },
    attrs: { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1], ceil_mode: 1 },
    given: { x: counted(1, 2, 6, 7) },
  }),
  single("AveragePool", "dynamic extents, ceil_mode, count_include_pad", {
    ins: { x: t(float32, 1, 2, "h", "w") },
    attrs: { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1], ceil_mode: 1, count_include_pad: 1 },
    given: { x: counted(1, 2, 6, 7) },
  }),
];

const powers: readonly Case[] = [
  single("Pow", "int64, exact beyond float32", {
    ins: { x: t(int64, 7), e: t(int64, 7) },
    given: { x: ints(3, -2, 10, 7, 0, -1, 1), e: ints(30, 5, 15, 0, 0, 1001, -3) },
  }),
  single("Pow", "int32, one exponent that is known", {
    ins: { x: t(int32, 4) },
    consts: { e: scalar(int32, 3) },
    given: { x: of(int32, [4], [-5, 0, 2, 1000]) },
  }),
  single("Pow", "int32 base, int64 exponents, broadcast", {
    ins: { x: t(int32, 3, 1), e: t(int64, 4) },
    given: { x: of(int32, [3, 1], [1, -1, 3]), e: ints(0, 2, 7, 19) },
  }),
  single("Pow", "integer base, exponents of fractions", {
    ins: { x: t(int64, 4), e: t(float32, 4) },
    given: { x: ints(4, 9, 10, 123456789), e: floats(0.5, 1.5, -1, 1) },
  }),
  single("Pow", "float base, integer exponents", {
    ins: { x: f(4), e: t(int64, 4) },
    given: { e: ints(0, 3, -2, 4) },
  }),
];

const bounds: readonly Case[] = [
  single("Clip", "crossed bounds", {
    ins: { x: f(3) },
    consts: { lo: scalar(float32, 4), hi: scalar(float32, 2) },
    given: { x: floats(1, 3, 9) },
  }),
  single("Clip", "crossed bounds at run time", {
    ins: { x: f(3), lo: f(), hi: f() },
    given: { x: floats(1, 3, 9), lo: scalar(float32, 4), hi: scalar(float32, 2) },
  }),
  single("Clip", "crossed bounds of int8", {
    ins: { x: t(int8, 3) },
    consts: { lo: scalar(int8, 4), hi: scalar(int8, -2) },
    given: { x: of(int8, [3], [1, -3, 9]) },
  }),
];

const nothing: readonly Case[] = [
  single("Expand", "to an extent of 0 at run time", {
    ins: { x: f(), s: t(int64, 2) },
    given: { s: ints(0, 2) },
  }),
  single("Expand", "to an extent of 0", { ins: { x: f(3, 1) }, consts: { s: ints(2, 1, 0) } }),
  single("Expand", "of no elements at run time", {
    ins: { x: t(float32, "n", 1), s: t(int64, 2) },
    given: { x: of(float32, [0, 1], []), s: ints(1, 4) },
  }),
  single("Expand", "a shape shorter than the data's, at run time", {
    ins: { x: t(float32, 2, 1, 3), s: t(int64, 1) },
    given: { s: ints(1) },
  }),
  single("Reshape", "allowzero, no elements", {
    ins: { x: t(float32, "n", 3) },
    consts: { s: ints(3, 0) },
    attrs: { allowzero: 1 },
    opset: 14,
    given: { x: of(float32, [0, 3], []) },
  }),
  single("Reshape", "0 copies an extent, -1 is the rest", {
    ins: { x: f(2, 3, 4) },
    consts: { s: ints(0, -1) },
  }),
  single("Reshape", "0 copies an extent of 0", {
    ins: { x: t(float32, "n", 3) },
    consts: { s: ints(0, 3, 1) },
    given: { x: of(float32, [0, 3], []) },
  }),
];

const layers: readonly Case[] = [
  ...[11, 15].map((opset) =>
    single("LayerNormalization", `opset ${opset}`, {
      ins: { x: f(2, 3, 4) },
      consts: { scale: floats(1, 2, 3, 4), bias: floats(0, 1, 0, 1) },
      attrs: { axis: -1 },
      opset,
    }),
  ),
  ...[
    { name: "one axis, one scale a channel", data: [1, 2, 8], weight: [3, 2, 3], pads: [1, 1] },
    { name: "three axes, padding", data: [1, 2, 4, 5, 4], weight: [3, 2, 2, 3, 3], pads: [0, 1, 1, 1, 1, 1] },
  ].flatMap(({ name, data, weight, pads }) => [
    single("QLinearConv", name, {
      ins: { x: t(uint8, ...data), w: t(int8, ...weight) },
      order: ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"],
      consts: {
        xs: scalar(float32, 0.02),
        xz: scalar(uint8, 120),
        ws: floats(0.01, 0.02, 0.03),
        wz: of(int8, [3], [0, 0, 0]),
        ys: scalar(float32, 0.37),
        yz: scalar(uint8, 128),
        b: of(int32, [3], [50, -100, 7]),
      },
      attrs: { pads },
    }),
    single("ConvInteger", name, {
      ins: { x: t(uint8, ...data), w: t(uint8, ...weight) },
      consts: { xz: scalar(uint8, 9), wz: scalar(uint8, 4) },
      attrs: { pads },
    }),
  ]),
  single("QLinearConv", "one axis, groups, strides, dilations", {
    ins: { x: t(uint8, 1, 4, 11), w: t(int8, 4, 2, 3) },
    order: ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"],
    consts: {
      xs: scalar(float32, 0.02),
      xz: scalar(uint8, 7),
      ws: scalar(float32, 0.01),
      wz: scalar(int8, 0),
      ys: scalar(float32, 0.13),
      yz: scalar(uint8, 128),
    },
    attrs: { group: 2, strides: [2], dilations: [2], pads: [2, 1] },
  }),
];

const images = (...sizes: number[]): Case =>
  single("Resize", `sizes that come at run time: ${sizes.join("x")}`, {
    ins: { x: f(1, 3, 4, 4), z: t(int64, 4) },
    order: ["x", "", "", "z"],
    attrs: { mode: "nearest", coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" },
    given: { z: ints(...sizes) },
  });
const resized: readonly Case[] = [
  single("DFT", "opset 20, the last axis by default", { ins: { x: f(2, 3, 4, 1) }, opset: 20 }),
  single("DFT", "opset 20, an axis by input", {
    ins: { x: f(2, 3, 4, 1) },
    order: ["x", "", "a"],
    consts: { a: scalar(int64, 1) },
    opset: 20,
  }),
  single("Resize", "scales of two axes, half_pixel_symmetric", {
    ins: { x: f(1, 2, 4, 5) },
    order: ["x", "", "s"],
    consts: { s: floats(0.6, 1.7) },
    attrs: { mode: "linear", coordinate_transformation_mode: "half_pixel_symmetric", axes: [2, 3] },
    opset: 19,
  }),
  single("Resize", "sizes of two axes, the last first", {
    ins: { x: f(1, 2, 4, 5) },
    order: ["x", "", "", "s"],
    consts: { s: ints(7, 3) },
    attrs: { mode: "nearest", axes: [3, 2] },
    opset: 18,
  }),
  ...["linear", "cubic"].map((mode) =>
    single("Resize", `${mode}, align_corners, scales that make no whole extents`, {
      ins: { x: f(1, 1, 4, 4) },
      order: ["x", "", "s"],
      consts: { s: floats(1, 1, 0.8, 0.8) },
      attrs: { mode, coordinate_transformation_mode: "align_corners" },
    }),
  ),
  images(1, 2, 2, 4),
  images(2, 3, 8, 4),
  images(1, 3, 8, 8),
  {
    name: "channels that are read from the shape",
    file: {
      inputs: { x: t(float32, "n", 2, "h", "w"), hw: t(int64, 2) },
      outputs: ["y"],
      initializers: { from: ints(0), to: ints(2) },
      nodes: [
        { op: "Shape", in: ["x"], out: ["s"] },
        { op: "Slice", in: ["s", "from", "to"], out: ["nc"] },
        { op: "Concat", in: ["nc", "hw"], out: ["z"], attrs: { axis: 0 } },
        { op: "Resize", in: ["x", "", "", "z"], out: ["y"], attrs: { mode: "linear" } },
      ],
    },
    given: { x: counted(1, 2, 3, 4), hw: ints(6, 4) },
  },
];

const inherited: readonly Case[] = ["constructor", "__proto__", "toString", "a/../b", "x.", ":0:a", "0"].map(
  (name) => ({
    name: `an input called ${name}`,
    file: {
      inputs: Object.fromEntries([[name, f(3)]]),
      outputs: ["y"],
      nodes: [{ op: "Abs", in: [name], out: ["y"] }],
    },
  }),
);

const sparse = { values: floats(1.5, 2.5), indices: ints(1, 4), shape: [2, 3] };
const graphs: readonly Case[] = [
  {
    name: "nodes in any order",
    file: {
      inputs: { x: f(3) },
      outputs: ["y"],
      nodes: [
        { op: "Add", in: ["a", "k"], out: ["y"] },
        { op: "Mul", in: ["x", "k"], out: ["a"] },
        { op: "Constant", in: [], out: ["k"], attrs: { value: floats(1, -2, 3) } },
      ],
    },
  },
  {
    name: "a branch reads what a later node makes",
    file: {
      inputs: { x: f(3), c: t(float32, 1) },
      outputs: ["y"],
      nodes: [
        {
          op: "If",
          in: ["b"],
          out: ["y"],
          attrs: {
            then_branch: { inputs: {}, outputs: ["p"], nodes: [{ op: "Neg", in: ["a"], out: ["p"] }] },
            else_branch: { inputs: {}, outputs: ["q"], nodes: [{ op: "Exp", in: ["a"], out: ["q"] }] },
          },
        },
        { op: "Abs", in: ["x"], out: ["a"] },
        { op: "Cast", in: ["c"], out: ["b"], attrs: { to: 9 } },
      ],
    },
    given: { c: floats(1) },
    bound: ["c"],
  },
  {
    name: "a sparse initializer",
    file: {
      inputs: { x: f(2, 3) },
      outputs: ["y"],
      sparse: { k: sparse },
      nodes: [{ op: "Add", in: ["x", "k"], out: ["y"] }],
    },
  },
  {
    name: "a sparse initializer whose indices are rows",
    file: {
      inputs: { x: f(2, 3) },
      outputs: ["y"],
      sparse: { k: { ...sparse, indices: of(int64, [2, 2], [0, 1, 1, 1]) } },
      nodes: [{ op: "Mul", in: ["x", "k"], out: ["y"] }],
    },
  },
  {
    name: "a sparse constant",
    file: {
      inputs: { x: f(2, 3) },
      outputs: ["y"],
      nodes: [
        { op: "Constant", in: [], out: ["k"], attrs: { sparse_value: sparse } },
        { op: "Sub", in: ["x", "k"], out: ["y"] },
      ],
    },
  },
];

asOnnxRuntime({ pools, powers, bounds, nothing, layers, resized, inherited, graphs });
