// Products of two integers, neither constant: the constant factor comes out, the rest is an atom.
// TVM: src/arith/canonical_simplify.cc (Mul)
import type { DType } from "../../ir/dtype.ts";
import { binary } from "../../tir/build.ts";
import type { ArithContext } from "../context.ts";
import { coefGcd, gcd, isConstLinear, linScale, toExpr, type Linear } from "../linear.ts";

/** Greatest divisor of all coefficients and the constant, with the sign of the first coefficient. */
function content(a: Linear): number {
  const g = gcd(coefGcd(a), a.constant);
  for (const { coef } of a.terms.values()) return coef < 0 ? -g : g;
  return g;
}

/** null where a factor without its content may leave `dtype`. */
export function mulLinear(cx: ArithContext, a: Linear, b: Linear, dtype: DType): Linear | null {
  if (isConstLinear(a)) return linScale(b, a.constant);
  if (isConstLinear(b)) return linScale(a, b.constant);
  const left = content(a);
  const right = content(b);
  const factor = left * right;
  const x = cx.fit(linScale(a, 1 / left), dtype);
  const y = cx.fit(linScale(b, 1 / right), dtype);
  if (x === null || y === null) return null;
  return linScale(cx.atom(binary("mul", toExpr(x, dtype), toExpr(y, dtype))), factor);
}
