// Element-by-element operators against JavaScript's own functions.
import { describe, expect, test } from "vitest";
import { disagreement, opNamed, runCall, type Nd } from "../../../testing/harness/op-runner.ts";

const erf = (x: number): number => {
  // Abramowitz and Stegun 7.1.5: the Taylor series, enough for |x| <= 1
  let [term, sum] = [x, x];
  for (let n = 1; n < 40; n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
};

const unary: Readonly<Record<string, (x: number) => number>> = {
  abs: Math.abs,
  negative: (x) => 0 - x,
  sign: Math.sign,
  exp: Math.exp,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  tanh: Math.tanh,
  erf,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
  isnan: (x) => Number(Number.isNaN(x)),
  isinf: (x) => Number(Math.abs(x) === Infinity),
  isfinite: (x) => Number(Number.isFinite(x)),
  logical_not: (x) => 1 - x,
  bitwise_not: (x) => ~x,
  copy: (x) => x,
  zeros_like: () => 0,
  ones_like: () => 1,
  "nn.relu": (x) => Math.max(x, 0),
};

const binary: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  subtract: (x, y) => x - y,
  multiply: (x, y) => x * y,
  maximum: Math.max,
  minimum: Math.min,
  power: (x, y) => x ** y,
  equal: (x, y) => Number(x === y),
  not_equal: (x, y) => Number(x !== y),
  less: (x, y) => Number(x < y),
  less_equal: (x, y) => Number(x <= y),
  greater: (x, y) => Number(x > y),
  greater_equal: (x, y) => Number(x >= y),
  logical_and: (x, y) => x & y,
  logical_or: (x, y) => x | y,
  logical_xor: (x, y) => x ^ y,
  bitwise_and: (x, y) => x & y,
  bitwise_or: (x, y) => x | y,
  bitwise_xor: (x, y) => x ^ y,
};

/** The element of `nd` that numpy's broadcasting puts at `index`. */
function broadcast(nd: Nd, index: readonly number[]): number {
  const lead = index.length - nd.shape.length;
  return nd.values[nd.shape.reduce((flat, dim, i) => flat * dim + (dim === 1 ? 0 : index[i + lead]!), 0)]!;
}

function pairwise(a: Nd, b: Nd, shape: readonly number[], f: (x: number, y: number) => number): Nd {
  const count = shape.reduce((n, dim) => n * dim, 1);
  const values = Array.from({ length: count }, (_, flat) => {
    let rest = flat;
    const index = shape
      .toReversed()
      .map((dim) => {
        const i = rest % dim;
        rest = Math.floor(rest / dim);
        return i;
      })
      .toReversed();
    return f(broadcast(a, index), broadcast(b, index));
  });
  return { shape, values };
}

describe.each(Object.entries(unary))("%s", (name, f) => {
  test.each(opNamed(name).examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
    const { ins, outs } = runCall(name, example);
    expect(disagreement(outs[0]!, { shape: ins[0]!.shape, values: ins[0]!.values.map(f) })).toBeNull();
  });
});

describe.each(Object.entries(binary))("%s", (name, f) => {
  test.each(opNamed(name).examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
    const { ins, outs } = runCall(name, example);
    expect(disagreement(outs[0]!, pairwise(ins[0]!, ins[1]!, outs[0]!.shape, f))).toBeNull();
  });
});

const vector = { name: "", args: ["Tensor[(6), int32]", "Tensor[(6), int32]"] };
const floats = { name: "", args: ["Tensor[(6), float32]", "Tensor[(6), float32]"] };
const left = [7, -7, 7, -7, 6, 0];
const right = [2, 2, -2, -2, 3, 5];

test.each([
  ["divide", [3, -3, -3, 3, 2, 0], [3.5, -3.5, -3.5, 3.5, 2, 0]],
  ["floor_divide", [3, -4, -4, 3, 2, 0], [3, -4, -4, 3, 2, 0]],
  ["mod", [1, -1, 1, -1, 0, 0], [1, -1, 1, -1, 0, 0]],
  ["floor_mod", [1, 1, -1, -1, 0, 0], [1, 1, -1, -1, 0, 0]],
])("%s rounds integers and floats as its name says", (name, integers, reals) => {
  const values = new Map([
    [0, left],
    [1, right],
  ]);
  expect(runCall(name, vector, { values }).outs[0]!.values.map((x) => x + 0)).toEqual(integers);
  expect(runCall(name, floats, { values }).outs[0]!.values.map((x) => x + 0)).toEqual(reals);
});

test("shifts keep the sign to the right", () => {
  const values = new Map([
    [0, [1, -1, 5, -8, 7, -9]],
    [1, [3, 3, 0, 1, 2, 2]],
  ]);
  expect(runCall("left_shift", vector, { values }).outs[0]!.values).toEqual([8, -8, 5, -16, 28, -36]);
  expect(runCall("right_shift", vector, { values }).outs[0]!.values).toEqual([0, -1, 5, -4, 1, -3]);
});

test("clip holds elements between its bounds, in the dtype's range", () => {
  const values = new Map([[0, [-300, -3, 0, 2.5, 7, 300]]]);
  const x = { name: "", args: ["Tensor[(6), float32]"], attrs: { a_min: -1, a_max: 6 } };
  expect(runCall("clip", x, { values }).outs[0]!.values).toEqual([-1, -1, 0, 2.5, 6, 6]);
  const bytes = { name: "", args: ["Tensor[(6), uint8]"], attrs: { a_min: -5, a_max: 1000 } };
  expect(
    runCall("clip", bytes, { values: new Map([[0, [0, 1, 9, 200, 254, 255]]]) }).outs[0]!.values,
  ).toEqual([0, 1, 9, 200, 254, 255]);
});
