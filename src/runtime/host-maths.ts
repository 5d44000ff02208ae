// Functions that WebAssembly modules import from the host ("env"): the rare ones, in float64.
import { power } from "../support/power.ts";

/** erf to about 1e-16: a series of positive terms near 0, the continued fraction of erfc beyond. */
function erf(x: number): number {
  if (Number.isNaN(x)) return NaN;
  const a = Math.abs(x);
  if (a >= 6) return Math.sign(x);
  if (a < 3) {
    // 2/sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 3 5 … (2n+1))
    let term = a;
    let sum = a;
    for (let n = 1; term > sum * 1e-18; n++) {
      term *= (2 * a * a) / (2 * n + 1);
      sum += term;
    }
    return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * Math.exp(-a * a) * sum;
  }
  let tail = a;
  for (let k = 60; k >= 1; k--) tail = a + k / 2 / tail;
  return Math.sign(x) * (1 - Math.exp(-a * a) / (Math.sqrt(Math.PI) * tail));
}

/** The import object's "env" part. */
export const hostMaths: Readonly<Record<string, (x: number, y: number) => number>> = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  tanh: Math.tanh,
  erf,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  pow: power,
  atan2: Math.atan2,
  hypot: Math.hypot,
  fmod: (x, y) => x % y,
};
