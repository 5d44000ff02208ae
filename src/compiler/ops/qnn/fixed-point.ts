// Multiplication of int32 tensors by real factors in integer arithmetic.  TVM: src/relay/qnn/utils.cc
import { int32, int64 } from "../../ir/dtype.ts";
import { staticShape, type TensorType } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { alongAxis, type Lowering } from "./lowering.ts";

export const roundings = ["UPWARD", "TONEAREST"] as const;
export type Rounding = (typeof roundings)[number];

/** `factor` = multiplier / 2^31 * 2^shift, with the multiplier's highest bit set. `factor` must be finite. */
export function fixedPointOf(factor: number): { readonly multiplier: number; readonly shift: number } {
  if (factor === 0) return { multiplier: 0, shift: 0 };
  const { significand, exponent } = frexp(factor);
  const scaled = significand * 2 ** 31;
  // Halves go away from zero, as C's round does.
  const multiplier = Math.sign(scaled) * Math.round(Math.abs(scaled));
  return Math.abs(multiplier) === 2 ** 31
    ? { multiplier: multiplier / 2, shift: exponent + 1 }
    : { multiplier, shift: exponent };
}

/** value = significand * 2^exponent with 0.5 <= |significand| < 1; value is finite and not zero. */
function frexp(value: number): { readonly significand: number; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const biased = (bits.getUint16(0) >> 4) & 0x7ff;
  if (biased === 0) {
    const normal = frexp(value * 2 ** 54);
    return { significand: normal.significand, exponent: normal.exponent - 54 };
  }
  bits.setUint16(0, (bits.getUint16(0) & 0x800f) | (1022 << 4));
  return { significand: bits.getFloat64(0), exponent: biased - 1022 };
}

/**
 * What is added before a right shift by `shift` bits so that halves go up, and for negative values in
 * TONEAREST down.
 */
function roundingTerms(shift: number): { readonly positive: bigint; readonly negative: bigint } {
  const half = 1n << BigInt(shift - 1);
  return { positive: half, negative: half - 1n };
}

/** A factor so small that every int32 becomes 0 needs no shift beyond what int64 has. */
function safeShift(point: { readonly multiplier: number; readonly shift: number }): {
  readonly multiplier: number;
  readonly shift: number;
} {
  return point.shift < -31 ? { multiplier: 0, shift: 0 } : point;
}

/** tensor * factor with halves rounded away from zero; tensor is int32, the work is int64. */
export function multiplyToNearest(l: Lowering, tensor: Expr, factor: number, type: TensorType): Expr {
  const { multiplier, shift } = safeShift(fixedPointOf(factor));
  const right = 31 + Math.max(-shift, 0);
  let wide = l.cast(tensor, int64);
  if (shift > 0) wide = l.make("left_shift", [wide, l.long(BigInt(shift))]);
  wide = l.make("multiply", [wide, l.long(BigInt(multiplier))]);
  const { positive, negative } = roundingTerms(right);
  const shape = staticShape(type);
  const spread = (value: bigint): Expr =>
    shape === null ? l.long(value) : l.make("full", [l.long(value)], { shape, dtype: "int64" });
  const zero = shape === null ? l.long(0n) : l.make("zeros", [], { shape, dtype: "int64" });
  const term = l.make("where", [l.make("greater_equal", [wide, zero]), spread(positive), spread(negative)]);
  return l.cast(l.make("right_shift", [l.make("add", [wide, term]), l.long(BigInt(right))]), int32);
}

/** tensor * factors[channel] with channels along `axis`; tensor is int32, the work is int64. */
export function multiplyPerChannel(
  l: Lowering,
  tensor: Expr,
  factors: readonly number[],
  at: { readonly type: TensorType; readonly axis: number; readonly rounding: Rounding },
): Expr {
  const points = factors.map((factor) => safeShift(fixedPointOf(factor)));
  const rank = at.type.shape.length;
  const channelwise = (values: readonly bigint[]): Expr => alongAxis(l, l.longs(values), rank, at.axis);
  let wide = l.cast(tensor, int64);
  if (points.some((point) => point.shift > 0)) {
    wide = l.make("left_shift", [wide, channelwise(points.map((point) => BigInt(Math.max(point.shift, 0))))]);
  }
  wide = l.make("multiply", [wide, channelwise(points.map((point) => BigInt(point.multiplier)))]);
  const rights = points.map((point) => 31 + Math.max(-point.shift, 0));
  const terms = rights.map(roundingTerms);
  const positive = channelwise(terms.map((term) => term.positive));
  wide = l.make("add", [
    wide,
    at.rounding === "UPWARD"
      ? positive
      : nearestTerm(l, wide, positive, channelwise(terms.map((term) => term.negative)), at.type),
  ]);
  return l.cast(l.make("right_shift", [wide, channelwise(rights.map(BigInt))]), int32);
}

function nearestTerm(l: Lowering, wide: Expr, positive: Expr, negative: Expr, type: TensorType): Expr {
  const shape = staticShape(type);
  if (shape === null)
    return l.make("where", [l.make("greater_equal", [wide, l.long(0n)]), positive, negative]);
  const spread = (x: Expr): Expr => l.make("broadcast_to", [x], { shape });
  return l.make("where", [
    l.make("greater_equal", [wide, l.make("zeros", [], { shape, dtype: "int64" })]),
    spread(positive),
    spread(negative),
  ]);
}
