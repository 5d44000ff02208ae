// SimplifyExpr: local rewrites, rule by rule in TVM's order, over and over until none matches.
// TVM: src/relay/transforms/simplify_expr.cc, src/relay/ir/dataflow_matcher.cc (PatternRewriter)
import { functionOf, calledOp, type Expr, type Func } from "../../expr.ts";
import { invariant } from "../../../../support/assert.ts";
import { remark } from "../../../ir/remark.ts";
import type { RelayContext } from "../../op.ts";
import { children, postOrder, rewrite } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import type { SimplifyRule } from "./rule.ts";
import { simplifyRules } from "./rules.ts";

export const simplifyExpr = functionPass({
  name: "SimplifyExpr",
  optLevel: 0,
  requires: ["InferType"],
  run: simplify,
});

/** Every rule removes a node or a `*_like`, so this many rounds mean that two rules undo each other. */
const mostRounds = 1000;

function simplify(func: Func, cx: RelayContext): Func {
  let current = func;
  for (let round = 0; round < mostRounds; round++) {
    const before = current;
    let uses = usesIn(current);
    for (const rule of simplifyRules) {
      const next = applyRule(rule, current, uses, cx);
      if (next !== current) uses = usesIn(next);
      current = next;
    }
    if (current === before) return current;
  }
  invariant(false, "SimplifyExpr does not settle");
}

interface Uses {
  readonly ops: ReadonlySet<string>;
  readonly readers: ReadonlyMap<Expr, number>;
}

function usesIn(func: Func): Uses {
  const ops = new Set<string>();
  const readers = new Map<Expr, number>();
  postOrder(func, (expr) => {
    const op = calledOp(expr);
    if (op !== null) ops.add(op);
    for (const kid of new Set(children(expr))) readers.set(kid, (readers.get(kid) ?? 0) + 1);
  });
  return { ops, readers };
}

function applyRule(rule: SimplifyRule, func: Func, { ops, readers }: Uses, cx: RelayContext): Func {
  if (rule.needs !== null && ![...rule.needs].some((op) => ops.has(op))) return func;
  if (rule.roots !== null && ![...rule.roots].some((op) => ops.has(op))) return func;
  // Readers are counted before the sweep; what the sweep makes replaces a value with the same readers.
  const counts = new Map<Expr, number>(readers);
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => {
      const count = readers.get(original) ?? 0;
      const result = simplifyNode(rule, expr, counts, cx);
      if (result !== original) counts.set(result, Math.max(count, counts.get(result) ?? 0));
      return result;
    }),
  );
}

function simplifyNode(
  rule: SimplifyRule,
  expr: Expr,
  counts: ReadonlyMap<Expr, number>,
  cx: RelayContext,
): Expr {
  if (expr.kind !== "call") return expr;
  const op = calledOp(expr);
  if (op === null || (rule.roots !== null && !rule.roots.has(op))) return expr;
  const result = rule.apply(expr, (arg) => (counts.get(arg) ?? 1) <= 1, cx) ?? expr;
  if (result !== expr) {
    cx.remarks.push(
      remark("SimplifyExpr", "simplify.hit", `${rule.name}: ${op}`, {
        origin: expr.origin,
        other: result.origin,
        facts: { rule: rule.name, op },
      }),
    );
  }
  return result;
}
