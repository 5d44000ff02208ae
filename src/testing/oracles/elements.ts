// Element by element, written after the operators' descriptions with JavaScript's own mathematics.
import { bool, isFloat, type DType } from "../../compiler/ir/dtype.ts";
import type { Attrs } from "../../compiler/ir/attrs.ts";
import { parseDType } from "../../compiler/ir/dtype.ts";
import { present } from "../../support/assert.ts";
import { arithmetic, comparison, division, wrap } from "./integers.ts";
import { broadcastIndex, broadcastShape, build, get, number, type Element, type Nd } from "./nd.ts";

export type NdOracle = (args: readonly Nd[], attrs: Attrs) => readonly Nd[];

const map = (x: Nd, dtype: DType, f: (value: Element) => Element): Nd => ({
  ...x,
  dtype,
  elements: x.elements.map(f),
});

/** An integer or bool that a float becomes: without its fraction, and no further than the ends. */
function saturated(value: number, dtype: DType): bigint {
  if (dtype === bool) return value === 0 ? 0n : 1n;
  if (Number.isNaN(value)) return 0n;
  const bits = BigInt(dtype.bits);
  const [least, most] =
    dtype.code === "uint" ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  if (value >= Number(most)) return most;
  return value <= Number(least) ? least : BigInt(Math.trunc(value));
}

export function castTo(value: Element, dtype: DType): Element {
  if (isFloat(dtype)) return number(value);
  return typeof value === "bigint" ? wrap(value, dtype) : saturated(value, dtype);
}

const floats =
  (f: (x: number) => number): NdOracle =>
  ([x]) => [map(present(x, "argument"), present(x, "argument").dtype, (value) => f(number(value)))];

/** Of any number: `f` on floats, `g` on integers, which wrap. */
const numbers =
  (f: (x: number) => number, g: (x: bigint) => bigint): NdOracle =>
  ([x]) => {
    const { dtype } = present(x, "argument");
    return [
      map(present(x, "argument"), dtype, (value) =>
        typeof value === "bigint" ? wrap(g(value), dtype) : f(value),
      ),
    ];
  };

function erf(x: number): number {
  // The series of Kummer: enough terms for |x| up to 6.
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const same = (x: bigint): bigint => x;
const roundAway = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

export const unaryOracles: Readonly<Record<string, NdOracle>> = {
  ...Object.fromEntries(
    (
      [
        "exp",
        "log",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "log2",
        "log10",
      ] as const
    ).map((name) => [name, floats(Math[name])]),
  ),
  rsqrt: floats((x) => 1 / Math.sqrt(x)),
  sigmoid: floats((x) => 1 / (1 + Math.exp(-x))),
  erf: floats(erf),
  floor: numbers(Math.floor, same),
  ceil: numbers(Math.ceil, same),
  trunc: numbers(Math.trunc, same),
  round: numbers(roundAway, same),
  abs: numbers(Math.abs, (x) => (x < 0n ? -x : x)),
  negative: numbers(
    (x) => -x,
    (x) => -x,
  ),
  sign: numbers(Math.sign, (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n)),
  copy: ([x]) => [present(x, "argument")],
  "nn.relu": numbers(
    (x) => Math.max(x, 0),
    (x) => (x > 0n ? x : 0n),
  ),
  "nn.leaky_relu": ([x], { alpha }) => [
    map(present(x, "argument"), present(x, "argument").dtype, (v) =>
      number(v) > 0 ? v : number(v) * Number(alpha),
    ),
  ],
  logical_not: ([x]) => [map(present(x, "argument"), bool, (v) => (v === 0n ? 1n : 0n))],
  zeros_like: ([x]) => [
    map(present(x, "argument"), present(x, "argument").dtype, (v) => (typeof v === "bigint" ? 0n : 0)),
  ],
  ones_like: ([x]) => [
    map(present(x, "argument"), present(x, "argument").dtype, (v) => (typeof v === "bigint" ? 1n : 1)),
  ],
  cast: ([x], { dtype: name }) => {
    const dtype = present(parseDType(String(name)), "dtype");
    return [map(present(x, "argument"), dtype, (value) => castTo(value, dtype))];
  },
  clip: ([x], { a_min: low, a_max: high }) => {
    const { dtype } = present(x, "argument");
    if (dtype.code === "bool") throw new Error("no oracle");
    // topi's order, which crossed bounds show: the lower one wins.
    const f = (v: number): number => Math.max(Math.min(v, Number(high)), Number(low));
    return [map(present(x, "argument"), dtype, (v) => castTo(f(number(v)), dtype))];
  },
};

const binary =
  (
    f: (a: Element, b: Element, dtype: DType) => Element,
    result: (dtype: DType) => DType = (dtype) => dtype,
  ): NdOracle =>
  ([left, right]) => {
    const [a, b] = [present(left, "lhs"), present(right, "rhs")];
    const shape = broadcastShape(a.shape, b.shape);
    return [
      build(result(a.dtype), shape, (index) =>
        f(get(a, broadcastIndex(a.shape, index)), get(b, broadcastIndex(b.shape, index)), a.dtype),
      ),
    ];
  };

const floatBinary: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  floor_divide: (a, b) => Math.floor(a / b),
  mod: (a, b) => a % b,
  floor_mod: (a, b) => a - Math.floor(a / b) * b,
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  power: (a, b) => a ** b,
};

const floatCompare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  less: (a, b) => a < b,
  less_equal: (a, b) => a <= b,
  greater: (a, b) => a > b,
  greater_equal: (a, b) => a >= b,
  equal: (a, b) => a === b,
  not_equal: (a, b) => a !== b,
};

/** Integers by the oracle of integers.ts. A division by zero stops a program: there is no value. */
const mixed = (name: string): NdOracle =>
  binary((a, b, dtype) => {
    if (typeof a === "number" || typeof b === "number")
      return present(floatBinary[name], name)(number(a), number(b));
    if (name in division && b === 0n) throw new Error("division by zero");
    return wrap(present({ ...arithmetic, ...division }[name], name)(a, b, dtype), dtype);
  });

const truths = (f: (a: boolean, b: boolean) => boolean): NdOracle =>
  binary(
    (a, b) => (f(a !== 0n, b !== 0n) ? 1n : 0n),
    () => bool,
  );

export const binaryOracles: Readonly<Record<string, NdOracle>> = {
  ...Object.fromEntries(
    Object.keys({ ...arithmetic, ...division, power: 0 }).map((name) => [name, mixed(name)]),
  ),
  ...Object.fromEntries(
    Object.keys(comparison).map((name) => [
      name,
      binary(
        (a, b, dtype) =>
          typeof a === "bigint" && typeof b === "bigint"
            ? present(comparison[name], name)(a, b, dtype)
            : present(floatCompare[name], name)(number(a), number(b))
              ? 1n
              : 0n,
        () => bool,
      ),
    ]),
  ),
  logical_and: truths((a, b) => a && b),
  logical_or: truths((a, b) => a || b),
  logical_xor: truths((a, b) => a !== b),
  where: ([c, x, y]) => {
    const [a, b, condition] = [present(x, "x"), present(y, "y"), present(c, "condition")];
    const shape = broadcastShape(condition.shape, a.shape, b.shape);
    return [
      build(a.dtype, shape, (index) => {
        const chosen = number(get(condition, broadcastIndex(condition.shape, index))) !== 0 ? a : b;
        return get(chosen, broadcastIndex(chosen.shape, index));
      }),
    ];
  },
};
