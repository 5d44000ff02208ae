// Bottom-up rewriting of operator calls, for passes that look at one call at a time.  TVM: PostOrderRewrite
import type { Call, Expr, Func } from "../expr.ts";
import type { RelayContext } from "../op.ts";
import { rewrite } from "../visit.ts";

/** `f` gets each operator call with its arguments already rewritten; null leaves it. The same function comes back if nothing changed. */
export function rewriteCalls(func: Func, cx: RelayContext, f: (call: Call, original: Call) => Expr | null): Func {
  return rewrite(cx.ids, func, (expr, original) => {
    if (expr.kind !== "call" || expr.callee.kind !== "op" || original.kind !== "call") return expr;
    return f(expr, original) ?? expr;
  }) as Func;
}
