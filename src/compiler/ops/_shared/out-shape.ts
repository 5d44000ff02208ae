// The extents of a result as the type relation found them.
import { invariant, at } from "../../../support/assert.ts";
import { intImm } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ComputeContext } from "../define.ts";

/** The shape of result `index`; its dimensions must be known (the TE compiler refuses others before). */
export function outExtents(cx: ComputeContext, index = 0): PrimExpr[] {
  return at(cx.outTypes, index, "result type").shape.map((dim) => {
    invariant(typeof dim === "number", "a dynamic dimension reached compute");
    return intImm(dim);
  });
}
