// Integers times real factors as TFLite's own kernels scale them, for who asks for TFLite's last bit: the
// upper half of a product with a 31-bit multiplier, rounded, then a shift that rounds again. TVM, and so we
// without the option, rounds once. Source: tensorflow/lite/kernels/internal/common.cc
// (MultiplyByQuantizedMultiplier without TFLITE_SINGLE_ROUNDING), quantization_util.cc (QuantizeMultiplier),
// gemmlowp's fixedpoint.h
import { int64, type DType } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import type { Expr } from "../../relay/expr.ts";
import { constantOf, refuse, scalarOf, typeOf } from "../import-node.ts";
import { call, type TfNode } from "./graph.ts";

/** Whether the import is asked for TFLite's rounding. */
export const roundsAsTflite = (n: TfNode): boolean => n.state.cx.options.tfliteRounding;

interface Factor {
  /** 0, or from 2^30 to 2^31 - 1: the factor's fraction. */
  readonly multiplier: number;
  /** To the left; negative: to the right. */
  readonly shift: number;
}

function factorOf(n: TfNode, value: number): Factor {
  if (value === 0) return { multiplier: 0, shift: 0 };
  if (!(value > 0) || value >= 2 ** 30)
    return refuse(n, "the factor between its scales is not usable", {
      expected: "a positive number below 2^30",
      got: String(value),
    });
  let shift = 0;
  let fraction = value;
  for (; fraction >= 1; shift++) fraction /= 2;
  for (; fraction < 0.5; shift--) fraction *= 2;
  const fixed = Math.round(fraction * 2 ** 31);
  const factor = fixed === 2 ** 31 ? { multiplier: 2 ** 30, shift: shift + 1 } : { multiplier: fixed, shift };
  return factor.shift < -31 ? { multiplier: 0, shift: 0 } : factor;
}

/**
 * `expr`, integers of 32 bits, times one factor, or one for each place along the last axis; as int64 numbers
 * that 32 bits hold.
 */
export function scaledTwice(n: TfNode, expr: Expr, factors: readonly number[]): Expr {
  const each = factors.map((factor) => factorOf(n, factor));
  const vector = (value: (factor: Factor) => number): Expr =>
    constantOf(
      n,
      tensorData(
        int64,
        each.length === 1 ? [] : [each.length],
        BigInt64Array.from(each, (factor) => BigInt(value(factor))),
      ),
    );
  const right = (factor: Factor): number => Math.max(-factor.shift, 0);
  const wide = typeOf(n, expr).dtype === int64 ? expr : call(n, "cast", [expr], { dtype: int64.name });
  const left = each.some(({ shift }) => shift > 0)
    ? call(n, "left_shift", [wide, vector(({ shift }) => Math.max(shift, 0))])
    : wide;
  const product = call(n, "multiply", [left, vector(({ multiplier }) => multiplier)]);
  // Halves up: what SaturatingRoundingDoublingHighMul gives, its nudge and its division towards 0 taken
  // together.
  const high = call(n, "right_shift", [
    call(n, "add", [product, scalarOf(n, int64, 2 ** 30)]),
    scalarOf(n, int64, 31),
  ]);
  if (each.every((factor) => right(factor) === 0)) return high;
  // Halves away from 0: RoundingDivideByPOT.
  const sign = call(n, "right_shift", [high, scalarOf(n, int64, 63)]);
  const below = each.every((factor) => right(factor) > 0)
    ? sign
    : call(n, "multiply", [sign, vector((factor) => (right(factor) > 0 ? 1 : 0))]);
  const half = vector((factor) => (right(factor) > 0 ? 2 ** (right(factor) - 1) : 0));
  return call(n, "right_shift", [call(n, "add", [call(n, "add", [high, half]), below]), vector(right)]);
}

/** `expr` as int64 without its zero point. */
export function centredWide(n: TfNode, expr: Expr, zeroPoint: number): Expr {
  const wide = call(n, "cast", [expr], { dtype: int64.name });
  return zeroPoint === 0 ? wide : call(n, "subtract", [wide, scalarOf(n, int64, zeroPoint)]);
}

/** Whether TFLite's formulas for 8-bit integers hold: 16-bit ones have their own. */
export const isByte = (dtype: DType): boolean => dtype.bits === 8;
