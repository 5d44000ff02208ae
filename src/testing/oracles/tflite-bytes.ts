// What TFLite's reference kernels give for 8-bit integers, to the last bit: their scaling by real factors in
// bigint, step by step as the kernels do it, and the kernels around it. Written for tests after reading them,
// none of the compiler's code. Source: gemmlowp's fixedpoint.h (SaturatingRoundingDoublingHighMul,
// RoundingDivideByPOT), tensorflow/lite/kernels/internal/common.cc and reference/integer_ops
import { quantizedMultiplier } from "./tflite.ts";

const int32 = (value: bigint): bigint => BigInt.asIntN(32, value);

/** The upper half of twice the product, rounded: a nudge, then a division that drops what is left. */
function doublingHighMul(a: bigint, b: bigint): bigint {
  const least = -(2n ** 31n);
  if (a === least && b === least) return 2n ** 31n - 1n;
  const product = a * b;
  const nudge = product >= 0n ? 1n << 30n : 1n - (1n << 30n);
  return int32((product + nudge) / (1n << 31n));
}

/** Divides by a power of two, halves away from zero. */
function divideByPower(x: bigint, exponent: bigint): bigint {
  const mask = (1n << exponent) - 1n;
  const remainder = x & mask;
  const threshold = (mask >> 1n) + (x < 0n ? 1n : 0n);
  return (x >> exponent) + (remainder > threshold ? 1n : 0n);
}

/** A 32-bit integer times a real factor. */
export function scaledByte(x: number, factor: number): number {
  const { multiplier, shift } = quantizedMultiplier(factor);
  const left = BigInt(Math.max(shift, 0));
  const right = BigInt(Math.max(-shift, 0));
  return Number(divideByPower(doublingHighMul(int32(BigInt(x) << left), multiplier), right));
}

/** A scale and zero point. */
export interface Quantised {
  readonly scale: number;
  readonly zero: number;
}

export type Range = readonly [low: number, high: number];

export const held = (value: number, [low, high]: Range): number => Math.min(Math.max(value, low), high);

/** A sum or difference: both sides in twice the greater scale with 20 bits behind the point. */
export function sumOfBytes(
  sign: 1 | -1,
  [x, y]: readonly [number, number],
  [a, b, to]: readonly [Quantised, Quantised, Quantised],
  range: Range,
): number {
  const twice = 2 * Math.max(a.scale, b.scale);
  const first = scaledByte((x - a.zero) * 2 ** 20, a.scale / twice);
  const second = scaledByte((y - b.zero) * 2 ** 20, b.scale / twice);
  return held(scaledByte(first + sign * second, twice / (2 ** 20 * to.scale)) + to.zero, range);
}

/** A product; the factor is computed in floats. */
export function productOfBytes(
  [x, y]: readonly [number, number],
  [a, b, to]: readonly [Quantised, Quantised, Quantised],
  range: Range,
): number {
  const factor = Math.fround(Math.fround(a.scale * b.scale) / to.scale);
  return held(scaledByte((x - a.zero) * (y - b.zero), factor) + to.zero, range);
}

/**
 * A quotient of a whole sum and its count, halves away from zero, as kernels of means and averages divide.
 */
export function roundedShare(sum: number, count: number): number {
  const half = Math.trunc(count / 2);
  return Math.trunc((sum > 0 ? sum + half : sum - half) / count) || 0;
}
