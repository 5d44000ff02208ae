// TFLite files of one operator, against TFLite's reference kernels as testing/oracles has them.
import { describe, expect, it } from "vitest";
import { f32, i32, ramp, relayOf, run, single } from "../../../testing/harness/tflite-single.ts";
import type { TensorSpec } from "../../../testing/harness/tflite-writer.ts";
import { convolution16, nearestPosition, type Array4 } from "../../../testing/oracles/tflite.ts";

/** Integers from `low` to `high` that do not repeat soon. */
const mixed = (count: number, low: number, high: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, i) => low + ((Math.imul(i + seed, 2654435761) >>> 8) % (high - low + 1)));

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

describe("RESIZE_NEAREST_NEIGHBOR", () => {
  const extents: readonly (readonly [number, number, number, number])[] = [
    [2, 2, 6, 6],
    [3, 4, 5, 7],
    [5, 7, 3, 4],
    [4, 4, 1, 8],
    [7, 3, 21, 2],
    [49, 60, 98, 47],
    [1, 130, 3, 390],
    [141, 3, 94, 1],
  ];
  const flags = [
    { alignCorners: false, halfPixelCenters: false },
    { alignCorners: true, halfPixelCenters: false },
    { alignCorners: false, halfPixelCenters: true },
    { alignCorners: true, halfPixelCenters: true },
  ];
  it.each(extents.flatMap((sizes) => flags.map((how) => [sizes, how] as const)))("%j %j", (sizes, how) => {
    const [height, width, rows, columns] = sizes;
    const bytes = single(
      "RESIZE_NEAREST_NEIGHBOR",
      [f32("x", [1, height, width, 1]), i32("size", [rows, columns])],
      [f32("y", [1, rows, columns, 1])],
      [{ flag: how.alignCorners }, { flag: how.halfPixelCenters }],
    );
    const want = Array.from({ length: rows * columns }, (_, i) => {
      const row = nearestPosition(Math.floor(i / columns), height, rows, how);
      return row * width + nearestPosition(i % columns, width, columns, how);
    });
    expect(run(bytes, [ramp(height * width)])).toEqual([want]);
  });

  it("stays one resize where that reads the same rows and columns", () => {
    const file = (rows: number): Uint8Array =>
      single(
        "RESIZE_NEAREST_NEIGHBOR",
        [f32("x", [1, 4, 4, 1]), i32("size", [rows, 8])],
        [f32("y", [1, rows, 8, 1])],
        [{ flag: true }, { flag: rows === 1 }],
      );
    expect(relayOf(file(8))[0]).toContain("image.resize2d(%x, size=[8, 8]");
    expect(relayOf(file(1)).map((line) => line.replace(/^%\d = /, "").slice(0, 5))).toEqual([
      "take(",
      "take(",
    ]);
  });
});

it("ROUND takes halves to the even neighbour", () => {
  const x = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.49, -3.51, 0];
  const file = single("ROUND", [f32("x", [x.length])], [f32("y", [x.length])]);
  expect(run(file, [Float32Array.from(x)])[0]!.map((value) => value + 0)).toEqual([
    0, 2, 2, 0, -2, -2, 3, -4, 0,
  ]);
});

describe("reductions of integers", () => {
  const data = mixed(2 * 3 * 4, -100, 110);
  const zero = 7;
  const [scale, outScale, outZero] = [0.05, 0.11, -3];
  const file = (op: string, type: "int8" | "int16", axes: readonly number[], keep: boolean): Uint8Array =>
    single(
      op,
      [
        { name: "x", shape: [2, 3, 4], type, scale: [scale], zero: [type === "int8" ? zero : 0] },
        i32("axes", axes),
      ],
      [{ name: "y", shape: [1], type, scale: [outScale], zero: [type === "int8" ? outZero : 0] }],
      [{ flag: keep }],
    );
  const combine: Readonly<Record<string, (values: readonly number[]) => number>> = {
    SUM: (values) => values.reduce((a, b) => a + b, 0),
    MEAN: (values) => values.reduce((a, b) => a + b, 0) / values.length,
    REDUCE_MAX: (values) => Math.max(...values),
    REDUCE_MIN: (values) => Math.min(...values),
    REDUCE_PROD: (values) => values.reduce((a, b) => a * b, 1),
  };
  /** The result's integers, computed with real numbers and not rounded. */
  function wanted(op: string, z: number, toZero: number, axes: readonly number[]): readonly number[] {
    const groups = new Map<string, number[]>();
    data.forEach((value, i) => {
      const index = [Math.floor(i / 12), Math.floor(i / 4) % 3, i % 4];
      const key = index.map((at, axis) => (axes.includes(axis) ? "-" : at)).join();
      groups.set(key, [...(groups.get(key) ?? []), (value - z) * scale]);
    });
    return [...groups.values()].map((values) => combine[op]!(values) / outScale + toZero);
  }
  const all = Object.keys(combine).flatMap((op) =>
    (["int8", "int16"] as const).flatMap((type) =>
      [[0], [1, 2], [0, 1, 2]].map((axes) => [op, type, axes] as const),
    ),
  );
  it.each(all)("%s of %s over %j", (op, type, axes) => {
    const input = type === "int8" ? Int8Array.from(data) : Int16Array.from(data);
    const [z, toZero] = type === "int8" ? [zero, outZero] : [0, 0];
    const limit = type === "int8" ? 127 : 32767;
    const want = wanted(op, z, toZero, axes).map((value) => Math.min(Math.max(value, -limit - 1), limit));
    for (const keep of [false, true]) {
      const [got] = run(file(op, type, axes, keep), [input]);
      expect(got!.length).toBe(want.length);
      got!.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(1));
    }
  });
});

describe("groups of CONV_2D", () => {
  const weightOf = (out: number, each: number): TensorSpec => ({
    name: "w",
    shape: [out, 3, 3, each],
    type: "int8",
    data: Int8Array.from(mixed(out * 9 * each, -127, 127, 5)),
    scale: Array.from({ length: out }, (_, i) => 0.01 + i / 500),
    axis: 0,
  });
  it.each([
    [4, 6, 2],
    [4, 8, 1],
    [6, 6, 3],
    [3, 3, 1],
  ])("%i channels to %i, %i a group, 8-bit integers", (channels, out, each) => {
    const weight = weightOf(out, each);
    const data = mixed(36 * channels, -128, 127, 9);
    const bias = mixed(out, -900, 900, 77);
    const bytes = single(
      "CONV_2D",
      [
        { name: "x", shape: [1, 6, 6, channels], type: "int8", scale: [0.5], zero: [-4] },
        weight,
        i32("b", bias),
      ],
      [{ name: "y", shape: [1, 3, 3, out], type: "int8", scale: [7], zero: [5] }],
      [{ i8: 0 }, { i32: 2 }, { i32: 2 }],
    );
    // In 16 bits there is no zero point and nothing is held at the range of 8 bits, so the oracle of those
    // gives the real value.
    const factors = weight.scale!.map((scale) => (0.5 * scale) / 7);
    const want = convolution16({
      data: { shape: [1, 6, 6, channels], data: data.map((value) => value + 4) },
      weight: { shape: [out, 3, 3, each], data: new Int8Array(weight.data!.buffer) },
      bias: bias.map(BigInt),
      stride: 2,
      same: true,
      factors,
    }).map((value) => Math.min(Math.max(value + 5, -128), 127));
    const [got] = run(bytes, [Int8Array.from(data)]);
    expect(got!.length).toBe(want.length);
    got!.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(1));
  });
});

describe("16-bit data", () => {
  const wide = (name: string, shape: readonly number[], scale: number): TensorSpec => ({
    name,
    shape,
    type: "int16",
    scale: [scale],
    zero: [0],
  });
  const wide64 = (values: readonly bigint[]): TensorSpec => ({
    name: "b",
    shape: [values.length],
    type: "int64",
    data: BigInt64Array.from(values),
  });

  it.each([
    ["CONV_2D", 4, 5, 4],
    ["CONV_2D in groups", 4, 6, 2],
    ["CONV_2D, whose sums need more than 32 bits", 300, 2, 300],
  ])("%s: every integer that TFLite gives", (_, channels, out, each) => {
    const shape: Array4["shape"] = [1, 5, 6, channels];
    const values = Int16Array.from(
      each === 300 ? mixed(product(shape), 30000, 32767) : mixed(product(shape), -32768, 32767),
    );
    const weights = Int8Array.from(
      each === 300 ? mixed(out * 9 * each, 120, 127) : mixed(out * 9 * each, -127, 127, 3),
    );
    const bias = mixed(out, -1e5, 1e5, 21).map((value) => BigInt(value) * 10n);
    const scales = Array.from({ length: out }, (_unused, i) => 0.004 + i / 3000);
    const [from, to] = [1 / 4096, each === 300 ? 1.5 : 0.02];
    const bytes = single(
      "CONV_2D",
      [
        wide("x", shape, from),
        { name: "w", shape: [out, 3, 3, each], type: "int8", data: weights, scale: scales, axis: 0 },
        wide64(bias),
      ],
      [wide("y", [1, 5, 6, out], to)],
      [{ i8: 0 }, { i32: 1 }, { i32: 1 }],
    );
    const f = Math.fround;
    const want = convolution16({
      data: { shape, data: values },
      weight: { shape: [out, 3, 3, each], data: weights },
      bias,
      stride: 1,
      same: true,
      factors: scales.map((scale) => (f(from) * f(scale)) / f(to)),
    });
    expect(new Set(want).size).toBeGreaterThan(5);
    expect(run(bytes, [values])).toEqual([want]);
  });

  it("DEPTHWISE_CONV_2D with two results a channel", () => {
    const values = Int16Array.from(mixed(4 * 4 * 3, -32768, 32767));
    const weights = Int8Array.from(mixed(9 * 6, -127, 127, 3));
    const bytes = single(
      "DEPTHWISE_CONV_2D",
      [
        wide("x", [1, 4, 4, 3], 0.001),
        { name: "w", shape: [1, 3, 3, 6], type: "int8", data: weights, scale: [0.01], axis: 3 },
        wide64([1n, 2n, 3n, 4n, 5n, 6n]),
      ],
      [wide("y", [1, 2, 2, 6], 0.003)],
      [{ i8: 1 }, { i32: 1 }, { i32: 1 }, { i32: 2 }],
    );
    const byChannel = Array.from({ length: 54 }, (_, i) => weights[(i % 9) * 6 + Math.floor(i / 9)]!);
    const f = Math.fround;
    const want = convolution16({
      data: { shape: [1, 4, 4, 3], data: values },
      weight: { shape: [6, 3, 3, 1], data: byChannel },
      bias: [1n, 2n, 3n, 4n, 5n, 6n],
      stride: 1,
      same: false,
      factors: [(f(0.001) * f(0.01)) / f(0.003)],
    });
    expect(run(bytes, [values])).toEqual([want]);
  });

  it.each([true, false])("FULLY_CONNECTED, bias of 64 bits: %s", (bias64) => {
    const values = Int16Array.from(mixed(2 * 12, -32768, 32767));
    const weights = Int8Array.from(mixed(3 * 12, -127, 127, 3));
    const bias = [100, -2000, 30000];
    const bytes = single(
      "FULLY_CONNECTED",
      [
        wide("x", [2, 12], 0.001),
        { name: "w", shape: [3, 12], type: "int8", data: weights, scale: [0.01], zero: [0] },
        bias64 ? wide64(bias.map(BigInt)) : i32("b", bias),
      ],
      [wide("y", [2, 3], 0.002)],
      [{ i8: 1 }],
    );
    const f = Math.fround;
    const want = convolution16({
      data: { shape: [1, 1, 2, 12], data: values },
      weight: { shape: [3, 1, 1, 12], data: weights },
      bias: bias.map(BigInt),
      stride: 1,
      same: false,
      factors: [(f(0.001) * f(0.01)) / f(0.002)],
    }).map((value) => Math.max(value, 0));
    expect(run(bytes, [values])).toEqual([want]);
  });

  it("TRANSPOSE_CONV", () => {
    const bytes = single(
      "TRANSPOSE_CONV",
      [
        i32("shape", [1, 1, 4, 1]),
        { name: "w", shape: [1, 1, 2, 1], type: "int8", data: Int8Array.of(100, -50), scale: [0.5] },
        wide("x", [1, 1, 2, 1], 0.25),
        wide64([8n]),
      ],
      [wide("y", [1, 1, 4, 1], 0.125)],
      [{ i8: 1 }, { i32: 2 }, { i32: 1 }],
    );
    expect(run(bytes, [Int16Array.of(3, -200)])).toEqual([[308, -142, -19992, 10008]]);
  });

  const real: readonly (readonly [
    string,
    readonly TensorSpec[],
    TensorSpec,
    unknown,
    (a: number, b: number) => number,
  ])[] = [
    ["ADD", [wide("a", [40], 0.001), wide("b", [40], 0.002)], wide("y", [40], 0.0025), null, (a, b) => a + b],
    ["SUB", [wide("a", [40], 0.001), wide("b", [40], 0.002)], wide("y", [40], 0.0025), null, (a, b) => a - b],
    ["MUL", [wide("a", [40], 0.001), wide("b", [40], 0.002)], wide("y", [40], 0.05), null, (a, b) => a * b],
    [
      "SQUARED_DIFFERENCE",
      [wide("a", [40], 0.001), wide("b", [40], 0.002)],
      wide("y", [40], 0.3),
      null,
      (a, b) => (a - b) ** 2,
    ],
    ["LOGISTIC", [wide("a", [40], 0.0003)], wide("y", [40], 1 / 32768), null, (a) => 1 / (1 + Math.exp(-a))],
    ["TANH", [wide("a", [40], 0.0001)], wide("y", [40], 1 / 32768), null, (a) => Math.tanh(a)],
    [
      "LEAKY_RELU",
      [wide("a", [40], 0.001)],
      wide("y", [40], 0.0012),
      [{ f32: 0.25 }],
      (a) => (a < 0 ? a / 4 : a),
    ],
    ["RELU", [wide("a", [40], 0.001)], wide("y", [40], 0.0012), null, (a) => Math.max(a, 0)],
    [
      "HARD_SWISH",
      [wide("a", [40], 0.0002)],
      wide("y", [40], 0.0002),
      null,
      (a) => (a * Math.min(Math.max(a + 3, 0), 6)) / 6,
    ],
    [
      "QUANTIZE",
      [wide("a", [40], 0.001)],
      { name: "y", shape: [40], type: "int8", scale: [0.3], zero: [4] },
      null,
      (a) => a,
    ],
    [
      "QUANTIZE",
      [{ name: "a", shape: [40], type: "int8", scale: [0.3], zero: [4] }],
      wide("y", [40], 0.001),
      null,
      (a) => a,
    ],
    ["DEQUANTIZE", [wide("a", [40], 0.001)], { name: "y", shape: [40], type: "float32" }, null, (a) => a],
    ["RESHAPE", [wide("a", [40], 0.001)], wide("y", [40], 0.002), [{ i32s: [40] }], (a) => a],
    ["MAXIMUM", [wide("a", [40], 0.001), wide("b", [40], 0.001)], wide("y", [40], 0.001), null, Math.max],
  ];
  it.each(real)("%s is within one step of the real value", (op, inputs, to, options, value) => {
    const bytes = single(op, inputs, [to], (options ?? [{ i8: 0 }]) as never);
    const ints = inputs.map(({ type }, i) =>
      type === "int16"
        ? Int16Array.from(mixed(40, -32768, 32767, 31 * i + 1))
        : Int8Array.from(mixed(40, -128, 127, 31 * i + 1)),
    );
    const [got] = run(bytes, ints);
    const limit = to.type === "int8" ? 127 : to.type === "int16" ? 32767 : Infinity;
    got!.forEach((found, k) => {
      const [a = 0, b = 0] = ints.map(
        (list, i) => (list[k]! - (inputs[i]!.zero?.[0] ?? 0)) * inputs[i]!.scale![0]!,
      );
      const want = value(a, b) / (to.scale?.[0] ?? 1) + (to.zero?.[0] ?? 0);
      expect(Math.abs(found - Math.min(Math.max(want, -limit - 1), limit))).toBeLessThanOrEqual(1.001);
    });
  });

  it("CONCATENATION brings every part to the result's scale; PAD and AVERAGE_POOL_2D keep it", () => {
    const joined = single(
      "CONCATENATION",
      [wide("a", [2], 0.5), wide("b", [2], 1)],
      [wide("y", [4], 1)],
      [{ i32: 0 }, { i8: 0 }],
    );
    expect(run(joined, [Int16Array.of(10, -6), Int16Array.of(3, -32768)])).toEqual([[5, -3, 3, -32768]]);
    const padded = single("PAD", [wide("a", [2], 0.5), i32("p", [1, 1], [1, 2])], [wide("y", [4], 0.5)]);
    expect(run(padded, [Int16Array.of(10, -6)])).toEqual([[0, 10, -6, 0]]);
    const pooled = single(
      "AVERAGE_POOL_2D",
      [wide("a", [1, 1, 2, 1], 0.5)],
      [wide("y", [1, 1, 1, 1], 0.5)],
      [{ i8: 1 }, { i32: 2 }, { i32: 1 }, { i32: 2 }, { i32: 1 }],
    );
    expect(run(pooled, [Int16Array.of(32000, 32002)])).toEqual([[32001]]);
  });
});
