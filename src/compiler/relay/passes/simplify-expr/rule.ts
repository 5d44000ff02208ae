// A rewriting rule of SimplifyExpr.
import type { Call, Expr } from "../../expr.ts";
import type { RelayContext } from "../../op.ts";

/** What a rule found at a call. */
export interface Match {
  /**
   * The operand that vanishes into the rewrite: nobody else may read it. Null where operands stay as they
   * are.
   */
  readonly inner: Expr | null;
  /** What takes the call's place; `post` is the call with its operands rewritten. Null: it stays. */
  readonly replace: (post: Call) => Expr | null;
}

export interface SimplifyRule {
  /** Shown in remarks. */
  readonly name: string;
  /** Operators at whose calls the rule may match; null: any operator call. */
  readonly roots: ReadonlySet<string> | null;
  /** Operators of which a function must contain one for the rule to match at all; null: no such condition. */
  readonly needs: ReadonlySet<string> | null;
  /**
   * By form alone, before anything is rewritten: a call that matches belongs to the match even if `replace`
   * leaves it.
   */
  readonly match: (call: Call, cx: RelayContext) => Match | null;
}

export function opSet(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names);
}
