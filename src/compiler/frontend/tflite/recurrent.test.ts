// Layers with a state, and convolutions of volumes, against TFLite's reference kernels in plain loops.
import { expect, it } from "vitest";
import { context, f32, i32, imported, run, single } from "../../../testing/harness/tflite-single.ts";
import { tfliteFile, type TensorSpec } from "../../../testing/harness/tflite-writer.ts";

const noise = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => (((Math.imul(i + seed, 2654435761) >>> 8) % 2001) - 1000) / 1000);
const close = (got: readonly number[], want: readonly number[], within = 1e-5): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(within));
};
/** rows (n, k) times weights (m, k) */
const dense = (rows: readonly number[], weights: readonly number[], k: number): number[] =>
  Array.from({ length: (rows.length / k) * (weights.length / k) }, (_, at) => {
    const m = weights.length / k;
    return rows
      .slice(Math.floor(at / m) * k, Math.floor(at / m) * k + k)
      .reduce((total, value, i) => total + value * weights[(at % m) * k + i]!, 0);
  });

it("CONV_3D strides and pads every axis by its own", () => {
  const [x, w] = [noise(3 * 4 * 5 * 2, 1), noise(2 * 3 * 2 * 2 * 3, 7)];
  const bytes = single(
    "CONV_3D",
    [f32("x", [1, 3, 4, 5, 2]), f32("w", [2, 3, 2, 2, 3], w), f32("b", [3], [0.5, -1, 2])],
    [f32("y", [1, 2, 4, 2, 3])],
    [{ i8: 0 }, { i32: 2 }, { i32: 3 }, { i32: 1 }, { i8: 1 }],
  );
  const value = (d: number, h: number, v: number, c: number): number =>
    d < 0 || d >= 3 || h < 0 || h >= 4 || v < 0 || v >= 5 ? 0 : x[((d * 4 + h) * 5 + v) * 2 + c]!;
  const taps = Array.from({ length: 24 }, (_, i) => [
    Math.floor(i / 12),
    Math.floor(i / 4) % 3,
    Math.floor(i / 2) % 2,
    i % 2,
  ]) as [number, number, number, number][];
  const want = Array.from({ length: 2 * 4 * 2 * 3 }, (_, at) => {
    const [o, v, h, d] = [at % 3, Math.floor(at / 3) % 2, Math.floor(at / 6) % 4, Math.floor(at / 24)];
    const sum = taps.reduce(
      (total, [i, j, k, c]) =>
        total + value(2 * d + i, h - 1 + j, 3 * v + k, c) * w[(((i * 3 + j) * 2 + k) * 2 + c) * 3 + o]!,
      [0.5, -1, 2][o]!,
    );
    return Math.max(sum, 0);
  });
  close(run(bytes, [Float32Array.from(x)])[0]!, want);
});

/** What a first run gives: of the memory only the newest column holds something. */
it("SVDF of floats: the first run, and a second operator that goes on from its state", () => {
  const [x, feature, time] = [noise(2 * 3, 1), noise(4 * 3, 5), noise(4 * 2, 9)];
  const bytes = tfliteFile({
    tensors: [
      f32("x", [2, 3]),
      f32("f", [4, 3], feature),
      f32("t", [4, 2], time),
      f32("b", [2], [0.25, -0.5]),
      f32("s", [2, 8]),
      f32("y", [2, 2]),
      f32("z", [2, 2]),
    ],
    inputs: [0],
    outputs: [5, 6],
    operators: [5, 6].map((out) => ({
      code: 27,
      inputs: [0, 1, 2, 3, 4],
      outputs: [out],
      options: [{ i32: 2 }, { i8: 0 }],
    })),
  });
  const dots = dense(x, feature, 3);
  const units = (last: readonly number[], both: boolean): number[] =>
    Array.from({ length: 4 }, (_, at) => {
      const [b, u] = [Math.floor(at / 2), at % 2];
      return [0, 1].reduce((total, r) => {
        const f = 2 * u + r;
        return total + last[b * 4 + f]! * (time[2 * f + 1]! + (both ? time[2 * f]! : 0));
      }, [0.25, -0.5][u]!);
    });
  const got = run(bytes, [Float32Array.from(x)]);
  close(got[0]!, units(dots, false));
  close(got[1]!, units(dots, true));
  const cx = context();
  imported(bytes, cx);
  expect(cx.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["RS1845", "info"]]);
});

it("SVDF of integers is within one step of the real value", () => {
  const [x, feature, time] = [noise(3, 1), noise(4 * 3, 5), noise(4 * 2, 9)].map((list) =>
    list.map((value) => Math.round(value * 100)),
  ) as [number[], number[], number[]];
  const q = (name: string, shape: number[], type: "int8" | "int16", scale: number, zero = 0): TensorSpec => ({
    name,
    shape,
    type,
    scale: [scale],
    zero: [zero],
  });
  const bytes = tfliteFile({
    tensors: [
      q("x", [1, 3], "int8", 0.1, 3),
      { ...q("f", [4, 3], "int8", 0.02), data: Int8Array.from(feature) },
      { ...q("t", [4, 2], "int16", 0.001), data: Int16Array.from(time) },
      i32("b", [500, -900]),
      q("s", [1, 8], "int16", 0.01),
      q("y", [1, 2], "int8", 0.02, -5),
    ],
    inputs: [0],
    outputs: [5],
    operators: [{ code: 27, inputs: [0, 1, 2, 3, 4], outputs: [5], options: [{ i32: 2 }, { i8: 0 }] }],
  });
  const dots = dense(
    x.map((value) => (value - 3) * 0.1),
    feature.map((value) => value * 0.02),
    3,
  );
  const want = [0, 1].map((u) => {
    const real = [0, 1].reduce(
      (total, r) => total + dots[2 * u + r]! * time[4 * u + 2 * r + 1]! * 0.001,
      [500, -900][u]! * 1e-5,
    );
    return Math.min(Math.max(real / 0.02 - 5, -128), 127);
  });
  close(run(bytes, [Int8Array.from(x)])[0]!, want, 1);
});

const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));

it.each([
  [false, false, false],
  [true, true, false],
  [false, true, true],
  [true, false, true],
])(
  "UNIDIRECTIONAL_SEQUENCE_LSTM, time first %s, peepholes and projection %s, no input gate %s",
  (timeMajor, more, coupled) => {
    const [steps, batch, width, cells] = [3, 2, 2, 3];
    const outputs = more ? 2 : cells;
    const tensors: TensorSpec[] = [f32("x", timeMajor ? [steps, batch, width] : [batch, steps, width])];
    const inputs: number[] = [0, ...Array.from({ length: 19 }, () => -1)];
    const give = (at: number, shape: number[]): number[] => {
      const values = noise(
        shape.reduce((a, b) => a * b, 1),
        31 * at,
      );
      inputs[at] = tensors.push(f32(`t${at}`, shape, values)) - 1;
      return values;
    };
    const gates = coupled ? [1, 2, 3] : [0, 1, 2, 3];
    const each = gates.map((gate) => ({
      w: give(1 + gate, [cells, width]),
      r: give(5 + gate, [cells, outputs]),
      p: more && gate !== 2 ? give(9 + (gate === 3 ? 2 : gate), [cells]) : null,
      b: give(12 + gate, [cells]),
    }));
    const projection = more ? give(16, [outputs, cells]) : null;
    inputs[18] = tensors.push(f32("h", [batch, outputs])) - 1;
    inputs[19] = tensors.push(f32("c", [batch, cells])) - 1;
    const y = tensors.push(f32("y", timeMajor ? [steps, batch, outputs] : [batch, steps, outputs])) - 1;
    const bytes = tfliteFile({
      tensors,
      inputs: [0],
      outputs: [y],
      operators: [
        {
          code: 44,
          inputs,
          outputs: [y],
          options: [{ i8: 4 }, { f32: 0.6 }, { f32: 0 }, { flag: timeMajor }],
        },
      ],
    });
    const x = noise(steps * batch * width, 3);
    const want: number[] = Array.from({ length: steps * batch * outputs }, () => 0);
    for (let b = 0; b < batch; b++) {
      let [h, c] = [Array.from({ length: outputs }, () => 0), Array.from({ length: cells }, () => 0)];
      for (let t = 0; t < steps; t++) {
        const from = (timeMajor ? t * batch + b : b * steps + t) * width;
        const row = x.slice(from, from + width);
        const dots = each.map(({ w, r, b: bias }) => {
          const recurrent = dense(h, r, outputs);
          return dense(row, w, width).map((value, i) => value + recurrent[i]! + bias[i]!);
        });
        const gate = (k: number, cell: readonly number[]): number[] =>
          dots.at(k)!.map((value, i) => sigmoid(value + (each.at(k)!.p?.[i] ?? 0) * cell[i]!));
        const [old, forget] = [c, gate(-3, c)];
        const take = coupled ? forget.map((value) => 1 - value) : gate(0, old);
        c = old.map((value, i) =>
          Math.min(Math.max(forget[i]! * value + take[i]! * Math.tanh(dots.at(-2)![i]!), -0.6), 0.6),
        );
        const open = gate(-1, c);
        const shown = c.map((value, i) => open[i]! * Math.tanh(value));
        h = projection === null ? shown : dense(shown, projection, cells);
        const to = (timeMajor ? t * batch + b : b * steps + t) * outputs;
        h.forEach((value, i) => (want[to + i] = value));
      }
    }
    close(run(bytes, [Float32Array.from(x)])[0]!, want);
  },
);
