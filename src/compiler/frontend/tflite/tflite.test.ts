// TFLite files, written by the tests: what they become in Relay and what that computes.
import { describe, expect, it } from "vitest";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { relayContext } from "../../../testing/harness/relay-text.ts";
import {
  flatFile,
  tfliteFile,
  type FlatFields,
  type GraphSpec,
  type OperatorSpec,
  type TensorSpec,
} from "../../../testing/harness/tflite-writer.ts";
import { defaultOptions, type Options } from "../../options.ts";
import { encodeFloat16 } from "../../ir/float16.ts";
import { expandOrigin } from "../../ir/origin.ts";
import { tensorData, type TensorArray, type TensorData } from "../../ir/tensor-data.ts";
import { ops } from "../../ops/index.ts";
import { calledOp, type Constant, type Expr } from "../../relay/expr.ts";
import { inferType } from "../../relay/passes/infer-type/infer-type.ts";
import type { RelayContext } from "../../relay/op.ts";
import { runRelayPrefix } from "../../relay/pass-list.ts";
import { printModule } from "../../relay/text/print.ts";
import { postOrder } from "../../relay/visit.ts";
import type { Imported } from "../model-file.ts";
import { importTflite } from "./import.ts";

function context(options: Options = defaultOptions): RelayContext {
  return withJit({ ...relayContext(), options });
}

function importBytes(bytes: Uint8Array, cx: RelayContext = context()): Imported | null {
  return importTflite({ name: "model.tflite", bytes, files: new Map() }, cx);
}

function imported(bytes: Uint8Array, cx: RelayContext = context()): Imported {
  const found = importBytes(bytes, cx);
  if (found === null)
    throw new Error(
      cx.diagnostics.map((d) => `${d.code} ${d.message} (${d.expected ?? ""}; ${d.got ?? ""})`).join("\n"),
    );
  return found;
}

/** The lines of main's body, without metadata. */
function relayOf(bytes: Uint8Array): readonly string[] {
  const cx = context();
  const module = inferType.run(imported(bytes, cx).module, cx);
  expect(cx.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const text = printModule(module, { ops, showMeta: false }).text;
  return text
    .slice(text.indexOf("{\n") + 2, text.indexOf("\n}"))
    .split("\n")
    .map((line) => line.trim().replaceAll(/ \/\* ty=.*?\*\//g, ""));
}

const codes = {
  ADD: 0,
  AVERAGE_POOL_2D: 1,
  CONCATENATION: 2,
  CONV_2D: 3,
  DEPTHWISE_CONV_2D: 4,
  DEQUANTIZE: 6,
  FULLY_CONNECTED: 9,
  LOGISTIC: 14,
  LSTM: 16,
  RELU: 19,
  RESHAPE: 22,
  RESIZE_BILINEAR: 23,
  SOFTMAX: 25,
  PAD: 34,
  GATHER: 36,
  MEAN: 40,
  STRIDED_SLICE: 45,
  SPLIT: 49,
  PRELU: 54,
  TRANSPOSE_CONV: 67,
  SHAPE: 77,
  PACK: 83,
  UNPACK: 88,
  LEAKY_RELU: 98,
  SPLIT_V: 102,
  QUANTIZE: 114,
  HARD_SWISH: 117,
  IF: 118,
  DENSIFY: 124,
  BATCH_MATMUL: 126,
  GELU: 150,
} as const;

const f32 = (name: string, shape: readonly number[], data?: readonly number[]): TensorSpec => ({
  name,
  shape,
  type: "float32",
  ...(data === undefined ? {} : { data: Float32Array.from(data) }),
});
const i32 = (
  name: string,
  data: readonly number[],
  shape: readonly number[] = [data.length],
): TensorSpec => ({ name, shape, type: "int32", data: Int32Array.from(data) });

/** One operator on the model's inputs (tensors without data) and constants; further tensors are its outputs. */
function single(
  op: string,
  ins: readonly TensorSpec[],
  outs: readonly TensorSpec[],
  options?: FlatFields,
  custom?: Uint8Array,
): Uint8Array {
  const operator: OperatorSpec = {
    code: (codes as Record<string, number>)[op] ?? op,
    inputs: ins.map((_, i) => i),
    outputs: outs.map((_, i) => ins.length + i),
    ...(options === undefined ? {} : { options }),
    ...(custom === undefined ? {} : { custom }),
  };
  return tfliteFile({
    tensors: [...ins, ...outs],
    inputs: ins.flatMap((tensor, i) => (tensor.data === undefined ? [i] : [])),
    outputs: operator.outputs,
    operators: [operator],
  });
}

/** Values of the outputs, inputs given in the order of the file. */
function run(
  bytes: Uint8Array,
  inputs: readonly TensorArray[],
  shapes: Options["shapes"] = {},
): readonly (readonly number[])[] {
  const cx = context({ ...defaultOptions, shapes });
  const { module } = imported(bytes, cx);
  const main = runRelayPrefix(inferType.run(module, cx), cx).functions.get("main")!;
  const values = main.params.map((param, i): TensorData => {
    const type = param.annotation;
    if (type?.kind !== "tensor-type") throw new Error("a tensor");
    return tensorData(type.dtype, type.shape as number[], inputs[i]!);
  });
  return runRelay(main, values, cx).map((out) => Array.from(out.data as ArrayLike<number | bigint>, Number));
}

const floats = (...values: readonly number[]): Float32Array => Float32Array.from(values);
const ramp = (count: number, from = 0): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => from + i);

describe("what becomes of a file", () => {
  const conv = single(
    "CONV_2D",
    [
      f32("image", [1, 5, 5, 2]),
      f32(
        "kernel",
        [3, 3, 3, 2],
        Array.from({ length: 54 }, (_, i) => i),
      ),
      f32("bias", [3], [1, 2, 3]),
    ],
    [f32("out", [1, 3, 3, 3])],
    [{ i8: 0 }, { i32: 2 }, { i32: 2 }, { i8: 1 }],
  );

  it("a convolution: SAME padding, the kernel as HWIO, bias, activation", () => {
    expect(relayOf(conv)).toEqual([
      '%0 = nn.conv2d(%image, meta[relay.Constant][0], strides=[2, 2], padding=[1, 1, 1, 1], channels=3, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWIO");',
      "%1 = nn.bias_add(%0, meta[relay.Constant][1], axis=3);",
      "nn.relu(%1)",
    ]);
  });

  it("nodes, their origins, and facts", () => {
    const { module, nodes, facts } = imported(conv);
    expect(nodes).toEqual([
      { name: "image", op: "Input" },
      { name: "out", op: "CONV_2D" },
      { name: "kernel", op: "Constant" },
      { name: "bias", op: "Constant" },
    ]);
    const ids = new Map<string, readonly number[]>();
    postOrder(module.functions.get("main")!, (expr: Expr) =>
      ids.set(
        calledOp(expr) ?? `${expr.kind}${expr.kind === "constant" ? expr.data.shape.length : ""}`,
        expandOrigin(expr.origin),
      ),
    );
    expect(Object.fromEntries(ids)).toMatchObject({
      var: [0],
      "nn.conv2d": [1],
      "nn.bias_add": [1],
      "nn.relu": [1],
      constant4: [2],
      constant1: [3],
    });
    expect(facts).toMatchObject({
      format: "TFLite schema 3",
      producer: "written by a test",
      inputs: [["image", "float32[1, 5, 5, 2], 200 bytes"]],
      operators: [["CONV_2D", 1]],
    });
  });

  it("weights are views on the file where nothing moves", () => {
    const bytes = single(
      "FULLY_CONNECTED",
      [f32("x", [1, 4]), f32("w", [3, 4], Array.from(ramp(12)))],
      [f32("y", [1, 3])],
      [],
    );
    const constants: Constant[] = [];
    postOrder(imported(bytes).module.functions.get("main")!, (expr) => {
      if (expr.kind === "constant") constants.push(expr);
    });
    expect(
      constants.map(({ data }) => [data.data.buffer === bytes.buffer, Array.from(data.data as Float32Array)]),
    ).toEqual([[true, Array.from(ramp(12))]]);
    // A file that begins at an odd byte of its buffer is copied tensor by tensor.
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(run(shifted.subarray(1), [floats(1, 0, 0, 0)])).toEqual([[0, 4, 8]]);
  });

  it("quantised layers, as TVM writes them", () => {
    const q = (
      name: string,
      shape: readonly number[],
      scale: readonly number[],
      zero: readonly number[],
    ): TensorSpec => ({ name, shape, type: "int8", scale, zero });
    const bytes = single(
      "DEPTHWISE_CONV_2D",
      [
        q("x", [1, 4, 4, 2], [0.5], [3]),
        {
          ...q("w", [1, 3, 3, 2], [0.1, 0.2], [0, 0]),
          axis: 3,
          data: Int8Array.from({ length: 18 }, (_, i) => i - 9),
        },
        { name: "b", shape: [2], type: "int32", data: Int32Array.of(5, -5) },
      ],
      [q("y", [1, 2, 2, 2], [0.25], [-128])],
      [{ i8: 1 }, { i32: 1 }, { i32: 1 }, { i32: 1 }, { i8: 3 }],
    );
    expect(relayOf(bytes)).toEqual([
      '%0 = qnn.conv2d(%x, meta[relay.Constant][0], 3, 0, 0.5f, meta[relay.Constant][1], padding=[0, 0, 0, 0], groups=2, channels=2, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWOI", out_dtype="int32");',
      "%1 = nn.bias_add(%0, meta[relay.Constant][2], axis=3);",
      '%2 = qnn.requantize(%1, meta[relay.Constant][3], 0, 0.25f, -128, axis=3, out_dtype="int8");',
      "clip(%2, a_min=-128f, a_max=-104f)",
    ]);
  });

  it("--shape gives an input another shape", () => {
    const cx = context({ ...defaultOptions, shapes: { image: [1, 9, 9, 2] } });
    const { module } = imported(conv, cx);
    expect(module.functions.get("main")!.body.type).toMatchObject({ shape: [1, 5, 5, 3] });
  });
});

/** name, file, inputs, expected outputs (within 1e-5). */
const sums: readonly (readonly [
  string,
  Uint8Array,
  readonly TensorArray[],
  readonly (readonly number[])[],
])[] = [
  [
    "RESHAPE by its options",
    single("RESHAPE", [f32("x", [2, 3])], [f32("y", [3, 2])], [{ i32s: [3, 2] }]),
    [ramp(6)],
    [[0, 1, 2, 3, 4, 5]],
  ],
  [
    "CONCATENATION",
    single(
      "CONCATENATION",
      [f32("a", [1, 2]), f32("b", [1, 1], [9])],
      [f32("y", [1, 3])],
      [{ i32: 1 }, { i8: 0 }],
    ),
    [floats(1, 2)],
    [[1, 2, 9]],
  ],
  [
    "PAD",
    single("PAD", [f32("x", [1, 2]), i32("p", [0, 1, 2, 0], [2, 2])], [f32("y", [2, 4])]),
    [floats(1, 2)],
    [[0, 0, 1, 2, 0, 0, 0, 0]],
  ],
  [
    "MEAN over two axes",
    single("MEAN", [f32("x", [1, 2, 2, 2]), i32("axes", [1, 2])], [f32("y", [1, 2])], [{ flag: false }]),
    [ramp(8)],
    [[3, 4]],
  ],
  [
    "FULLY_CONNECTED that keeps dimensions",
    single(
      "FULLY_CONNECTED",
      [f32("x", [1, 2, 2]), f32("w", [1, 2], [1, 10])],
      [f32("y", [1, 2, 1])],
      [{ i8: 0 }, null, { flag: true }],
    ),
    [floats(1, 2, 3, 4)],
    [[21, 43]],
  ],
  [
    "STRIDED_SLICE with masks",
    single(
      "STRIDED_SLICE",
      [f32("x", [3, 4]), i32("b", [0, -1]), i32("e", [2, 0]), i32("s", [1, -2])],
      [f32("y", [3, 2])],
      [{ i32: 1 }, { i32: 3 }, null, null, null],
    ),
    [ramp(12)],
    [[3, 1, 7, 5, 11, 9]],
  ],
  [
    "STRIDED_SLICE that drops an axis and adds one",
    single(
      "STRIDED_SLICE",
      [f32("x", [3, 4]), i32("b", [0, -1, 1]), i32("e", [0, 0, 3]), i32("s", [1, 1, 1])],
      [f32("y", [1, 2])],
      [null, null, null, { i32: 1 }, { i32: 2 }],
    ),
    [ramp(12)],
    [[9, 10]],
  ],
  [
    "STRIDED_SLICE with an ellipsis",
    single(
      "STRIDED_SLICE",
      [f32("x", [2, 2, 3]), i32("b", [0, 1]), i32("e", [0, 2]), i32("s", [1, 1])],
      [f32("y", [2, 2, 1])],
      [null, null, { i32: 1 }],
    ),
    [ramp(12)],
    [[1, 4, 7, 10]],
  ],
  [
    "SPLIT",
    single(
      "SPLIT",
      [i32("axis", [1], []), f32("x", [1, 4])],
      [f32("a", [1, 2]), f32("b", [1, 2])],
      [{ i32: 2 }],
    ),
    [ramp(4)],
    [
      [0, 1],
      [2, 3],
    ],
  ],
  [
    "SPLIT_V with an open size",
    single(
      "SPLIT_V",
      [f32("x", [4]), i32("sizes", [1, -1]), i32("axis", [0], [])],
      [f32("a", [1]), f32("b", [3])],
      [{ i32: 2 }],
    ),
    [ramp(4)],
    [[0], [1, 2, 3]],
  ],
  [
    "UNPACK",
    single("UNPACK", [f32("x", [2, 1])], [f32("a", [1]), f32("b", [1])], [{ i32: 2 }, { i32: 0 }]),
    [floats(3, 4)],
    [[3], [4]],
  ],
  [
    "PACK",
    single("PACK", [f32("a", [2]), f32("b", [2], [7, 8])], [f32("y", [2, 2])], [{ i32: 2 }, { i32: 1 }]),
    [floats(1, 2)],
    [[1, 7, 2, 8]],
  ],
  [
    "GATHER",
    single("GATHER", [f32("x", [3, 2]), i32("i", [2, 0])], [f32("y", [2, 2])], [{ i32: 0 }]),
    [ramp(6)],
    [[4, 5, 0, 1]],
  ],
  [
    "PRELU a channel",
    single("PRELU", [f32("x", [1, 1, 2, 2]), f32("a", [1, 1, 2], [0.5, 0.25])], [f32("y", [1, 1, 2, 2])]),
    [floats(-2, -4, 2, 4)],
    [[-1, -1, 2, 4]],
  ],
  [
    "PRELU of any shape",
    single("PRELU", [f32("x", [1, 3]), f32("a", [1, 3], [1, 2, 3])], [f32("y", [1, 3])]),
    [floats(-1, -1, 1)],
    [[-1, -2, 1]],
  ],
  [
    "HARD_SWISH",
    single("HARD_SWISH", [f32("x", [3])], [f32("y", [3])]),
    [floats(-4, 0.6, 5)],
    [[0, 0.36, 5]],
  ],
  [
    "LEAKY_RELU",
    single("LEAKY_RELU", [f32("x", [2])], [f32("y", [2])], [{ f32: 0.5 }]),
    [floats(-2, 2)],
    [[-1, 2]],
  ],
  [
    "GELU",
    single("GELU", [f32("x", [2])], [f32("y", [2])], [{ flag: false }]),
    [floats(-1, 1)],
    [[-0.15865525, 0.8413447]],
  ],
  [
    "SOFTMAX with beta",
    single("SOFTMAX", [f32("x", [1, 2])], [f32("y", [1, 2])], [{ f32: 2 }]),
    [floats(0, Math.log(3) / 2)],
    [[0.25, 0.75]],
  ],
  [
    "RESIZE_BILINEAR",
    single(
      "RESIZE_BILINEAR",
      [f32("x", [1, 1, 2, 1]), i32("size", [1, 4])],
      [f32("y", [1, 1, 4, 1])],
      [null, null, { flag: false }, { flag: true }],
    ),
    [floats(0, 4)],
    [[0, 1, 3, 4]],
  ],
  [
    "AVERAGE_POOL_2D counts what is there",
    single(
      "AVERAGE_POOL_2D",
      [f32("x", [1, 2, 2, 1])],
      [f32("y", [1, 2, 2, 1])],
      [{ i8: 0 }, { i32: 1 }, { i32: 1 }, { i32: 2 }, { i32: 2 }],
    ),
    [floats(1, 2, 3, 4)],
    [[2.5, 3, 3.5, 4]],
  ],
  [
    "BATCH_MATMUL with one matrix for all",
    single(
      "BATCH_MATMUL",
      [f32("x", [2, 1, 2]), f32("w", [2, 2], [1, 2, 3, 4])],
      [f32("y", [2, 1, 2])],
      [{ flag: false }, { flag: true }],
    ),
    [floats(1, 0, 0, 1)],
    [[1, 3, 2, 4]],
  ],
  [
    "TRANSPOSE_CONV whose size the stride does not divide",
    single(
      "TRANSPOSE_CONV",
      [i32("shape", [1, 1, 4, 1]), f32("w", [1, 1, 2, 1], [1, 10]), f32("x", [1, 1, 2, 1])],
      [f32("y", [1, 1, 4, 1])],
      [{ i8: 1 }, { i32: 2 }, { i32: 1 }],
    ),
    [floats(1, 2)],
    [[1, 10, 2, 20]],
  ],
  [
    "MediaPipe's transposed convolution",
    single(
      "Convolution2DTransposeBias",
      [f32("x", [1, 1, 2, 1]), f32("w", [1, 1, 2, 1], [1, 10]), f32("b", [1], [0.5])],
      [f32("y", [1, 1, 4, 1])],
      undefined,
      new Uint8Array(Int32Array.of(1, 2, 1).buffer),
    ),
    [floats(1, 2)],
    [[1.5, 10.5, 2.5, 20.5]],
  ],
];

describe("what operators compute", () => {
  it.each(sums)("%s", (_, bytes, inputs, want) => {
    const got = run(bytes, inputs);
    expect(got.map((values) => values.length)).toEqual(want.map((values) => values.length));
    got.forEach((values, i) => values.forEach((value, k) => expect(value).toBeCloseTo(want[i]![k]!, 5)));
  });

  it("integers: QUANTIZE, ADD, LOGISTIC and DEQUANTIZE", () => {
    const q = (name: string, scale: number, zero: number): TensorSpec => ({
      name,
      shape: [4],
      type: "int8",
      scale: [scale],
      zero: [zero],
    });
    const bytes = tfliteFile({
      tensors: [f32("x", [4]), q("a", 0.5, 1), q("b", 1, 0), q("c", 1 / 256, -128), f32("y", [4])],
      inputs: [0],
      outputs: [4],
      operators: [
        { code: codes.QUANTIZE, inputs: [0], outputs: [1] },
        { code: codes.ADD, inputs: [1, 1], outputs: [2], options: [{ i8: 0 }] },
        { code: codes.LOGISTIC, inputs: [2], outputs: [3] },
        { code: codes.DEQUANTIZE, inputs: [3], outputs: [4] },
      ],
    });
    const sigmoid = (x: number): number => Math.min(Math.round(256 / (1 + Math.exp(-x))), 255) / 256;
    expect(run(bytes, [floats(-3, 0, 1, 2)])).toEqual([[-6, 0, 2, 4].map(sigmoid)]);
  });

  it("weights of 16-bit floats", () => {
    const half: TensorSpec = {
      name: "h",
      shape: [1, 2],
      type: "float16",
      data: Uint16Array.from([0.5, -3], encodeFloat16),
    };
    const bytes = tfliteFile({
      tensors: [f32("x", [1, 2]), half, f32("w", [1, 2]), f32("y", [1, 1])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.DEQUANTIZE, inputs: [1], outputs: [2] },
        { code: codes.FULLY_CONNECTED, inputs: [0, 2], outputs: [3], options: [] },
      ],
    });
    expect(run(bytes, [floats(4, 1)])).toEqual([[-1]]);
  });

  it("integer weights beside float data, one scale a channel", () => {
    const weight: TensorSpec = {
      name: "w",
      shape: [2, 1, 1, 1],
      type: "int8",
      data: Int8Array.of(4, -8),
      scale: [0.5, 0.25],
      axis: 0,
    };
    const bytes = single(
      "CONV_2D",
      [f32("x", [1, 1, 1, 1]), weight],
      [f32("y", [1, 1, 1, 2])],
      [{ i8: 0 }, { i32: 1 }, { i32: 1 }],
    );
    expect(run(bytes, [floats(3)])).toEqual([[6, -6]]);
    const cx = context();
    imported(bytes, cx);
    expect(cx.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["RS1843", "info"]]);
  });

  it("sparse weights: rows compressed, and blocks", () => {
    const rows: FlatFields = [
      { i32s: [0, 1] },
      null,
      {
        tables: [
          [{ i8: 0 }, { i32: 3 }],
          [
            { i8: 1 },
            null,
            { i8: 3 },
            { table: [{ bytes: Uint8Array.of(0, 1, 1, 3) }] },
            { i8: 2 },
            { table: [{ u16s: [2, 0, 1] }] },
          ],
        ],
      },
    ];
    const blocked: FlatFields = [
      { i32s: [0, 1, 2] },
      { i32s: [1] },
      {
        tables: [
          [{ i8: 0 }, { i32: 3 }],
          [
            { i8: 1 },
            null,
            { i8: 1 },
            { table: [{ i32s: [0, 1, 1, 2] }] },
            { i8: 1 },
            { table: [{ i32s: [1, 0] }] },
          ],
          [{ i8: 0 }, { i32: 2 }],
        ],
      },
    ];
    const file = (width: number, values: readonly number[], sparsity: FlatFields): Uint8Array =>
      tfliteFile({
        tensors: [
          f32("x", [1, width]),
          { ...f32("s", [3, width], values), sparsity },
          f32("w", [3, width]),
          f32("y", [1, 3]),
        ],
        inputs: [0],
        outputs: [3],
        operators: [
          { code: codes.DENSIFY, inputs: [1], outputs: [2] },
          { code: codes.FULLY_CONNECTED, inputs: [0, 2], outputs: [3], options: [] },
        ],
      });
    // Row 0 holds 5 in column 2, row 2 holds 6 and 7 in columns 0 and 1.
    expect(run(file(3, [5, 6, 7], rows), [floats(1, 10, 100)])).toEqual([[500, 0, 76]]);
    // Blocks of two columns: row 0 has columns 2 and 3, row 2 has 0 and 1.
    expect(run(file(4, [1, 2, 3, 4], blocked), [floats(1, 10, 100, 1000)])).toEqual([[2100, 0, 43]]);
  });

  it("branches: chosen when running, or when importing", () => {
    const branch = (scale: number): GraphSpec => ({
      tensors: [f32("v", [2]), f32("k", [1], [scale]), f32("r", [2])],
      inputs: [0],
      outputs: [2],
      operators: [{ code: codes.ADD, inputs: [0, 1], outputs: [2], options: [{ i8: 0 }] }],
    });
    const main = (flag: TensorSpec): GraphSpec => ({
      tensors: [flag, f32("x", [2]), f32("y", [2])],
      inputs: flag.data === undefined ? [0, 1] : [1],
      outputs: [2],
      operators: [{ code: codes.IF, inputs: [0, 1], outputs: [2], options: [{ i32: 1 }, { i32: 2 }] }],
    });
    const open = tfliteFile(main({ name: "c", shape: [1], type: "bool" }), branch(10), branch(20));
    expect([1, 0].map((c) => run(open, [Uint8Array.of(c), floats(1, 2)]))).toEqual([[[11, 12]], [[21, 22]]]);
    const fixed = tfliteFile(
      main({ name: "c", shape: [1], type: "bool", data: Uint8Array.of(0) }),
      branch(10),
      branch(20),
    );
    expect(relayOf(fixed)).toHaveLength(1);
    expect(run(fixed, [floats(1, 2)])).toEqual([[21, 22]]);
  });

  it("shapes that the model computes are known when importing", () => {
    const bytes = tfliteFile({
      tensors: [f32("x", [2, 3]), { name: "s", shape: [2], type: "int32" }, f32("y", [6]), f32("z", [2, 3])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.SHAPE, inputs: [0], outputs: [1] },
        { code: codes.RESHAPE, inputs: [0], outputs: [2], options: [{ i32s: [-1] }] },
        { code: codes.RESHAPE, inputs: [2, 1], outputs: [3] },
      ],
    });
    expect(relayOf(bytes)).toEqual(["%0 = reshape(%x, newshape=[-1]);", "reshape(%0, newshape=[2, 3])"]);
  });
});

describe("refusals", () => {
  const refusal = (bytes: Uint8Array): readonly string[] => {
    const cx = context();
    expect(importBytes(bytes, cx)).toBeNull();
    return cx.diagnostics.map(({ code, message }) => `${code} ${message}`);
  };

  it("operators that are not known, all at once", () => {
    const bytes = tfliteFile({
      tensors: [f32("x", [1]), f32("a", [1]), f32("b", [1]), f32("c", [1])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.LSTM, inputs: [0], outputs: [1] },
        { code: "MyOwn", inputs: [1], outputs: [2] },
        { code: codes.LSTM, inputs: [2], outputs: [3] },
      ],
    });
    expect(refusal(bytes)).toEqual([
      "RS1841 The model uses LSTM, which this compiler does not import.",
      "RS1841 The model uses MyOwn, which this compiler does not import.",
    ]);
    const cx = context();
    importBytes(bytes, cx);
    expect(cx.diagnostics[0]!.notes).toEqual(['it makes "a"', 'it makes "c"']);
  });

  it("uses that are not known, each with its place; what follows from them is not reported", () => {
    const bytes = tfliteFile({
      tensors: [f32("x", [1, 2]), f32("w", [1, 2, 3], Array.from(ramp(6))), f32("a", [1]), f32("b", [1])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.FULLY_CONNECTED, inputs: [0, 1], outputs: [2], options: [] },
        { code: codes.RELU, inputs: [2], outputs: [3] },
      ],
    });
    expect(refusal(bytes)).toEqual(['RS1842 FULLY_CONNECTED that makes "a": its weight must have rank 2']);
  });

  it("a window that does not fit, where the file leaves the extent open", () => {
    const open: TensorSpec = { name: "x:0", shape: [1, 1, 1, 1], type: "float32", signature: [1, -1, 1, 1] };
    const bytes = single(
      "CONV_2D",
      [open, f32("w", [1, 2, 1, 1], [1, 1])],
      [f32("y", [1, 1, 1, 1])],
      [{ i8: 1 }, { i32: 1 }, { i32: 1 }],
    );
    const cx = context();
    importBytes(bytes, cx);
    expect(cx.diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ["RS1842", "use a smaller window or more padding"],
      ["RS1844", "give it a shape, as in --shape x:0=1x1x1x1"],
    ]);
    expect(run(bytes, [floats(1, 2, 4)], { "x:0": [1, 3, 1, 1] })).toEqual([[3, 6]]);
  });

  it("files that are none, or damaged at any byte", () => {
    expect(refusal(new Uint8Array(3))).toEqual(["RS1840 The TFLite file is damaged: it is too short."]);
    expect(refusal(flatFile([], "ELSE"))).toEqual(["RS1840 The file is no TFLite model."]);
    expect(refusal(flatFile([]))).toEqual(["RS1840 The TFLite file holds no graph."]);
    const good = single(
      "CONCATENATION",
      [f32("a", [1, 2]), f32("b", [1, 1], [9])],
      [f32("y", [1, 3])],
      [{ i32: 1 }, { i8: 0 }],
    );
    for (let at = 0; at < good.length; at++) {
      for (const value of [0x00, 0x7f, 0xff]) {
        const bad = good.slice();
        bad[at] = value;
        const cx = context();
        expect(importBytes(bad, cx) === null).toBe(
          cx.diagnostics.some(({ severity }) => severity === "error"),
        );
      }
      const cx = context();
      importBytes(good.subarray(0, at), cx);
    }
  });
});
