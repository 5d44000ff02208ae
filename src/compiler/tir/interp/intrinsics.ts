// Intrinsics of the TIR interpreter: each is computed in float64 (or exactly, in integers) and rounded once
// to the result's dtype.
import { power } from "../../../support/power.ts";
import { invariant } from "../../../support/assert.ts";
import type { DType } from "../../ir/dtype.ts";
import { isWide, roundTo, wrapTo, wrapWide, type Scalar } from "./scalar.ts";

type Real = (x: number, y: number) => number;

/** erf by its Taylor series near 0 and by the continued fraction of erfc beyond; about 1e-15 everywhere. */
export function erf(x: number): number {
  if (Number.isNaN(x)) return NaN;
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a < 2.5) {
    let term = x;
    let sum = x;
    for (let n = 1; n < 200 && Math.abs(term) > 1e-18; n++) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = 0;
  for (let k = 120; k >= 1; k--) fraction = k / 2 / (a + fraction);
  return Math.sign(x) * (1 - Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + fraction));
}

/** C's round: halves go away from zero. */
function roundAway(x: number): number {
  const up = Math.floor(Math.abs(x) + 0.5);
  // 0.49999999999999994 + 0.5 rounds to 1 in float64.
  const magnitude = up - Math.abs(x) > 0.5 ? up - 1 : up;
  return x < 0 || Object.is(x, -0) ? -magnitude : magnitude;
}

function roundEven(x: number): number {
  if (Math.abs(x) >= 2 ** 52) return x;
  const low = Math.floor(x);
  const rest = x - low;
  const rounded = rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

/** Float in, same float dtype out. */
const real: Readonly<Record<string, Real>> = {
  "tir.exp": Math.exp,
  "tir.exp2": (x) => 2 ** x,
  "tir.exp10": (x) => 10 ** x,
  "tir.log": Math.log,
  "tir.log2": Math.log2,
  "tir.log10": Math.log10,
  "tir.log1p": Math.log1p,
  "tir.sqrt": Math.sqrt,
  "tir.rsqrt": (x) => 1 / Math.sqrt(x),
  "tir.tanh": Math.tanh,
  "tir.sigmoid": (x) => 1 / (1 + Math.exp(-x)),
  "tir.erf": erf,
  "tir.sin": Math.sin,
  "tir.cos": Math.cos,
  "tir.tan": Math.tan,
  "tir.asin": Math.asin,
  "tir.acos": Math.acos,
  "tir.atan": Math.atan,
  "tir.sinh": Math.sinh,
  "tir.cosh": Math.cosh,
  "tir.asinh": Math.asinh,
  "tir.acosh": Math.acosh,
  "tir.atanh": Math.atanh,
  "tir.floor": Math.floor,
  "tir.ceil": Math.ceil,
  "tir.trunc": Math.trunc,
  "tir.round": roundAway,
  "tir.nearbyint": roundEven,
  "tir.fabs": Math.abs,
  "tir.pow": power,
  "tir.atan2": Math.atan2,
  "tir.fmod": (x, y) => x % y,
  "tir.hypot": Math.hypot,
  "tir.copysign": (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
};

/** Questions about a float: bool out. */
const questions: Readonly<Record<string, (x: number) => boolean>> = {
  "tir.isnan": (x) => Number.isNaN(x),
  "tir.isinf": (x) => x === Infinity || x === -Infinity,
  "tir.isfinite": (x) => Number.isFinite(x),
};

/**
 * Exact on integers of any width; the result is wrapped to the result's dtype. `bits` is the operand's width.
 */
const integer: Readonly<Record<string, (args: readonly bigint[], bits: number) => bigint>> = {
  // An amount outside 0 … bits - 1 (a negative one too) shifts every bit out: 0, or -1 for a negative number
  // to the right.
  "tir.shift_left": (a, bits) => (inWidth(a[1]!, bits) ? a[0]! << a[1]! : 0n),
  "tir.shift_right": (a, bits) => (inWidth(a[1]!, bits) ? a[0]! >> a[1]! : a[0]! < 0n ? -1n : 0n),
  "tir.bitwise_and": (a) => a[0]! & a[1]!,
  "tir.bitwise_or": (a) => a[0]! | a[1]!,
  "tir.bitwise_xor": (a) => a[0]! ^ a[1]!,
  "tir.bitwise_not": (a) => ~a[0]!,
  "tir.fabs": (a) => (a[0]! < 0n ? -a[0]! : a[0]!),
  "tir.popcount": (a, bits) => BigInt(binaryDigits(a[0]!, bits).replaceAll("0", "").length),
  "tir.clz": (a, bits) => BigInt(bits - binaryDigits(a[0]!, bits).replace(/^0*/, "").length),
  "tir.pow": (a) => a[0]! ** a[1]!,
  "tir.floor": (a) => a[0]!,
  "tir.ceil": (a) => a[0]!,
  "tir.trunc": (a) => a[0]!,
  "tir.round": (a) => a[0]!,
  "tir.fmod": (a) => a[0]! % a[1]!,
  // Fixed point: x * y * 2^(shift - q) with rounding half up, in 64 bits that wrap; args are x, y, q, shift.
  "tir.q_multiply_shift": (a) => {
    const [x, y, q, shift] = [a[0]!, a[1]!, a[2]!, a[3]!];
    const left = shift > 0n ? shift : 0n;
    const right = q + (shift > 0n ? 0n : -shift);
    const wide = left < 64n ? x << left : 0n;
    return BigInt.asIntN(64, wide * y + (1n << (right - 1n))) >> right;
  },
  "tir.large_uint_imm": (a) => a[0]! | (a[1]! << 32n),
};

function inWidth(amount: bigint, bits: number): boolean {
  return amount >= 0n && amount < BigInt(bits);
}

function binaryDigits(value: bigint, bits: number): string {
  return BigInt.asUintN(bits, value).toString(2).replace(/^0$/, "");
}

/** The function of intrinsic `op` for one lane, or null if there is none of that name. */
export function scalarIntrinsic(
  op: string,
  operand: DType,
  result: DType,
): ((args: readonly Scalar[]) => Scalar) | null {
  if (op === "tir.likely") return (args) => args[0]!;
  const asks = questions[op];
  if (asks !== undefined) return (args) => (asks(Number(args[0]!)) ? 1 : 0);
  const floating = operand.code === "float" || operand.code === "bfloat";
  if (floating) {
    const f = real[op];
    if (f === undefined) return null;
    const round = roundTo(result);
    return (args) => round(f(Number(args[0]!), Number(args[1] ?? 0)));
  }
  const f = integer[op];
  if (f === undefined) return null;
  invariant(
    result.code !== "float" && result.code !== "bfloat",
    `${op} of ${operand.name} cannot give ${result.name}`,
  );
  const exact = (args: readonly Scalar[]): bigint =>
    f(
      args.map((arg) => BigInt(arg)),
      operand.bits,
    );
  if (isWide(result)) {
    const wrap = wrapWide(result);
    return (args) => wrap(exact(args));
  }
  const wrap = wrapTo(result);
  return (args) => wrap(Number(BigInt.asIntN(32, exact(args))));
}
