// What operators of TFLite compute, on files written by the tests.
import { describe, expect, it } from "vitest";
import {
  tfliteFile,
  type FlatFields,
  type GraphSpec,
  type TensorSpec,
} from "../../../testing/harness/tflite-writer.ts";
import { encodeFloat16 } from "../../ir/float16.ts";
import { type TensorArray } from "../../ir/tensor-data.ts";
import {
  codes,
  context,
  f32,
  floats,
  i32,
  imported,
  ramp,
  run,
  single,
  relayOf,
} from "../../../testing/harness/tflite-single.ts";

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
    "SPLIT_V with a size to be found",
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
