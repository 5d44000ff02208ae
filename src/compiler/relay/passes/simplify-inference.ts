// SimplifyInference: operators that only training needs become what they are at inference, by each operator's
// own rule (batch_norm, dropout, layer_norm, …).  TVM: src/relay/transforms/simplify_inference.cc
import { functionOf, type Expr, type Func, type TupleGetItem } from "../expr.ts";
import { first } from "../../../support/assert.ts";
import { getItem } from "../build.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { rewrite } from "../visit.ts";
import { functionPass } from "./function-pass.ts";
import { noteRewrite } from "./rewrite-remark.ts";

export const simplifyInference = functionPass({
  name: "SimplifyInference",
  optLevel: 0,
  requires: ["InferType"],
  run: simplify,
});

function simplify(func: Func, cx: RelayContext): Func {
  return functionOf(
    rewrite(cx.ids, func, (expr) => {
      if (expr.kind === "tuple-get-item") return simplifyProjection(expr, cx) ?? expr;
      if (expr.kind !== "call" || expr.callee.kind !== "op" || typeOf(expr).kind === "tuple-type")
        return expr;
      const result = cx.ops.get(expr.callee.name)?.simplify?.(expr, cx) ?? null;
      if (result !== null && result !== expr) noteRewrite(cx, "SimplifyInference", expr, result);
      return result ?? expr;
    }),
  );
}

/**
 * Operators with several results (batch_norm, dropout) are simplified where the first result is taken: the
 * others exist in training only, so a call of which more is used stays as it is.
 */
function simplifyProjection(item: TupleGetItem, cx: RelayContext): Expr | null {
  const { tuple } = item;
  if (
    item.index !== 0 ||
    tuple.kind !== "call" ||
    tuple.callee.kind !== "op" ||
    typeOf(tuple).kind !== "tuple-type"
  )
    return null;
  const simpler = cx.ops.get(tuple.callee.name)?.simplify?.(tuple, cx) ?? null;
  if (simpler !== null) noteRewrite(cx, "SimplifyInference", tuple, simpler);
  if (simpler === null || typeOf(simpler).kind !== "tuple-type") return simpler;
  return simpler.kind === "tuple" ? first(simpler.fields, "field") : getItem(cx, simpler, 0, item.origin);
}
