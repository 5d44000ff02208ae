// and, or, not, select and if_then_else.  TVM: src/arith/rewrite_simplify.cc (And, Or, Not, Select),
// ir_mutator_with_analyzer.cc
import { and, binary, falseImm, ifThenElse, not, or, select, trueImm } from "../../tir/build.ts";
import { isInteger } from "../../ir/dtype.ts";
import type { Binary, BinaryOp, Not, PrimExpr } from "../../tir/expr.ts";
import { sameExpr } from "../../tir/visit.ts";
import type { ArithContext, Rule } from "../context.ts";

const opposite: { readonly [K in BinaryOp]?: BinaryOp } = {
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
  eq: "ne",
  ne: "eq",
};

const notRules: readonly Rule<readonly [a: PrimExpr], PrimExpr>[] = [
  { name: "constant", apply: (_cx, a) => (a.kind === "int" ? (a.value === 0 ? trueImm : falseImm) : null) },
  { name: "twice", apply: (_cx, a) => (a.kind === "not" ? a.a : null) },
  {
    // Integers only: not (a < b) differs from a >= b where a float is NaN.
    name: "opposite comparison",
    apply: (cx, a) => {
      if (a.kind !== "binary" || a.dtype.lanes > 1) return null;
      const op = opposite[a.op];
      return op !== undefined && isInteger(a.a.dtype) ? cx.simplify(binary(op, a.a, a.b)) : null;
    },
  },
];

export function simplifyNot(cx: ArithContext, expr: Not): PrimExpr {
  const a = cx.simplify(expr.a);
  for (const rule of notRules) {
    const result = rule.apply(cx, a);
    if (result !== null) return result;
  }
  return not(a);
}

/** The right side is simplified knowing the left: a and (a or b) loses what a says. */
export function simplifyAnd(cx: ArithContext, expr: Binary): PrimExpr {
  const a = cx.simplify(expr.a);
  if (a.kind === "int") return a.value === 0 ? falseImm : cx.simplify(expr.b);
  const b = cx.within(a, () => cx.simplify(expr.b));
  return sameExpr(a, b) ? a : and(a, b);
}

export function simplifyOr(cx: ArithContext, expr: Binary): PrimExpr {
  const a = cx.simplify(expr.a);
  if (a.kind === "int") return a.value !== 0 ? trueImm : cx.simplify(expr.b);
  const b = cx.within(not(a), () => cx.simplify(expr.b));
  return sameExpr(a, b) ? a : or(a, b);
}

/** `lazy`: if_then_else, whose branch not taken is not evaluated. */
export function simplifyChoice(
  cx: ArithContext,
  condition: PrimExpr,
  then: PrimExpr,
  otherwise: PrimExpr,
  lazy: boolean,
): PrimExpr {
  const test = cx.simplify(condition);
  if (test.kind === "int") return cx.simplify(test.value === 0 ? otherwise : then);
  if (test.dtype.lanes > 1)
    return lazy
      ? ifThenElse(test, cx.simplify(then), cx.simplify(otherwise))
      : select(test, cx.simplify(then), cx.simplify(otherwise));
  const yes = cx.within(test, () => cx.simplify(then));
  const no = cx.within(not(test), () => cx.simplify(otherwise));
  if (sameExpr(yes, no)) return yes;
  return lazy ? ifThenElse(test, yes, no) : select(test, yes, no);
}
