// A rewriting rule of SimplifyExpr.
import type { Call, Expr } from "../../expr.ts";
import type { RelayContext } from "../../op.ts";

export interface SimplifyRule {
  /** Shown in remarks. */
  readonly name: string;
  /** Operators at whose calls the rule may match; null: any operator call. */
  readonly roots: ReadonlySet<string> | null;
  /** Operators of which a function must contain one for the rule to match at all; null: no such condition. */
  readonly needs: ReadonlySet<string> | null;
  /**
   * `call` has its operands rewritten already. `inner(arg)` says whether an operand may vanish into the rewrite: a value that
   * others read may not. Null or the call itself: no match.
   */
  readonly apply: (call: Call, inner: (arg: Expr) => boolean, cx: RelayContext) => Expr | null;
}

export function opSet(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names);
}
