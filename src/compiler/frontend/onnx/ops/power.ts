// Powers. Integers stay integers: TVM takes them through float32 (onnx.py, Pow), where what is beyond 2^24
// loses its last digits.
import { bool, float64, int64, isFloat, isInteger, type DType } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { multiply, number } from "../arithmetic.ts";
import { numbersOf } from "../../values.ts";
import { call, cast, dtypeOf, known, type OnnxNode } from "../graph.ts";

/** base ^ exponent in the base's dtype. */
export function powerOf(n: OnnxNode, [base, exponent]: readonly [Expr, Expr]): Expr {
  const own = dtypeOf(n, base);
  if (isInteger(own) && isInteger(dtypeOf(n, exponent)))
    return integerPower(n, base, cast(n, exponent, signed(dtypeOf(n, exponent))));
  const type = isFloat(own) ? own : float64;
  return cast(n, call(n, "power", [cast(n, base, type), cast(n, exponent, type)]), own);
}

const signed = (dtype: DType): DType => (dtype.code === "int" ? dtype : int64);

/** Exponents of more bits than this give 0, 1 or -1, or overflow. */
const bits = 7;

/**
 * Squares and multiplies by the bits of the exponent, wrapping as integers do. An exponent of 64 or more is
 * as good as 64 or 65, whichever has its parity; a negative one leaves only 1 and -1 of bases, and 0 of all
 * others.
 */
function integerPower(n: OnnxNode, base: Expr, exponent: Expr): Expr {
  const given = known(n, exponent);
  const values = given === null ? null : numbersOf(given);
  const like = (value: number): Expr => number(n, value, exponent);
  const parity = call(n, "bitwise_and", [exponent, like(1)]);
  const large = values === null || values.some((value) => value >= 64);
  const negative = values === null || values.some((value) => value < 0);
  const kept = large
    ? call(n, "where", [
        call(n, "greater_equal", [exponent, like(64)]),
        call(n, "add", [parity, like(64)]),
        exponent,
      ])
    : exponent;
  const used = negative ? call(n, "where", [call(n, "less", [exponent, like(0)]), parity, kept]) : kept;
  const most = values === null || large ? bits : Math.max(1, ...values).toString(2).length;
  let square = base;
  let result: Expr = number(n, 1, base);
  for (let bit = 0; bit < most; bit++) {
    const taken = cast(n, call(n, "bitwise_and", [used, like(2 ** bit)]), bool);
    result = call(n, "where", [taken, multiply(n, result, square), result]);
    if (bit < most - 1) square = multiply(n, square, square);
  }
  return negative ? withoutFractions(n, base, exponent, result) : result;
}

/** `result` where the exponent is not negative or the base is 1 or -1, else 0. */
function withoutFractions(n: OnnxNode, base: Expr, exponent: Expr, result: Expr): Expr {
  const size = dtypeOf(n, base).code === "int" ? call(n, "abs", [base]) : base;
  const fraction = call(n, "logical_and", [
    call(n, "less", [exponent, number(n, 0, exponent)]),
    call(n, "not_equal", [size, number(n, 1, base)]),
  ]);
  return call(n, "where", [fraction, number(n, 0, base), result]);
}
