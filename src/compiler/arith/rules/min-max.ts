// min and max of integers.  TVM: src/arith/rewrite_simplify.cc (Min, Max)
import { makeBinary } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { firstRule, type ArithContext, type Rule } from "../context.ts";
import { isConstLinear, linAdd, linConst, linShift, toExpr, type Fitting, type Linear } from "../linear.ts";

type Pair = readonly [op: "min" | "max", a: Fitting, b: Fitting, dtype: PrimExpr["dtype"]];

const minMaxRules: readonly Rule<Pair, Linear>[] = [
  {
    name: "one side is never less",
    apply: (cx, op, a, b) => {
      const { min, max } = cx.proofBounds(linAdd(a, b, -1));
      if (max <= 0) return op === "min" ? a : b;
      if (min >= 0) return op === "min" ? b : a;
      return null;
    },
  },
  {
    // min(min(x, 5), 3) = min(x, 3)
    name: "constants meet",
    apply: (cx, op, a, b, dtype) => {
      const [inner, constant] = isConstLinear(b) ? [a, b] : [b, a];
      if (!isConstLinear(constant) || inner.terms.size !== 1) return null;
      const { atom, coef } = [...inner.terms.values()][0]!;
      if (coef !== 1 || atom.kind !== "binary" || atom.op !== op) return null;
      if (atom.b.kind !== "int" || typeof atom.b.value !== "number") return null;
      const limit = constant.constant - inner.constant;
      const joined = op === "min" ? Math.min(atom.b.value, limit) : Math.max(atom.b.value, limit);
      const other = cx.fit(linConst(joined), dtype);
      return other === null
        ? null
        : linShift(minMaxLinear(cx, op, cx.linear(atom.a), other, dtype), inner.constant);
    },
  },
];

export function minMaxLinear(
  cx: ArithContext,
  op: "min" | "max",
  a: Fitting,
  b: Fitting,
  dtype: PrimExpr["dtype"],
): Linear {
  const decided = firstRule(cx, minMaxRules, op, a, b, dtype);
  if (decided !== null) return decided;
  // The constant goes right, so that nested limits meet.
  const [left, right] = isConstLinear(a) ? [b, a] : [a, b];
  return cx.atom(makeBinary(op, toExpr(left, dtype), toExpr(right, dtype)));
}
