// Comparisons of integers: a ? b becomes terms ? constant with the constant on the right, decided where
// bounds decide it.
// TVM: src/arith/rewrite_simplify.cc (LT, EQ)
import type { DType } from "../../ir/dtype.ts";
import { binary, falseImm, trueImm } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { firstRule, type ArithContext, type Rule } from "../context.ts";
import {
  coefGcd,
  isConstLinear,
  linAdd,
  linConst,
  linScale,
  linShift,
  signSplit,
  toExpr,
  type Fitting,
  type Linear,
} from "../linear.ts";

const boolean = (value: boolean): PrimExpr => (value ? trueImm : falseImm);

/** Rules on "d < 0". */
const lessRules: readonly Rule<readonly [d: Linear, dtype: DType], PrimExpr>[] = [
  { name: "constant", apply: (_cx, d) => (isConstLinear(d) ? boolean(d.constant < 0) : null) },
  {
    name: "bounds",
    apply: (cx, d) => {
      const { min, max } = cx.proofBounds(d);
      return max < 0 ? trueImm : min >= 0 ? falseImm : null;
    },
  },
  {
    // g*t + c < 0 = t < ceil(-c / g); the low part of a sum goes if it cannot tip the balance
    name: "divide by the common factor",
    apply: (cx, d, dtype) => {
      const g = coefGcd(d);
      if (g <= 1) return null;
      const terms = linScale({ terms: d.terms, constant: 0 }, 1 / g);
      return lessThanZero(cx, linShift(terms, -Math.ceil(-d.constant / g)), dtype);
    },
  },
  {
    // g*a + b + c < 0 with 0 <= b < g and c a multiple of g: a + c/g < 0
    name: "drop the low part",
    apply: (cx, d, dtype) => {
      for (const { coef } of d.terms.values()) {
        const g = Math.abs(coef);
        if (g === 1) continue;
        const [high, low] = splitTerms(d, g);
        if (low.terms.size === 0 || high.terms.size === 0) continue;
        const bounds = cx.bounds(low);
        // a < (-c - b) / g for every b in range gives one threshold.
        const least = Math.ceil((-d.constant - bounds.max) / g);
        if (Number.isFinite(least) && least === Math.ceil((-d.constant - bounds.min) / g))
          return lessThanZero(cx, linShift(high, -least), dtype);
      }
      return null;
    },
  },
];

/** Terms with coefficients divisible by g, divided by it, and the others. */
function splitTerms(d: Linear, g: number): readonly [high: Linear, low: Linear] {
  const high = [...d.terms].filter(([, term]) => term.coef % g === 0);
  const low = [...d.terms].filter(([, term]) => term.coef % g !== 0);
  return [linScale({ terms: new Map(high), constant: 0 }, 1 / g), { terms: new Map(low), constant: 0 }];
}

const equalRules: readonly Rule<readonly [d: Linear, dtype: DType], PrimExpr>[] = [
  { name: "constant", apply: (_cx, d) => (isConstLinear(d) ? boolean(d.constant === 0) : null) },
  {
    name: "bounds",
    apply: (cx, d) => {
      const { min, max } = cx.proofBounds(d);
      return min > 0 || max < 0 ? falseImm : min === 0 && max === 0 ? trueImm : null;
    },
  },
  {
    name: "divide by the common factor",
    apply: (cx, d, dtype) => {
      const g = coefGcd(d);
      if (g <= 1) return null;
      return d.constant % g === 0 ? equalsZero(cx, linScale(d, 1 / g), dtype) : falseImm;
    },
  },
];

/** d < 0, or null where no rule decides it and a side of the comparison may leave `dtype`. */
function lessThanZero(cx: ArithContext, d: Linear, dtype: DType): PrimExpr | null {
  const decided = firstRule(cx, lessRules, d, dtype);
  if (decided !== null) return decided;
  const { positive, negative } = signSplit(d);
  return positive.terms.size === 0
    ? sides(cx, "ge", negative, linConst(d.constant + 1), dtype)
    : sides(cx, "lt", positive, linShift(negative, -d.constant), dtype);
}

function equalsZero(cx: ArithContext, d: Linear, dtype: DType): PrimExpr | null {
  const decided = firstRule(cx, equalRules, d, dtype);
  if (decided !== null) return decided;
  const { positive, negative } = signSplit(d);
  return positive.terms.size === 0
    ? sides(cx, "eq", negative, linConst(d.constant), dtype)
    : sides(cx, "eq", positive, linShift(negative, -d.constant), dtype);
}

function sides(
  cx: ArithContext,
  op: "lt" | "ge" | "eq",
  left: Linear,
  right: Linear,
  dtype: DType,
): PrimExpr | null {
  const a = cx.fit(left, dtype);
  const b = cx.fit(right, dtype);
  return a === null || b === null ? null : binary(op, toExpr(a, dtype), toExpr(b, dtype));
}

/** A simplified comparison of two integer scalars. */
export function compareLinear(
  cx: ArithContext,
  op: "eq" | "ne" | "lt" | "le" | "gt" | "ge",
  a: Fitting,
  b: Fitting,
  dtype: DType,
): PrimExpr {
  return compared(cx, op, a, b, dtype) ?? binary(op, toExpr(a, dtype), toExpr(b, dtype));
}

function compared(
  cx: ArithContext,
  op: "eq" | "ne" | "lt" | "le" | "gt" | "ge",
  a: Linear,
  b: Linear,
  dtype: DType,
): PrimExpr | null {
  switch (op) {
    case "lt":
      return lessThanZero(cx, linAdd(a, b, -1), dtype);
    case "le":
      return lessThanZero(cx, linShift(linAdd(a, b, -1), -1), dtype);
    case "gt":
      return lessThanZero(cx, linAdd(b, a, -1), dtype);
    case "ge":
      return lessThanZero(cx, linShift(linAdd(b, a, -1), -1), dtype);
    case "eq":
      return equalsZero(cx, linAdd(a, b, -1), dtype);
    case "ne": {
      const equal = equalsZero(cx, linAdd(a, b, -1), dtype);
      if (equal?.kind === "int") return boolean(equal.value === 0);
      return equal?.kind === "binary" ? binary("ne", equal.a, equal.b) : equal;
    }
  }
}
