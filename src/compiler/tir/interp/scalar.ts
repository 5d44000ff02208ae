// Scalar arithmetic of the TIR interpreter: what each operator means for each dtype, written to be read.
// Shares nothing with the code generators. int64 and uint64 are bigint, every other scalar is a number.
import { dividedByZero } from "../../ir/arithmetic-fault.ts";
import type { DType } from "../../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../../ir/float16.ts";
import type { BinaryOp } from "../expr.ts";

export type Scalar = number | bigint;

export function isWide(dtype: DType): boolean {
  return (dtype.code === "int" || dtype.code === "uint") && dtype.bits > 32;
}

function isFloating(dtype: DType): boolean {
  return dtype.code === "float" || dtype.code === "bfloat";
}

/** Rounds a float64 to `dtype` (a float dtype). */
export function roundTo(dtype: DType): (x: number) => number {
  if (dtype.code === "bfloat") return (x) => decodeBfloat16(encodeBfloat16(x));
  if (dtype.bits === 64) return (x) => x;
  if (dtype.bits === 32) return Math.fround;
  return (x) => decodeFloat16(encodeFloat16(x));
}

/** Reduces a mathematical integer to the range of `dtype` (an integer dtype of at most 32 bits, or bool). */
export function wrapTo(dtype: DType): (x: number) => number {
  if (dtype.code === "bool") return (x) => (x === 0 ? 0 : 1);
  if (dtype.bits === 32) return dtype.code === "int" ? (x) => x | 0 : (x) => x >>> 0;
  const shift = 32 - dtype.bits;
  return dtype.code === "int" ? (x) => (x << shift) >> shift : (x) => (x << shift) >>> shift;
}

export function wrapWide(dtype: DType): (x: bigint) => bigint {
  return dtype.code === "int" ? (x) => BigInt.asIntN(dtype.bits, x) : (x) => BigInt.asUintN(dtype.bits, x);
}

const floorBig = (x: bigint, y: bigint): bigint => {
  const q = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? q - 1n : q;
};

type Op = (a: never, b: never) => Scalar;

/** Operators that mean the same for every dtype are in `comparisons`; these are the others. */
type Arithmetic = "add" | "sub" | "mul" | "div" | "mod" | "floordiv" | "floormod";

/** The function of one binary operator on operands of scalar dtype `operand`. */
export function scalarBinary(op: BinaryOp, operand: DType): (a: Scalar, b: Scalar) => Scalar {
  if (op in comparisons) return comparisons[op as keyof typeof comparisons];
  const made: Op = isFloating(operand)
    ? floatBinary(op as Arithmetic, operand)
    : isWide(operand)
      ? wideBinary(op as Arithmetic, operand)
      : intBinary(op as Arithmetic, operand);
  return made as (a: Scalar, b: Scalar) => Scalar;
}

const comparisons: Readonly<Record<Exclude<BinaryOp, Arithmetic>, (a: Scalar, b: Scalar) => Scalar>> = {
  eq: (a, b) => (a === b ? 1 : 0),
  ne: (a, b) => (a !== b ? 1 : 0),
  lt: (a, b) => (a < b ? 1 : 0),
  le: (a, b) => (a <= b ? 1 : 0),
  gt: (a, b) => (a > b ? 1 : 0),
  ge: (a, b) => (a >= b ? 1 : 0),
  // C's macros: a NaN on the left loses, as TVM's generated code does.
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a > b ? a : b),
  and: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
};

function floatBinary(op: Arithmetic, dtype: DType): (a: number, b: number) => number {
  const round = roundTo(dtype);
  switch (op) {
    case "add":
      return (a, b) => round(a + b);
    case "sub":
      return (a, b) => round(a - b);
    case "mul":
      return (a, b) => round(a * b);
    case "div":
      return (a, b) => round(a / b);
    case "mod":
      return (a, b) => round(a % b);
    case "floordiv":
      return (a, b) => round(Math.floor(round(a / b)));
    case "floormod":
      return (a, b) => round(a - round(Math.floor(round(a / b)) * b));
  }
}

function intBinary(op: Arithmetic, dtype: DType): (a: number, b: number) => number {
  const wrap = wrapTo(dtype);
  const checked =
    (f: (a: number, b: number) => number) =>
    (a: number, b: number): number => {
      if (b === 0) dividedByZero();
      return wrap(f(a, b));
    };
  switch (op) {
    case "add":
      return (a, b) => wrap(a + b);
    case "sub":
      return (a, b) => wrap(a - b);
    case "mul":
      return (a, b) => wrap(Math.imul(a, b));
    case "div":
      return checked((a, b) => Math.trunc(a / b));
    case "mod":
      return checked((a, b) => a % b);
    case "floordiv":
      return checked((a, b) => Math.floor(a / b));
    case "floormod":
      return checked((a, b) => a - Math.floor(a / b) * b);
  }
}

function wideBinary(op: Arithmetic, dtype: DType): (a: bigint, b: bigint) => bigint {
  const wrap = wrapWide(dtype);
  const checked =
    (f: (a: bigint, b: bigint) => bigint) =>
    (a: bigint, b: bigint): bigint => {
      if (b === 0n) dividedByZero();
      return wrap(f(a, b));
    };
  switch (op) {
    case "add":
      return (a, b) => wrap(a + b);
    case "sub":
      return (a, b) => wrap(a - b);
    case "mul":
      return (a, b) => wrap(a * b);
    case "div":
      return checked((a, b) => a / b);
    case "mod":
      return checked((a, b) => a % b);
    case "floordiv":
      return checked(floorBig);
    case "floormod":
      return checked((a, b) => a - floorBig(a, b) * b);
  }
}

/**
 * Value conversion between scalar dtypes. Float to integer truncates toward zero and saturates; NaN gives 0.
 */
export function scalarCast(from: DType, to: DType): (x: Scalar) => Scalar {
  if (isFloating(to)) {
    const round = roundTo(to);
    return (x) => round(Number(x));
  }
  if (to.code === "bool") return (x) => (Number(x) === 0 ? 0 : 1);
  if (isFloating(from)) {
    const low = to.code === "uint" ? 0n : -(1n << BigInt(to.bits - 1));
    const high = to.code === "uint" ? (1n << BigInt(to.bits)) - 1n : (1n << BigInt(to.bits - 1)) - 1n;
    const wide = isWide(to);
    return (x) => {
      const n = Number(x);
      const saturated = Number.isNaN(n)
        ? 0n
        : n <= Number(low)
          ? low
          : n >= Number(high)
            ? high
            : BigInt(Math.trunc(n));
      return wide ? saturated : Number(saturated);
    };
  }
  if (isWide(to)) {
    const wrap = wrapWide(to);
    return (x) => wrap(BigInt(x));
  }
  const wrap = wrapTo(to);
  return (x) => wrap(typeof x === "bigint" ? Number(BigInt.asIntN(32, x)) : x);
}

/** How an element of `dtype` is read from and written to its typed array. */
export function elementCodec(dtype: DType): {
  readonly read: (raw: Scalar) => Scalar;
  readonly write: (value: Scalar) => Scalar;
} {
  if (dtype.code === "bfloat")
    return { read: (raw) => decodeBfloat16(Number(raw)), write: (value) => encodeBfloat16(Number(value)) };
  if (dtype.code === "float" && dtype.bits === 16)
    return { read: (raw) => decodeFloat16(Number(raw)), write: (value) => encodeFloat16(Number(value)) };
  return { read: (raw) => raw, write: (value) => value };
}
