// --tflite-rounding: 8-bit operators against TFLite's reference kernels as testing/oracles has them, equal to
// the last bit.
import { describe, expect, it } from "vitest";
import { i32, relayOf, run, single } from "../../../testing/harness/tflite-single.ts";
import type { FlatFields, TensorSpec } from "../../../testing/harness/tflite-writer.ts";
import {
  held,
  productOfBytes,
  roundedShare,
  scaledByte,
  sumOfBytes,
  type Quantised,
  type Range,
} from "../../../testing/oracles/tflite-bytes.ts";

const f = Math.fround;

const tensor = (name: string, shape: readonly number[], { scale, zero }: Quantised): TensorSpec => ({
  name,
  shape,
  type: "int8",
  scale: [scale],
  zero: [zero],
});

const whole: Range = [-128, 127];
const bytes = Array.from({ length: 256 }, (_, i) => i - 128);
/** Every byte beside every byte. */
const pairs = bytes.flatMap((x) => bytes.map((y) => [x, y] as const));
const mixed = (count: number, low: number, high: number, seed = 1): number[] =>
  Array.from({ length: count }, (_, i) => low + ((Math.imul(i + seed, 2654435761) >>> 8) % (high - low + 1)));

const scales: readonly (readonly [Quantised, Quantised, Quantised])[] = [
  [
    { scale: f(0.0235), zero: 3 },
    { scale: f(0.0181), zero: -7 },
    { scale: f(0.0399), zero: -128 },
  ],
  [
    { scale: f(0.5), zero: 0 },
    { scale: f(0.25), zero: 0 },
    { scale: f(0.5), zero: 11 },
  ],
  [
    { scale: f(1.7e-4), zero: 127 },
    { scale: f(3.1), zero: -128 },
    { scale: f(2.9), zero: 0 },
  ],
];

describe("every byte beside every byte", () => {
  const of = (op: string, parts: readonly [Quantised, Quantised, Quantised]) => {
    const [a, b, to] = parts;
    const file = single(
      op,
      [tensor("x", [pairs.length], a), tensor("y", [pairs.length], b)],
      [tensor("z", [pairs.length], to)],
      [{ i8: 0 }],
    );
    const inputs = [0, 1].map((side) => Int8Array.from(pairs, (pair) => pair[side]!));
    return Array.from(run(file, inputs, {}, true)[0]!);
  };
  it.each(scales.map((parts) => [parts] as const))("%j", (parts) => {
    expect(of("ADD", parts)).toEqual(pairs.map((pair) => sumOfBytes(1, pair, parts, whole)));
    expect(of("SUB", parts)).toEqual(pairs.map((pair) => sumOfBytes(-1, pair, parts, whole)));
    expect(of("MUL", parts)).toEqual(pairs.map((pair) => productOfBytes(pair, parts, whole)));
  });
});

describe("every byte", () => {
  const alpha = f(0.2);
  const of = (op: string, [from, to]: readonly [Quantised, Quantised], fields: FlatFields = []) =>
    Array.from(
      run(
        single(op, [tensor("x", [256], from)], [tensor("y", [256], to)], fields),
        [Int8Array.from(bytes)],
        {},
        true,
      )[0]!,
    );
  it.each(scales.map(([from, , to]) => [from, to] as const))("%j to %j", (from, to) => {
    const double = from.scale / to.scale;
    const single_ = f(from.scale / to.scale);
    const moved = (factor: number) => (x: number) => scaledByte(x - from.zero, factor) + to.zero;
    expect(of("QUANTIZE", [from, to])).toEqual(bytes.map((x) => held(moved(double)(x), whole)));
    expect(of("RELU", [from, to])).toEqual(bytes.map((x) => held(moved(single_)(x), [to.zero, 127])));
    const leaky = (x: number): number =>
      moved(x >= from.zero ? single_ : f(f(from.scale * alpha) / to.scale))(x);
    expect(of("LEAKY_RELU", [from, to], [{ f32: alpha }])).toEqual(bytes.map((x) => held(leaky(x), whole)));
  });
});

describe("sums of products", () => {
  const data: Quantised = { scale: f(0.0472), zero: -5 };
  const to: Quantised = { scale: f(0.61), zero: 9 };

  it("CONV_2D with a scale a channel and RELU6", () => {
    const [channels, out] = [5, 7];
    const x = mixed(8 * 8 * channels, -128, 127, 3);
    const w = mixed(out * channels, -127, 127, 11);
    const bias = mixed(out, -3000, 3000, 5);
    const weightScales = Array.from({ length: out }, (_, i) => f(0.004 + i / 300));
    const file = single(
      "CONV_2D",
      [
        tensor("x", [1, 8, 8, channels], data),
        {
          name: "w",
          shape: [out, 1, 1, channels],
          type: "int8",
          data: Int8Array.from(w),
          scale: weightScales,
          axis: 0,
        },
        i32("b", bias),
      ],
      [tensor("y", [1, 8, 8, out], to)],
      [{ i8: 0 }, { i32: 1 }, { i32: 1 }, { i8: 3 }],
    );
    const high = held(Math.round(6 / to.scale) + to.zero, whole);
    const want = Array.from({ length: 64 * out }, (_, at) => {
      const [o, place] = [at % out, Math.floor(at / out)];
      let sum = bias[o]!;
      for (let c = 0; c < channels; c++) sum += (x[place * channels + c]! - data.zero) * w[o * channels + c]!;
      return held(scaledByte(sum, (data.scale * weightScales[o]!) / to.scale) + to.zero, [to.zero, high]);
    });
    expect(Array.from(run(file, [Int8Array.from(x)], {}, true)[0]!)).toEqual(want);
  });

  it("FULLY_CONNECTED, whose factor is a product of floats", () => {
    const [rows, inner, out] = [40, 23, 6];
    const weightScale = f(0.0123);
    const x = mixed(rows * inner, -128, 127, 3);
    const w = mixed(out * inner, -127, 127, 11);
    const bias = mixed(out, -3000, 3000, 5);
    const file = single(
      "FULLY_CONNECTED",
      [
        tensor("x", [rows, inner], data),
        {
          name: "w",
          shape: [out, inner],
          type: "int8",
          data: Int8Array.from(w),
          scale: [weightScale],
          zero: [0],
        },
        i32("b", bias),
      ],
      [tensor("y", [rows, out], to)],
      [{ i8: 0 }],
    );
    const factor = f(data.scale * weightScale) / to.scale;
    const want = Array.from({ length: rows * out }, (_, at) => {
      const [o, row] = [at % out, Math.floor(at / out)];
      let sum = bias[o]!;
      for (let c = 0; c < inner; c++) sum += (x[row * inner + c]! - data.zero) * w[o * inner + c]!;
      return held(scaledByte(sum, factor) + to.zero, whole);
    });
    expect(Array.from(run(file, [Int8Array.from(x)], {}, true)[0]!)).toEqual(want);
  });

  it("MEAN over height and width, AVERAGE_POOL_2D", () => {
    const shape = [1, 6, 6, 40] as const;
    const x = mixed(36 * 40, -128, 127, 17);
    const mean = single(
      "MEAN",
      [tensor("x", shape, data), i32("axes", [1, 2])],
      [tensor("y", [1, 40], { scale: f(0.031), zero: -20 })],
      [{ flag: false }],
    );
    const want = Array.from({ length: 40 }, (_, c) => {
      const sum = x.filter((_x, i) => i % 40 === c).reduce((total, value) => total + value - data.zero, 0);
      return held(roundedShare(scaledByte(sum, data.scale / f(0.031)), 36) - 20, whole);
    });
    expect(Array.from(run(mean, [Int8Array.from(x)], {}, true)[0]!)).toEqual(want);
    const pool = single(
      "AVERAGE_POOL_2D",
      [tensor("x", shape, data)],
      [tensor("y", [1, 3, 3, 40], data)],
      [{ i8: 1 }, { i32: 2 }, { i32: 2 }, { i32: 2 }, { i32: 2 }, { i8: 0 }],
    );
    const pooled = Array.from({ length: 9 * 40 }, (_, at) => {
      const [c, column, row] = [at % 40, Math.floor(at / 40) % 3, Math.floor(at / 120)];
      const part = [0, 1].flatMap((dy) =>
        [0, 1].map((dx) => x[((2 * row + dy) * 6 + 2 * column + dx) * 40 + c]!),
      );
      return roundedShare(
        part.reduce((a, b) => a + b, 0),
        4,
      );
    });
    expect(Array.from(run(pool, [Int8Array.from(x)], {}, true)[0]!)).toEqual(pooled);
  });
});

it("without the option the import is TVM's", () => {
  const parts = scales[0]!;
  const file = single(
    "ADD",
    [tensor("x", [4], parts[0]), tensor("y", [4], parts[1])],
    [tensor("z", [4], parts[2])],
    [{ i8: 0 }],
  );
  expect(relayOf(file).join("\n")).toContain("qnn.add(");
});
