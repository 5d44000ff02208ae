// Approximations of exp, tanh and erf by polynomials, for FastMath.  TVM: include/tvm/topi/elemwise.h
// (fast_exp, fast_tanh, fast_erf)
import { first } from "../../support/assert.ts";
import { float32, int32 } from "../ir/dtype.ts";
import { add, cast, div, floatImm, imm, max, min, mul, sub, tirCall, unary } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";

const real = (value: number): PrimExpr => floatImm(value, float32);

/** a0 + x * (a1 + x * (...)) for coefficients from the highest power down. */
function horner(x: PrimExpr, coefficients: readonly number[]): PrimExpr {
  return coefficients
    .slice(1)
    .reduce<PrimExpr>((sum, next) => add(mul(x, sum), real(next)), real(first(coefficients, "coefficient")));
}

/**
 * 2^n * e^f with n whole and f the small rest; 2^n is made by writing its exponent bits. Other dtypes take
 * the exact function.
 */
export function fastExp(value: PrimExpr): PrimExpr {
  if (value.dtype !== float32) return unary("tir.exp", value);
  const x = max(min(value, real(88.376262664795)), real(-88.3762626647949));
  const n = unary("tir.floor", add(mul(x, real(1.4426950408889634)), real(0.5)));
  const f = sub(x, mul(n, real(0.6931471805599453)));
  const series = horner(
    f,
    [1.98756915e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1],
  );
  const y = add(add(mul(mul(series, f), f), f), real(1));
  const bits = tirCall("tir.shift_left", int32, [cast(add(n, real(127)), int32), imm(23, int32)]);
  return max(mul(tirCall("tir.reinterpret", float32, [bits]), y), value);
}

/** An odd polynomial over an even one, clamped to ±9. */
export function fastTanh(value: PrimExpr): PrimExpr {
  if (value.dtype !== float32) return unary("tir.tanh", value);
  const x = max(min(value, real(9)), real(-9));
  const x2 = mul(x, x);
  const odd = [
    -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-8,
    1.48572235717979e-5, 6.37261928875436e-4, 4.89352455891786e-3,
  ];
  const even = [1.19825839466702e-6, 1.18534705686654e-4, 2.268434632439e-3, 4.89352518554385e-3];
  return div(mul(x, horner(x2, odd)), horner(x2, even));
}

/** An odd polynomial over an even one, clamped to ±4. */
export function fastErf(value: PrimExpr): PrimExpr {
  if (value.dtype !== float32) return unary("tir.erf", value);
  const x = max(min(value, real(4)), real(-4));
  const x2 = mul(x, x);
  const odd = [
    -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5,
    -7.34990630326855e-4, -2.95459980854025e-3, -1.60960333262415e-2,
  ];
  const even = [
    -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3,
    -1.42647390514189e-2,
  ];
  return div(mul(x, horner(x2, odd)), horner(x2, even));
}
