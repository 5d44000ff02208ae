// Bottom-up rewriting of operator calls, for passes that look at one call at a time.  TVM: PostOrderRewrite
import { functionOf, type Call, type Expr, type Func } from "../expr.ts";
import type { RelayContext } from "../op.ts";
import { rewrite } from "../visit.ts";
import { noteRewrite } from "./rewrite-remark.ts";

/**
 * `f` gets each operator call with its arguments already rewritten; null leaves it. The same function comes
 * back if nothing changed. What changed is a remark of `pass`.
 */
export function rewriteCalls(
  pass: string,
  func: Func,
  cx: RelayContext,
  f: (call: Call, original: Call) => Expr | null,
): Func {
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => {
      if (expr.kind !== "call" || expr.callee.kind !== "op" || original.kind !== "call") return expr;
      const result = f(expr, original);
      if (result === null || result === expr) return expr;
      noteRewrite(cx, pass, expr, result);
      return result;
    }),
  );
}
