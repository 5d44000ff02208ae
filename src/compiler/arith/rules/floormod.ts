// floormod(x, d), d a positive constant, x a linear form.  TVM: src/arith/rewrite_simplify.cc (FloorMod),
// canonical_simplify.cc (SplitModConst)
import type { DType } from "../../ir/dtype.ts";
import { binary, imm } from "../../tir/build.ts";
import { firstRule, type ArithContext, type Rule } from "../context.ts";
import {
  isConstLinear,
  linAdd,
  linConst,
  linScale,
  linShift,
  splitByDivisor,
  toExpr,
  type Linear,
  type Term,
} from "../linear.ts";
import { factorsOf, singleTerm, splitByFactor } from "./floordiv.ts";

type ModRule = Rule<readonly [x: Linear, d: number, dtype: DType], Linear>;

const floorModRules: readonly ModRule[] = [
  {
    name: "constant",
    apply: (_cx, x, d) => (isConstLinear(x) ? linConst(x.constant - Math.floor(x.constant / d) * d) : null),
  },
  {
    // (d*q + r) % d = r % d; a coefficient is reduced into [0, d) only if it grows no term
    name: "drop multiples",
    apply: (cx, x, d, dtype) => {
      const { quotient, rest } = splitByDivisor(x, d);
      if (isConstLinear(quotient) && quotient.constant === 0) return null;
      return floorModLinear(cx, rest, d, dtype);
    },
  },
  {
    // x % d = x - k*d where k*d <= x < (k+1)*d throughout
    name: "one quotient",
    apply: (cx, x, d) => {
      const { min, max } = cx.bounds(x);
      const low = Math.floor(min / d);
      return Number.isFinite(low) && low === Math.floor(max / d) ? linShift(x, -low * d) : null;
    },
  },
  {
    // (g*a + b) % (g*k) = g*(a % k) + b where 0 <= b < g
    name: "split the low part",
    apply: (cx, x, d, dtype) => {
      for (const g of factorsOf(x, d)) {
        const { high, low } = splitByFactor(x, g);
        const { min, max } = cx.bounds(low);
        if (min < 0 || max >= g) continue;
        const part = floorModLinear(cx, high, d / g, dtype);
        if (part !== null) return linAdd(linScale(part, g), low);
      }
      return null;
    },
  },
  {
    // (x % (c*d)) % d = x % d, with any constant added and multiplied
    name: "nested remainders",
    apply: (cx, x, d, dtype) => {
      const only = singleTerm(x);
      if (only === null) return null;
      const { atom, coef } = only;
      if (
        atom.kind !== "binary" ||
        atom.op !== "floormod" ||
        atom.b.kind !== "int" ||
        Number(atom.b.value) % d !== 0
      )
        return null;
      return floorModLinear(cx, linShift(linScale(cx.linear(atom.a), coef), x.constant), d, dtype);
    },
  },
];

/** null where no rule applies and `x` itself may leave `dtype`. */
export function floorModLinear(cx: ArithContext, x: Linear, d: number, dtype: DType): Linear | null {
  if (d === 1) return linConst(0);
  const decided = firstRule(cx, floorModRules, x, d, dtype);
  if (decided !== null) return decided;
  const whole = cx.fit(x, dtype);
  return whole === null ? null : cx.atom(binary("floormod", toExpr(whole, dtype), imm(d, dtype)));
}

/**
 * Puts quotient and remainder together again: k*d*(x // d) + k*(x % d) = k*x. Runs on a whole sum, since the
 * two parts come from different operands. `div` gives the simplified x // d, whatever form that took.
 */
export function recombine(
  cx: ArithContext,
  sum: Linear,
  div: (x: Linear, d: number, dtype: DType) => Linear | null,
): Linear {
  for (const [key, { atom, coef }] of sum.terms) {
    if (atom.kind !== "binary" || atom.op !== "floormod" || atom.b.kind !== "int") continue;
    const d = Number(atom.b.value);
    // Loops over nothing are divided by 0.
    if (d <= 0) continue;
    const x = cx.linear(atom.a);
    const quotient = singleMatch(sum, div(x, d, atom.dtype), coef * d);
    if (quotient === null) continue;
    const terms = new Map<string, Term>(sum.terms);
    terms.delete(key);
    const rest = linAdd({ terms, constant: sum.constant }, quotient, -coef * d);
    return recombine(cx, linAdd(rest, x, coef), div);
  }
  return sum;
}

/** `part` if all its terms occur in `sum` with `times` their coefficients. */
function singleMatch(sum: Linear, part: Linear | null, times: number): Linear | null {
  if (part === null || part.terms.size === 0) return null;
  for (const [key, term] of part.terms) if (sum.terms.get(key)?.coef !== term.coef * times) return null;
  return part;
}
