// Casts.  TVM: src/arith/rewrite_simplify.cc (Cast)
import { cast } from "../../tir/build.ts";
import { isInteger, type DType } from "../../ir/dtype.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { firstRule, type ArithContext, type Rule } from "../context.ts";

const castRules: readonly Rule<readonly [value: PrimExpr, to: DType], PrimExpr>[] = [
  { name: "same dtype", apply: (_cx, value, to) => (value.dtype === to ? value : null) },
  {
    // int32(int64(x)) = x for an int32 x: widening first loses nothing
    name: "there and back",
    apply: (_cx, value, to) => {
      if (value.kind !== "cast" || value.value.dtype !== to || !isInteger(to) || !isInteger(value.dtype))
        return null;
      return value.dtype.bits >= to.bits && value.dtype.code === to.code ? value.value : null;
    },
  },
];

export function simplifyCast(cx: ArithContext, value: PrimExpr, to: DType): PrimExpr {
  const inner = cx.simplify(value);
  return firstRule(cx, castRules, inner, to) ?? cast(inner, to);
}
