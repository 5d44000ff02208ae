// Maths that WebAssembly lacks, written as TIR over one variable and lowered like any kernel: the scalar and
// the vector version of a function are one definition, so that a vector loop and its tail agree to the last
// bit. Coefficients are Chebyshev fits made for this file (errors in the comments); float32 results are
// within 2 ulp.
import { invariant } from "../../../support/assert.ts";
import { int32, withLanes, type DType } from "../../ir/dtype.ts";
import {
  add,
  cast,
  div,
  eq,
  ge,
  gt,
  imm,
  intImm,
  lt,
  max,
  mul,
  select,
  sub,
  tirCall,
  tirLet,
  tirVar,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr, TirVar } from "../../tir/expr.ts";

interface TirHelper {
  readonly params: readonly TirVar[];
  readonly body: PrimExpr;
}

function bind(value: PrimExpr, body: (variable: PrimExpr) => PrimExpr): PrimExpr {
  const variable = tirVar("t", value.dtype);
  return tirLet(variable, value, body(variable));
}

/** c[0] + x (c[1] + x (c[2] + …)) */
function horner(x: PrimExpr, coefficients: readonly number[]): PrimExpr {
  let sum: PrimExpr = imm(coefficients[coefficients.length - 1]!, x.dtype);
  for (let i = coefficients.length - 2; i >= 0; i--) sum = add(mul(sum, x), imm(coefficients[i]!, x.dtype));
  return sum;
}

function bits(x: PrimExpr): PrimExpr {
  return tirCall("tir.reinterpret", withLanes(int32, x.dtype.lanes), [x]);
}

function float(x: PrimExpr, dtype: DType): PrimExpr {
  return tirCall("tir.reinterpret", dtype, [x]);
}

function shift(op: "shift_left" | "shift_right", x: PrimExpr, by: number): PrimExpr {
  return tirCall(`tir.${op}`, x.dtype, [x, imm(by, x.dtype)]);
}

const k = (value: number, like: PrimExpr): PrimExpr => imm(value, like.dtype);

/** e^x = 2^n e^r with |r| <= ln(2)/2; 2^n in two factors so that results below 2^-126 come out right. */
function exp(x: PrimExpr): PrimExpr {
  const { dtype } = x;
  // The bound is on the left: C's min and max hand on their right operand where one is NaN.
  const low = k(-104, x);
  const high = k(89, x);
  return bind(select(lt(high, x), high, select(gt(low, x), low, x)), (clamped) =>
    bind(unary("tir.nearbyint", mul(clamped, 1.4426950408889634)), (n) =>
      bind(sub(sub(clamped, mul(n, 0.693145751953125)), mul(n, 1.428606765330187e-6)), (r) =>
        bind(cast(n, withLanes(int32, dtype.lanes)), (whole) =>
          bind(shift("shift_right", whole, 1), (half) => {
            // (e^r - 1 - r) / r^2 to 7e-8
            const p = add(
              add(
                mul(
                  mul(r, r),
                  horner(
                    r,
                    [
                      0.5, 0.16666573286056519, 0.04166654869914055, 0.008363774046301842,
                      0.0013926926767453551,
                    ],
                  ),
                ),
                r,
              ),
              1,
            );
            const power = (of: PrimExpr): PrimExpr =>
              float(shift("shift_left", add(of, imm(127, of.dtype)), 23), dtype);
            return mul(mul(p, power(half)), power(sub(whole, half)));
          }),
        ),
      ),
    ),
  );
}

/**
 * ln x = e ln 2 + ln m with m in [sqrt(1/2), sqrt(2)), ln m by the series of artanh(f / (2 + f)), f = m - 1.
 */
function log(x: PrimExpr): PrimExpr {
  const tiny = lt(x, 1.1754943508222875e-38);
  return bind(select(tiny, mul(x, 8388608), x), (scaled) =>
    bind(bits(scaled), (b) =>
      bind(shift("shift_right", sub(b, imm(0x3f3504f3, b.dtype)), 23), (e) =>
        bind(sub(float(sub(b, shift("shift_left", e, 23)), x.dtype), 1), (f) =>
          bind(div(f, add(f, 2)), (s) =>
            bind(mul(s, s), (z) =>
              bind(mul(mul(f, f), 0.5), (halfSquare) => {
                // ((ln((1+s)/(1-s)) - 2s) / s) / z to 2e-9
                const series = mul(
                  z,
                  horner(
                    z,
                    [0.6666666865348816, 0.40000128746032715, 0.285499632358551, 0.23353542387485504],
                  ),
                );
                const exponent = sub(cast(e, x.dtype), select(tiny, k(23, x), k(0, x)));
                const small = add(mul(s, add(halfSquare, series)), mul(exponent, 1.428606765330187e-6));
                const value = add(mul(exponent, 0.693145751953125), sub(f, sub(halfSquare, small)));
                const zero = select(eq(x, 0), k(-Infinity, x), value);
                const negative = select(lt(x, 0), k(NaN, x), zero);
                // Infinity and NaN answer themselves: x < Infinity is false for both.
                return select(lt(x, Infinity), negative, x);
              }),
            ),
          ),
        ),
      ),
    ),
  );
}

function withSignOf(magnitude: PrimExpr, x: PrimExpr): PrimExpr {
  const sign = tirCall("tir.bitwise_and", withLanes(int32, x.dtype.lanes), [
    bits(x),
    imm(-0x80000000, withLanes(int32, x.dtype.lanes)),
  ]);
  return float(tirCall("tir.bitwise_or", sign.dtype, [bits(magnitude), sign]), x.dtype);
}

function tanh(x: PrimExpr): PrimExpr {
  return bind(unary("tir.fabs", x), (a) =>
    bind(mul(x, x), (z) => {
      // (tanh x - x) / x^3 to 5e-8 for |x| <= 0.63
      const near = add(
        x,
        mul(
          mul(x, z),
          horner(
            z,
            [
              -0.333333283662796, 0.13332736492156982, -0.05384582281112671, 0.02097323350608349,
              -0.00606214813888073,
            ],
          ),
        ),
      );
      const far = sub(1, div(k(2, x), add(unary("tir.exp", mul(a, 2)), 1)));
      return select(lt(a, 0.625), near, withSignOf(far, x));
    }),
  );
}

function erf(x: PrimExpr): PrimExpr {
  return bind(unary("tir.fabs", x), (a) =>
    bind(mul(x, x), (z) => {
      // erf(x) / x to 2e-9 for |x| <= 1
      const near = mul(
        x,
        horner(
          z,
          [
            1.1283791065216064, -0.3761262595653534, 0.11283594369888306, -0.02685421146452427,
            0.005189087241888046, -0.000801686430349946, 7.875874871388078e-5,
          ],
        ),
      );
      // ln(erfc(x)) / x to 3e-8 for 1 <= x <= 4; beyond 4, 1 - erfc rounds to 1. NaN goes through the bound
      // (C's min keeps its right side).
      return bind(select(gt(a, 4), k(4, x), a), (t) => {
        const exponent = mul(
          t,
          horner(
            t,
            [
              -1.1287853717803955, -0.6346451044082642, -0.1069786474108696, 0.024294044822454453,
              -0.003815269097685814, 0.00032501984969712794, 2.921146005974151e-6, -3.3863163935166085e-6,
              2.237788407910557e-7,
            ],
          ),
        );
        return select(lt(a, 1), near, withSignOf(sub(1, unary("tir.exp", exponent)), x));
      });
    }),
  );
}

/** Half away from zero, exactly. */
function round(x: PrimExpr): PrimExpr {
  return bind(unary("tir.trunc", x), (t) =>
    select(ge(unary("tir.fabs", sub(x, t)), 0.5), add(t, select(lt(x, 0), k(-1, x), k(1, x))), t),
  );
}

const unaryHelpers = { exp, log, tanh, erf, round } as const;

export type UnaryHelper = keyof typeof unaryHelpers;

/** Helpers that exist for float32 scalars and vectors. */
export function hasVectorHelper(name: string): name is UnaryHelper {
  return Object.hasOwn(unaryHelpers, name);
}

/** The definition of `name` for `dtype`: float32 or its vectors; round for float64 too. */
export function unaryHelper(name: UnaryHelper, dtype: DType): TirHelper {
  invariant(dtype.bits === 32 || name === "round", `${name} has no helper for ${dtype.name}`);
  const x = tirVar("x", dtype);
  return { params: [x], body: unaryHelpers[name](x) };
}

/** x y 2^(left shift) / 2^right with rounding half up, in 64 bits: TVM's q_multiply_shift. */
export function qMultiplyShift(wide: DType): TirHelper {
  const [x, y, q, s] = [tirVar("x", int32), tirVar("y", int32), tirVar("q", int32), tirVar("s", int32)];
  const one = intImm(1, wide);
  const left = cast(max(s, 0), wide);
  const call = (op: string, a: PrimExpr, b: PrimExpr): PrimExpr => tirCall(`tir.${op}`, wide, [a, b]);
  const body = bind(cast(add(q, max(sub(0, s), 0)), wide), (right) =>
    cast(
      call(
        "shift_right",
        add(
          mul(call("shift_left", cast(x, wide), left), cast(y, wide)),
          call("shift_left", one, sub(right, 1)),
        ),
        right,
      ),
      int32,
    ),
  );
  return { params: [x, y, q, s], body };
}
