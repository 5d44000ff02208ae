// SimplifyExpr: local rewrites, rule by rule in TVM's order, over and over until none matches.
// TVM: src/relay/transforms/simplify_expr.cc, src/relay/ir/dataflow_matcher.cc (PatternRewriter)
import { functionOf, calledOp, type Expr, type Func } from "../../expr.ts";
import { get, invariant } from "../../../../support/assert.ts";
import { remark } from "../../../ir/remark.ts";
import type { RelayContext } from "../../op.ts";
import { children, postOrder, rewrite } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import type { Match, SimplifyRule } from "./rule.ts";
import { simplifyRules } from "./rules.ts";

export const simplifyExpr = functionPass({
  name: "SimplifyExpr",
  optLevel: 0,
  requires: ["InferType"],
  run: simplify,
});

/**
 * Every rule removes a node or a `*_like`, so this many rounds mean that two rules undo each other. TVM gives
 * up after nine.
 */
const mostRounds = 1000;

function simplify(func: Func, cx: RelayContext): Func {
  let current = func;
  for (let round = 0; round < mostRounds; round++) {
    const before = current;
    let graph = graphOf(current);
    for (const rule of simplifyRules) {
      const next = applyRule(rule, current, graph, cx);
      if (next !== current) graph = graphOf(next);
      current = next;
    }
    if (current === before) return current;
  }
  invariant(false, "SimplifyExpr does not settle");
}

interface Graph {
  readonly ops: ReadonlySet<string>;
  /** Operands before who reads them. */
  readonly order: readonly Expr[];
  readonly readers: ReadonlyMap<Expr, readonly Expr[]>;
  /** Whether every way from `from` to the result of the function passes through `through`. */
  readonly passes: (from: Expr, through: Expr) => boolean;
}

function graphOf(func: Func): Graph {
  const ops = new Set<string>();
  const order: Expr[] = [];
  const readers = new Map<Expr, Expr[]>();
  postOrder(func, (expr) => {
    order.push(expr);
    const op = calledOp(expr);
    if (op !== null) ops.add(op);
    for (const kid of new Set(children(expr))) {
      const known = readers.get(kid);
      if (known === undefined) readers.set(kid, [expr]);
      else known.push(expr);
    }
  });
  let tree: DominatorTree | null = null;
  return {
    ops,
    order,
    readers,
    passes: (from, through) => {
      tree ??= dominatorTree(order, readers);
      for (let node = tree.parent.get(from) ?? null; node !== null; node = tree.parent.get(node) ?? null)
        if (node === through) return true;
      return false;
    },
  };
}

interface DominatorTree {
  /** The next node that every way from a node to the function passes; null at the function. */
  readonly parent: ReadonlyMap<Expr, Expr | null>;
}

/** TVM: src/relay/ir/indexed_graph.h (PostDom) */
function dominatorTree(order: readonly Expr[], readers: ReadonlyMap<Expr, readonly Expr[]>): DominatorTree {
  const parent = new Map<Expr, Expr | null>();
  const depth = new Map<Expr, number>();
  const up = (node: Expr): Expr => parent.get(node) ?? node;
  const meet = (a: Expr, b: Expr): Expr => {
    let [left, right] = [a, b];
    while (left !== right) {
      const [l, r] = [
        get(depth, left, "depth of an expression"),
        get(depth, right, "depth of an expression"),
      ];
      if (l >= r) left = up(left);
      if (r >= l) right = up(right);
    }
    return left;
  };
  for (const node of [...order].reverse()) {
    const read = readers.get(node);
    const above = read === undefined ? null : read.reduce(meet);
    parent.set(node, above);
    depth.set(node, above === null ? 1 : get(depth, above, "depth of an expression") + 1);
  }
  return { parent };
}

/**
 * One sweep of a rule. Matches are taken from the result back, and a node belongs to one at most. An operand
 * that vanishes may be read outside of its match only where everything that comes of it ends in the match's
 * call.
 * TVM: src/relay/ir/dataflow_matcher.cc (PatternGrouper, PatternRewriter)
 */
function applyRule(rule: SimplifyRule, func: Func, graph: Graph, cx: RelayContext): Func {
  if (rule.needs !== null && ![...rule.needs].some((op) => graph.ops.has(op))) return func;
  if (rule.roots !== null && ![...rule.roots].some((op) => graph.ops.has(op))) return func;
  const matches = matchesOf(rule, graph, cx);
  if (matches.size === 0) return func;
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => {
      const match = matches.get(original);
      const result = match === undefined || expr.kind !== "call" ? null : match.replace(expr);
      if (result === null || result === expr) return expr;
      const op = calledOp(expr)!;
      cx.remarks.push(
        remark("SimplifyExpr", "simplify.hit", `${rule.name}: ${op}`, {
          origin: expr.origin,
          other: result.origin,
          facts: { rule: rule.name, op },
        }),
      );
      return result;
    }),
  );
}

function matchesOf(rule: SimplifyRule, graph: Graph, cx: RelayContext): ReadonlyMap<Expr, Match> {
  const matches = new Map<Expr, Match>();
  const taken = new Set<Expr>();
  for (const expr of [...graph.order].reverse()) {
    const op = calledOp(expr);
    if (expr.kind !== "call" || op === null || taken.has(expr)) continue;
    if (rule.roots !== null && !rule.roots.has(op)) continue;
    const match = rule.match(expr, cx);
    if (match === null) continue;
    const { inner } = match;
    if (inner !== null) {
      const readers = get(graph.readers, inner, "readers of an expression");
      const inside = readers.every((reader) => reader === expr || graph.passes(reader, expr));
      if (taken.has(inner) || !inside) continue;
      taken.add(inner);
    }
    taken.add(expr);
    matches.set(expr, match);
  }
  return matches;
}
