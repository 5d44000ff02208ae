// Signals: windows, Fourier transforms as products with constant matrices, mel weights; and determinants of
// small matrices.
import { at } from "../../../../support/assert.ts";
import { float32, int32, type DType } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, multiply, number, scaled, sliceAxis, squeeze, stack, subtract } from "../arithmetic.ts";
import { constantOf, rankOf, refuse, shapeOf, extentOf, isOfLength } from "../../import-node.ts";
import {
  axisIn,
  call,
  dtypeOf,
  elementOf,
  input,
  int,
  optional,
  reshape,
  transpose,
  type Importer,
  type OnnxNode,
  numberOf,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { fromNumbers } from "../../values.ts";

/** a0 - a1 cos(t) + a2 cos(2 t). */
function window(coefficients: readonly [number, number, number]): Importer {
  return (n) => {
    const size = numberOf(n, input(n, 0), "the window's size");
    const turns = int(n, "periodic", 1) !== 0 ? size : size - 1;
    const dtype = elementOf(n, "output_datatype", float32);
    const [a, b, c] = coefficients;
    const values = Array.from({ length: size }, (_, i) => {
      const t = (2 * Math.PI * i) / turns;
      return a - b * Math.cos(t) + c * Math.cos(2 * t);
    });
    return constantOf(n, fromNumbers(dtype, [size], values));
  };
}

interface Fourier {
  readonly length: number;
  readonly outputs: number;
  readonly inverse: boolean;
}

/**
 * Real and imaginary parts (imaginary null for real signals), the transformed axis last; gives both parts.
 */
function fourier(
  n: OnnxNode,
  real: Expr,
  imaginary: Expr | null,
  { length, outputs, inverse }: Fourier,
): readonly [Expr, Expr] {
  const dtype: DType = dtypeOf(n, real);
  const matrix = (f: (turn: number) => number): Expr => {
    const values = Array.from(
      { length: outputs * length },
      (_, i) =>
        f((2 * Math.PI * ((Math.floor(i / length) * (i % length)) % length)) / length) /
        (inverse ? length : 1),
    );
    return constantOf(n, fromNumbers(dtype, [outputs, length], values));
  };
  const [cosine, sine] = [matrix(Math.cos), matrix((turn) => (inverse ? -1 : 1) * Math.sin(turn))];
  const shape = shapeOf(n, real).slice(0, -1);
  const apply = (x: Expr, by: Expr): Expr =>
    reshape(n, call(n, "nn.dense", [reshape(n, x, [-1, length]), by], { units: outputs }), [
      ...shape,
      outputs,
    ]);
  if (imaginary === null) return [apply(real, cosine), scaled(n, apply(real, sine), -1)];
  return [
    add(n, apply(real, cosine), apply(imaginary, sine)),
    subtract(n, apply(imaginary, cosine), apply(real, sine)),
  ];
}

/** Parts of a signal whose last axis holds real and, if it has two elements, imaginary parts. */
function partsOf(n: OnnxNode, signal: Expr): readonly [Expr, Expr | null] {
  const axis = rankOf(n, signal) - 1;
  const width = extentOf(n, signal, axis);
  if (width !== 1 && width !== 2)
    return refuse(n, "the last axis holds real, or real and imaginary parts", {
      expected: "1 or 2 elements",
      got: String(width),
    });
  const part = (i: number): Expr => squeeze(n, sliceAxis(n, signal, axis, [i, i + 1]), [axis]);
  return [part(0), width === 2 ? part(1) : null];
}

/** `axis` of `x` cut or filled with zeros to `length`. */
function resized(n: OnnxNode, x: Expr, axis: number, length: number): Expr {
  const extent = extentOf(n, x, axis);
  if (extent >= length) return extent === length ? x : sliceAxis(n, x, axis, [0, length]);
  return call(n, "nn.pad", [x, number(n, 0, x)], {
    pad_width: shapeOf(n, x).map((_, i) => (i === axis ? [0, length - extent] : [0, 0])),
    pad_mode: "constant",
  });
}

const dft: Importer = (n) => {
  const signal = input(n, 0);
  const rank = rankOf(n, signal) - 1;
  // An input from opset 20 on, counted with the axis of real and imaginary parts.
  const chosen = n.opset < 20 ? null : optional(n, 2);
  const place = chosen === null ? -2 : numberOf(n, chosen, "the axis");
  const axis = n.opset < 20 ? axisIn(n, int(n, "axis", 1), rank) : axisIn(n, place, rank + 1);
  const given = optional(n, 1);
  const length = given === null ? extentOf(n, signal, axis) : numberOf(n, given, "the length");
  const inverse = int(n, "inverse", 0) !== 0;
  const outputs = int(n, "onesided", 0) !== 0 ? Math.floor(length / 2) + 1 : length;
  const [real, imaginary] = partsOf(n, resized(n, signal, axis, length));
  const last = [...Array(rank).keys()].filter((i) => i !== axis).concat(axis);
  const back = last.map((_, i) => last.indexOf(i));
  const made = fourier(
    n,
    transpose(n, real, last),
    imaginary === null ? null : transpose(n, imaginary, last),
    { length, outputs, inverse },
  );
  return stack(
    n,
    made.map((part) => transpose(n, part, back)),
    rank,
  );
};

/** Frames of the signal, times the window, each transformed. */
const stft: Importer = (n) => {
  const signal = input(n, 0);
  const step = numberOf(n, input(n, 1), "the frames' step");
  const [shape, frame] = [optional(n, 2), optional(n, 3)];
  const length =
    frame !== null
      ? numberOf(n, frame, "the frames' length")
      : shape !== null
        ? extentOf(n, shape, 0, "the window")
        : refuse(n, "neither window nor frame_length is given");
  const total = extentOf(n, signal, 1);
  const frames = Math.floor((total - length) / step) + 1;
  const places = constantOf(
    n,
    fromNumbers(
      int32,
      [frames, length],
      Array.from({ length: frames * length }, (_, i) => Math.floor(i / length) * step + (i % length)),
    ),
  );
  const framed = (part: Expr): Expr => {
    const taken = call(n, "take", [part, places], { axis: 1, mode: "clip" });
    return shape === null ? taken : multiply(n, taken, shape);
  };
  const [real, imaginary] = partsOf(n, signal);
  const outputs = int(n, "onesided", 1) !== 0 ? Math.floor(length / 2) + 1 : length;
  return stack(
    n,
    fourier(n, framed(real), imaginary === null ? null : framed(imaginary), {
      length,
      outputs,
      inverse: false,
    }),
    3,
  );
};

/** Triangles between mel frequencies, one column each. */
const melWeights: Importer = (n) => {
  const value = (index: number): number => numberOf(n, input(n, index), "the size of the mel matrix");
  const [bins, length, rate, low, high] = [value(0), value(1), value(2), value(3), value(4)];
  const mel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const rows = Math.floor(length / 2) + 1;
  const step = (mel(high) - mel(low)) / (bins + 2);
  const edges = Array.from({ length: bins + 2 }, (_, i) =>
    Math.floor(((length + 1) * 700 * (10 ** ((i * step + mel(low)) / 2595) - 1)) / rate),
  );
  const out = new Array<number>(rows * bins).fill(0);
  for (let bin = 0; bin < bins; bin++) {
    const edge = (index: number): number => at(edges, bin + index, "edge");
    const [left, centre, right] = [edge(0), edge(1), edge(2)];
    if (left === centre) out[centre * bins + bin] = 1;
    else for (let j = left; j <= centre; j++) out[j * bins + bin] = (j - left) / (centre - left);
    for (let j = centre; j < right; j++) out[j * bins + bin] = (right - j) / (right - centre);
  }
  return constantOf(n, fromNumbers(elementOf(n, "output_datatype", float32), [rows, bins], out));
};

/** Larger matrices would need a factorisation with pivots, which Relay does not have. */
const largestDeterminant = 5;

const determinant: Importer = (n) => {
  const x = input(n, 0);
  const rank = rankOf(n, x);
  const [rows, size] = [extentOf(n, x, -2), extentOf(n, x, -1)];
  if (rows !== size || size > largestDeterminant || size < 1)
    return refuse(n, "only small square matrices", {
      expected: `at most ${largestDeterminant} rows`,
      got: `${rows} by ${size}`,
    });
  const element = (row: number, column: number): Expr =>
    squeeze(n, sliceAxis(n, sliceAxis(n, x, rank - 2, [row, row + 1]), rank - 1, [column, column + 1]), [
      rank - 2,
      rank - 1,
    ]);
  const expand = (row: number, columns: readonly number[]): Expr => {
    if (isOfLength(columns, 1)) return element(row, columns[0]);
    const terms = columns.map((column, i) => {
      const term = multiply(
        n,
        element(row, column),
        expand(
          row + 1,
          columns.filter((other) => other !== column),
        ),
      );
      return i % 2 === 0 ? term : scaled(n, term, -1);
    });
    return terms.reduce((a, b) => add(n, a, b));
  };
  return expand(0, [...Array(size).keys()]);
};

export const signalOps: readonly OnnxOp[] = [
  onnxOp("HannWindow", window([0.5, 0.5, 0]), { values: [0] }),
  onnxOp("HammingWindow", window([25 / 46, 21 / 46, 0]), { values: [0] }),
  onnxOp("BlackmanWindow", window([0.42, 0.5, 0.08]), { values: [0] }),
  onnxOp("DFT", dft, { values: [1, 2] }),
  onnxOp("STFT", stft, { values: [1, 3] }),
  onnxOp("MelWeightMatrix", melWeights, { values: [0, 1, 2, 3, 4] }),
  onnxOp("Det", determinant),
];
