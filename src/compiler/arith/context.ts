// What rules may ask of the analyzer that runs them. Kept apart so that rules and analyzer do not import each
// other.
import type { DType } from "../ir/dtype.ts";
import type { PrimExpr } from "../tir/expr.ts";
import type { Bound } from "./bound.ts";
import type { Fitting, Linear } from "./linear.ts";

export interface ArithContext {
  /** Simplified linear form of an integer scalar expression. */
  readonly linear: (expr: PrimExpr) => Fitting;
  /** The form, if what is known of its atoms shows that it never leaves `dtype`. */
  readonly fit: (form: Linear, dtype: DType) => Fitting | null;
  readonly simplify: (expr: PrimExpr) => PrimExpr;
  /** A linear form of one atom (an expression that is simplified already). */
  readonly atom: (expr: PrimExpr) => Fitting;
  /** Constant bounds of a linear form under the variables' ranges and the conditions in force. */
  readonly bounds: (linear: Linear) => Bound;
  /** Bounds that also use symbolic ranges of variables, for proofs; dearer than `bounds`. */
  readonly proofBounds: (linear: Linear) => Bound;
  /** Structural key: equal keys mean equal values. */
  readonly key: (expr: PrimExpr) => string;
  /** Runs `body` with `condition` known to hold. */
  readonly within: <T>(condition: PrimExpr, body: () => T) => T;
}

/**
 * One directional rewrite: null where it does not apply. Its result is never larger than what it replaces.
 */
export interface Rule<A extends readonly unknown[], R> {
  readonly name: string;
  readonly apply: (cx: ArithContext, ...args: A) => R | null;
}

/** The first rule that applies. */
export function firstRule<A extends readonly unknown[], R>(
  cx: ArithContext,
  rules: readonly Rule<A, R>[],
  ...args: A
): R | null {
  for (const rule of rules) {
    const result = rule.apply(cx, ...args);
    if (result !== null) return result;
  }
  return null;
}
