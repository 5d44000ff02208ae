// Operators of ONNX where its own backend tests (npm run onnx-suite) do not look, against onnxruntime-web:
// resampling, indexing, broadcasting.
import { bool, float32, int32, int64, uint8 } from "../compiler/ir/dtype.ts";
import { asOnnxRuntime, f, floats, ints, of, scalar, single, type Case } from "./harness/onnx-cases.ts";
import type { FileAttr } from "./harness/onnx-writer.ts";

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

asOnnxRuntime({ resampling, indexing, elementwise });
