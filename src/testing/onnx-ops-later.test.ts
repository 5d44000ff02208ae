// Operators and reductions that opsets 16 to 24 brought, against onnxruntime-web.
import { bool, float32, int32, int64 } from "../compiler/ir/dtype.ts";
import { numbersOf } from "../compiler/frontend/values.ts";
import { asOnnxRuntime, f, floats, ints, of, single, type Case } from "./harness/onnx-cases.ts";

const t = (dtype: typeof int64, ...shape: number[]) => ({ dtype, shape });

/** Indices that meet, stay away and count from the end. */
const elements = of(int64, [2, 3], [1, 0, -1, 1, 2, 1]);
const tuples = of(int64, [4, 1], [1, -1, 1, 1]);

const scattering: readonly Case[] = ["mul", "max", "min"].flatMap((reduction) => [
  ...[0, 1].map((axis) =>
    single("ScatterElements", `${reduction}, updates of a part of the data, axis ${axis}`, {
      ins: { data: f(4, 3), indices: t(int64, 2, 3), updates: f(2, 3) },
      attrs: { reduction, axis },
      given: { indices: elements },
      opset: 18,
    }),
  ),
  single("ScatterElements", `${reduction} of integers, all to one element`, {
    ins: { data: t(int32, 3), indices: t(int64, 3), updates: t(int32, 3) },
    attrs: { reduction },
    given: { indices: ints(1, 1, 1), data: of(int32, [3], [5, 9, 7]), updates: of(int32, [3], [2, 3, 4]) },
    opset: 18,
  }),
  single("ScatterND", `${reduction} of rows with duplicates`, {
    ins: { data: f(3, 2, 2), indices: t(int64, 4, 1), updates: f(4, 2, 2) },
    attrs: { reduction },
    given: { indices: tuples },
    opset: 18,
  }),
  single("ScatterND", `${reduction} of elements`, {
    ins: { data: f(3, 4), indices: t(int64, 3, 2), updates: f(3) },
    attrs: { reduction },
    given: { indices: of(int64, [3, 2], [0, 1, 2, -1, 0, 1]) },
    opset: 18,
  }),
]);

const heads = { q_num_heads: 4, kv_num_heads: 2 };
const attention: readonly Case[] = [
  single("Attention", "heads that share keys, three axes", {
    ins: { q: f(2, 3, 16), k: f(2, 5, 8), v: f(2, 5, 12) },
    attrs: heads,
    opset: 23,
  }),
  single("Attention", "causal, with a cache and a cap", {
    ins: { q: f(1, 2, 3, 4), k: f(1, 2, 3, 4), v: f(1, 2, 3, 4), pk: f(1, 2, 2, 4), pv: f(1, 2, 2, 4) },
    order: ["q", "k", "v", "", "pk", "pv"],
    outs: 3,
    attrs: { is_causal: 1, softcap: { float: 0.5 }, scale: { float: 2 } },
    opset: 23,
  }),
  single("Attention", "a boolean mask, all scores", {
    ins: { q: f(1, 2, 3, 4), k: f(1, 2, 3, 4), v: f(1, 2, 3, 4), mask: t(bool, 3, 3) },
    given: { mask: of(bool, [3, 3], [1, 0, 1, 1, 1, 0, 0, 0, 1]) },
    order: ["q", "k", "v", "mask"],
    outs: 1,
    opset: 23,
  }),
  single("Attention", "a mask of floats and a causal one", {
    ins: { q: f(1, 2, 3, 4), k: f(1, 2, 3, 4), v: f(1, 2, 3, 4), mask: f(1, 2, 3, 3) },
    attrs: { is_causal: 1 },
    opset: 23,
  }),
  single("RMSNormalization", "two axes", {
    ins: { x: f(2, 3, 4), scale: f(3, 4) },
    attrs: { axis: 1 },
    opset: 23,
  }),
  single("Swish", "with a factor", { ins: { x: f(3, 4) }, attrs: { alpha: { float: 1.5 } }, opset: 24 }),
];

const sampling: readonly Case[] = [
  ...["linear", "nearest"].flatMap((mode) =>
    ["zeros", "border", "reflection"].map((padding_mode) =>
      single("GridSample", `three axes, ${mode}, ${padding_mode}`, {
        ins: { x: f(1, 2, 3, 4, 2), grid: f(1, 2, 3, 2, 3) },
        attrs: { mode, padding_mode },
        opset: 20,
      }),
    ),
  ),
  ...[0, 1].flatMap((align_corners) => [
    single("AffineGrid", `two axes, align_corners ${align_corners}`, {
      ins: { theta: f(2, 2, 3) },
      consts: { size: ints(2, 3, 4, 5) },
      attrs: { align_corners },
      opset: 20,
    }),
    single("AffineGrid", `three axes, align_corners ${align_corners}`, {
      ins: { theta: f(1, 3, 4) },
      consts: { size: ints(1, 3, 2, 3, 4) },
      attrs: { align_corners },
      opset: 20,
    }),
  ]),
  single("DeformConv", "groups of channels and offsets, a bias and a mask", {
    ins: { x: f(2, 4, 5, 6), w: f(6, 2, 3, 2), offset: f(2, 24, 3, 6), b: f(6), mask: f(2, 12, 3, 6) },
    attrs: { group: 2, offset_group: 2, strides: [2, 1], pads: [1, 1, 1, 0], kernel_shape: [3, 2] },
    opset: 19,
  }),
  single("DeformConv", "dilations", {
    ins: { x: f(1, 2, 6, 6), w: f(3, 2, 2, 2), offset: f(1, 8, 4, 4) },
    attrs: { dilations: [2, 2], kernel_shape: [2, 2] },
    opset: 19,
  }),
  single("Col2Im", "strides, pads and dilations", {
    ins: { x: f(2, 12, 9) },
    consts: { image: ints(5, 6), block: ints(2, 2) },
    attrs: { strides: [2, 2], pads: [1, 1, 1, 0], dilations: [2, 2] },
    opset: 18,
  }),
  single("Col2Im", "three axes", {
    ins: { x: f(1, 8, 12) },
    consts: { image: ints(3, 4, 3), block: ints(2, 2, 2) },
    opset: 18,
  }),
];

const fitting: readonly Case[] = [
  ...["not_larger", "not_smaller"].flatMap((keep_aspect_ratio_policy) =>
    [ints(7, 8), ints(3, 9)].map((sizes) =>
      single("Resize", `${keep_aspect_ratio_policy} than ${numbersOf(sizes).join("x")}`, {
        ins: { x: f(1, 2, 4, 5) },
        order: ["x", "", "", "s"],
        consts: { s: sizes },
        attrs: { mode: "linear", keep_aspect_ratio_policy, axes: [2, 3] },
        opset: 18,
      }),
    ),
  ),
  single("Resize", "a region of two axes", {
    ins: { x: f(1, 2, 5, 6) },
    order: ["x", "r", "", "s"],
    consts: { r: floats(0.2, 0.1, 0.8, 0.9), s: ints(3, 4) },
    attrs: { mode: "linear", coordinate_transformation_mode: "tf_crop_and_resize", axes: [2, 3] },
    opset: 18,
  }),
  ...[
    [2, 9],
    [5, 4],
    [8, 3],
  ].map((shape) =>
    single("CenterCropPad", `to ${shape.join("x")}`, {
      ins: { x: f(2, 5, 4) },
      consts: { s: ints(...shape) },
      attrs: { axes: [1, -1] },
      opset: 18,
    }),
  ),
  ...["ReduceMax", "ReduceMin"].flatMap((op) => [
    single(op, "of booleans", {
      ins: { x: t(bool, 2, 3) },
      given: { x: of(bool, [2, 3], [1, 0, 1, 0, 0, 0]) },
      consts: { axes: ints(1) },
      opset: 20,
    }),
    single(op, "of nothing", {
      ins: {},
      consts: { x: of(float32, [2, 0, 3], []), axes: ints(1) },
      opset: 18,
    }),
  ]),
];

asOnnxRuntime({ scattering, attention, sampling, fitting });
