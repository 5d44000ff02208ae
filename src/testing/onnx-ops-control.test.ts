// Operators of ONNX where its own backend tests (npm run onnx-suite) do not look, against onnxruntime-web:
// control flow.
import { bool, float32, int64 } from "../compiler/ir/dtype.ts";
import { asOnnxRuntime, f, ints, of, scalar, type Case } from "./harness/onnx-cases.ts";

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
    name: `If: a condition known when it runs, ${value === 1}`,
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

asOnnxRuntime({ control });
