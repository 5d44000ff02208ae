// floordiv(x, d), d a positive constant, x a linear form.  TVM: src/arith/rewrite_simplify.cc (FloorDiv),
// canonical_simplify.cc (SplitDivConst)
import { binary, imm } from "../../tir/build.ts";
import type { DType } from "../../ir/dtype.ts";
import { firstRule, type Rule } from "../context.ts";
import {
  gcd,
  isConstLinear,
  linAdd,
  linConst,
  splitByDivisor,
  toExpr,
  type Linear,
  type Term,
} from "../linear.ts";
import type { ArithContext } from "../context.ts";

/** Splits x = g*high + low by coefficients divisible by g; the constant's multiple of g goes to high. */
export function splitByFactor(x: Linear, g: number): { readonly high: Linear; readonly low: Linear } {
  const { quotient, rest } = splitByDivisor(x, g);
  return { high: quotient, low: rest };
}

/** Candidate factors: every gcd of d with a coefficient that is a real divisor, greatest first. */
export function factorsOf(x: Linear, d: number): readonly number[] {
  const found = new Set<number>();
  for (const { coef } of x.terms.values()) {
    const g = gcd(coef, d);
    if (g > 1) found.add(g);
  }
  return [...found].sort((a, b) => b - a);
}

type DivRule = Rule<readonly [x: Linear, d: number, dtype: DType], Linear>;

const floorDivRules: readonly DivRule[] = [
  {
    name: "constant",
    apply: (_cx, x, d) => (isConstLinear(x) ? linConst(Math.floor(x.constant / d)) : null),
  },
  {
    // (d*q + r) // d = q + r // d
    name: "take out multiples",
    apply: (cx, x, d, dtype) => {
      const { quotient, rest } = splitByDivisor(x, d);
      if (isConstLinear(quotient) && quotient.constant === 0) return null;
      const low = floorDivLinear(cx, rest, d, dtype);
      return low === null ? null : linAdd(quotient, low);
    },
  },
  {
    // r // d = k where k*d <= r < (k+1)*d throughout
    name: "one quotient",
    apply: (cx, x, d) => {
      const { min, max } = cx.bounds(x);
      const low = Math.floor(min / d);
      return Number.isFinite(low) && low === Math.floor(max / d) ? linConst(low) : null;
    },
  },
  {
    // (g*a + b) // (g*k) = a // k where 0 <= b < g
    name: "drop the low part",
    apply: (cx, x, d, dtype) => {
      for (const g of factorsOf(x, d)) {
        const { high, low } = splitByFactor(x, g);
        const { min, max } = cx.bounds(low);
        if (min >= 0 && max < g) return floorDivLinear(cx, high, d / g, dtype);
      }
      return null;
    },
  },
  {
    // (x // c) // d = x // (c*d), also with a constant inside: (x // c + k) // d = (x + k*c) // (c*d)
    name: "nested divisions",
    apply: (cx, x, d, dtype) => {
      const only = singleTerm(x);
      if (only === null || only.coef !== 1) return null;
      const { atom } = only;
      if (atom.kind !== "binary" || atom.op !== "floordiv" || atom.b.kind !== "int") return null;
      const c = Number(atom.b.value);
      if (c <= 0 || !Number.isSafeInteger(c * d)) return null;
      const inner = linAdd(cx.linear(atom.a), linConst(x.constant * c));
      return floorDivLinear(cx, inner, c * d, dtype);
    },
  },
];

export function singleTerm(x: Linear): Term | null {
  if (x.terms.size !== 1) return null;
  for (const term of x.terms.values()) return term;
  return null;
}

/** null where no rule applies and `x` itself may leave `dtype`. */
export function floorDivLinear(cx: ArithContext, x: Linear, d: number, dtype: DType): Linear | null {
  if (d === 1) return x;
  const decided = firstRule(cx, floorDivRules, x, d, dtype);
  if (decided !== null) return decided;
  const whole = cx.fit(x, dtype);
  return whole === null ? null : cx.atom(binary("floordiv", toExpr(whole, dtype), imm(d, dtype)));
}
