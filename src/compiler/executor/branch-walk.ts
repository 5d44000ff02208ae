// The order in which main is visited where it has branches: as postOrder, but what is needed outside of a
// branch too is visited before the if, and what only one branch needs inside it. A value belongs to the
// innermost branch that all its uses are in. TVM has no counterpart: its executors have no if. Relay's rule
// for where a shared value is computed is that of src/relay/transforms/to_a_normal_form.cc (the lowest common
// scope of its uses).
import type { Expr, If } from "../relay/expr.ts";
import { children } from "../relay/visit.ts";

interface Scope {
  readonly outer: Scope | null;
  readonly depth: number;
}

interface BranchVisitor {
  /** False keeps the walk out of the children. */
  readonly enter: (expr: Expr) => boolean;
  /** For an if, `then` and `otherwise` are what position() said before each branch. */
  readonly leave: (expr: Expr, then: number, otherwise: number) => void;
  readonly position: () => number;
}

type Mark = "then" | "otherwise";

interface Frame {
  readonly expr: Expr;
  readonly kids: readonly (Expr | Mark)[];
  next: number;
  then: number;
  otherwise: number;
}

/**
 * Visits every node under `root` once, children first. `order`: those nodes in postOrder, functions not
 * entered.
 */
export function walkInBranches(root: Expr, order: readonly Expr[], visitor: BranchVisitor): void {
  const scopes = scopesUnder(root, order);
  const seen = new Set<Expr>();
  const stack: Frame[] = [];
  const open = (expr: Expr): void => {
    if (seen.has(expr)) return;
    seen.add(expr);
    const kids = !visitor.enter(expr) ? [] : expr.kind === "if" ? branchKids(expr, scopes) : children(expr);
    stack.push({ expr, kids, next: 0, then: 0, otherwise: 0 });
  };
  open(root);
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    const kid = top.kids[top.next++];
    if (kid === undefined) {
      stack.pop();
      visitor.leave(top.expr, top.then, top.otherwise);
    } else if (typeof kid === "string") top[kid] = visitor.position();
    else open(kid);
  }
}

/** The condition, what the branches need of outside, then each branch. */
function branchKids(expr: If, scopes: ReadonlyMap<Expr, Scope>): readonly (Expr | Mark)[] {
  return [expr.condition, ...neededOutside(expr, scopes), "then", expr.then, "otherwise", expr.otherwise];
}

/** Nodes under the branches of `expr` that belong outside of it, in the order in which a walk meets them. */
function neededOutside(expr: If, scopes: ReadonlyMap<Expr, Scope>): readonly Expr[] {
  const depth = scopes.get(expr)!.depth;
  const found: Expr[] = [];
  const seen = new Set<Expr>();
  const stack: Expr[] = [expr.otherwise, expr.then];
  while (stack.length > 0) {
    const next = stack.pop()!;
    if (seen.has(next)) continue;
    seen.add(next);
    const scope = scopes.get(next);
    if (scope === undefined) continue;
    if (scope.depth <= depth) found.push(next);
    else if (next.kind !== "function") stack.push(...children(next).toReversed());
  }
  return found;
}

/** Empty where there is no if. */
function scopesUnder(root: Expr, order: readonly Expr[]): ReadonlyMap<Expr, Scope> {
  const scopes = new Map<Expr, Scope>();
  if (!order.some((expr) => expr.kind === "if")) return scopes;
  const meet = (expr: Expr, scope: Scope): void => {
    const known = scopes.get(expr);
    scopes.set(expr, known === undefined ? scope : common(known, scope));
  };
  meet(root, { outer: null, depth: 0 });
  // Uses stand behind what they use, so each node's scope is final when its turn comes.
  for (const expr of order.toReversed()) {
    const scope = scopes.get(expr);
    if (scope === undefined || expr.kind === "function") continue;
    if (expr.kind !== "if") for (const kid of children(expr)) meet(kid, scope);
    else {
      meet(expr.condition, scope);
      for (const branch of [expr.then, expr.otherwise])
        meet(branch, { outer: scope, depth: scope.depth + 1 });
    }
  }
  return scopes;
}

function common(a: Scope, b: Scope): Scope {
  let left = a;
  let right = b;
  while (left !== right) {
    if (left.depth > right.depth) left = left.outer!;
    else right = right.outer!;
  }
  return left;
}
