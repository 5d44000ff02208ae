// What integer operators of Relay give, written in bigint and nothing else: results wrap to the dtype;
// division by -1 of the least integer wraps too; shifts by the width or more, or by less than 0, shift every
// bit out.
import type { DType } from "../../compiler/ir/dtype.ts";

export function wrap(value: bigint, dtype: DType): bigint {
  if (dtype.code === "bool") return value === 0n ? 0n : 1n;
  return dtype.code === "uint" ? BigInt.asUintN(dtype.bits, value) : BigInt.asIntN(dtype.bits, value);
}

/**
 * Values at which something can go wrong: the ends, their neighbours, small ones, shifts around the width.
 */
export function edges(dtype: DType): readonly bigint[] {
  if (dtype.code === "bool") return [0n, 1n];
  const bits = BigInt(dtype.bits);
  const least = dtype.code === "uint" ? 0n : -(1n << (bits - 1n));
  const greatest = dtype.code === "uint" ? (1n << bits) - 1n : (1n << (bits - 1n)) - 1n;
  const some = [least, least + 1n, -7n, -2n, -1n, 0n, 1n, 2n, 3n, 7n, bits - 1n, bits, bits + 1n];
  return [...some.filter((value) => value >= least), greatest / 2n, greatest - 1n, greatest];
}

const floorDivide = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);
const shiftsOut = (by: bigint, { bits }: DType): boolean => by < 0n || by >= BigInt(bits);
const truth = (value: boolean): bigint => (value ? 1n : 0n);

export type Oracle = (a: bigint, b: bigint, dtype: DType) => bigint;

/** Defined for all operands; the result has their dtype. */
export const arithmetic: Readonly<Record<string, Oracle>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_xor: (a, b) => a ^ b,
  left_shift: (a, b, dtype) => (shiftsOut(b, dtype) ? 0n : a << b),
  right_shift: (a, b, dtype) => (shiftsOut(b, dtype) ? (a < 0n ? -1n : 0n) : a >> b),
};

/** For divisors that are not 0. */
export const division: Readonly<Record<string, Oracle>> = {
  divide: (a, b) => a / b,
  mod: (a, b) => a % b,
  floor_divide: floorDivide,
  floor_mod: (a, b) => a - floorDivide(a, b) * b,
};

/** The result is bool. */
export const comparison: Readonly<Record<string, Oracle>> = {
  less: (a, b) => truth(a < b),
  less_equal: (a, b) => truth(a <= b),
  greater: (a, b) => truth(a > b),
  greater_equal: (a, b) => truth(a >= b),
  equal: (a, b) => truth(a === b),
  not_equal: (a, b) => truth(a !== b),
};
