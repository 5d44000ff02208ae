// Who depends on whom, with a node of its own for every branch, function body and let: those open scopes.
// TVM: src/relay/analysis/dependency_graph.cc, src/relay/transforms/to_a_normal_form.cc (CalcScope)
import { get, at, last } from "../../../../support/assert.ts";
import type { Expr } from "../../expr.ts";
import { children } from "../../visit.ts";

/** Bindings that a scope has to hold, in order. */
export interface Scope {
  readonly level: number;
  readonly parent: Scope | null;
}

interface DependencyNode {
  readonly expr: Expr | null;
  readonly opensScope: boolean;
  /** In order of being depended on: the first decides whether a value has to be lifted. */
  readonly parents: DependencyNode[];
  readonly children: DependencyNode[];
}

export interface ScopeTable {
  /** Scope in which an expression's value is bound. */
  readonly scopeOf: (expr: Expr) => Scope;
  /**
   * Scope that the `index`-th dependency of an expression opens (If: 1 and 2; Match: 1…; Function and Let:
   * 0).
   */
  readonly subScopeOf: (expr: Expr, index: number) => Scope;
  /** Values that scopes share below the scope of their first use; they must be bound by a let. */
  readonly lifted: ReadonlySet<Expr>;
}

interface Builder {
  readonly nodes: Map<Expr, DependencyNode>;
  /** Children before parents. */
  readonly order: DependencyNode[];
}

function node(expr: Expr | null, opensScope: boolean): DependencyNode {
  return { expr, opensScope, parents: [], children: [] };
}

function depend(parent: DependencyNode, child: DependencyNode): void {
  child.parents.push(parent);
  parent.children.push(child);
}

/** One thing to do for an expression: visit another one, or run a step. */
type Step = { readonly visit: Expr } | { readonly run: () => void };

/** What visiting `expr` comes to, in TVM's order. */
function steps(builder: Builder, expr: Expr, self: DependencyNode): Step[] {
  const on = (parent: DependencyNode, child: Expr): Step[] => [
    { visit: child },
    { run: () => depend(parent, get(builder.nodes, child, "node")) },
  ];
  const push = (scope: DependencyNode): Step => ({ run: () => builder.order.push(scope) });
  const link = (scope: DependencyNode): Step => ({ run: () => depend(self, scope) });
  switch (expr.kind) {
    case "call":
    case "tuple":
    case "tuple-get-item": {
      const kids = children(expr);
      return [
        ...kids.map((kid) => ({ visit: kid })),
        { run: () => kids.forEach((kid) => depend(self, get(builder.nodes, kid, "node"))) },
      ];
    }
    case "if": {
      const [then, otherwise] = [node(null, true), node(null, true)];
      const branches = [...on(then, expr.then), ...on(otherwise, expr.otherwise)];
      return [
        ...on(self, expr.condition),
        link(then),
        link(otherwise),
        ...branches,
        push(otherwise),
        push(then),
      ];
    }
    case "function": {
      const body = node(null, true);
      return [
        link(body),
        ...expr.params.flatMap((param) => on(body, param)),
        ...on(body, expr.body),
        push(body),
      ];
    }
    case "let": {
      const body = node(null, true);
      return [
        link(body),
        ...on(body, expr.variable),
        ...on(body, expr.value),
        ...on(body, expr.body),
        push(body),
      ];
    }
    case "match": {
      const clauses = expr.clauses.map(() => node(null, true));
      const visits = expr.clauses.flatMap((clause, i) => [
        link(at(clauses, i, "clause")),
        ...on(at(clauses, i, "clause"), clause.body),
      ]);
      return [...on(self, expr.data), ...visits, ...[...clauses].reverse().map(push)];
    }
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return children(expr).flatMap((kid) => on(self, kid));
  }
}

function build(root: Expr): Builder {
  const builder: Builder = { nodes: new Map(), order: [] };
  const stack: { readonly self: DependencyNode; readonly steps: readonly Step[]; next: number }[] = [];
  const enter = (expr: Expr): void => {
    if (builder.nodes.has(expr)) return;
    const self = node(expr, false);
    builder.nodes.set(expr, self);
    stack.push({ self, steps: steps(builder, expr, self), next: 0 });
  };
  enter(root);
  while (stack.length > 0) {
    const top = last(stack, "frame");
    const step = top.steps[top.next++];
    if (step === undefined) {
      builder.order.push(top.self);
      stack.pop();
    } else if ("visit" in step) {
      enter(step.visit);
    } else {
      step.run();
    }
  }
  return builder;
}

/** The scope of a value is the innermost one that encloses all its uses. */
export function scopes(root: Expr): ScopeTable {
  const { nodes, order } = build(root);
  const scopeOfNode = new Map<DependencyNode, Scope>();
  const lifted = new Set<Expr>();
  for (let i = order.length - 1; i >= 0; i--) {
    const current = at(order, i, "node");
    const [first, ...rest] = current.parents.map((parent) => get(scopeOfNode, parent, "scope of node"));
    const scope = rest.reduce(commonScope, first ?? { level: 0, parent: null });
    if (first !== undefined && scope !== first && current.expr !== null && current.expr.kind !== "op")
      lifted.add(current.expr);
    scopeOfNode.set(current, current.opensScope ? { level: scope.level + 1, parent: scope } : scope);
  }
  return {
    scopeOf: (expr) => get(scopeOfNode, get(nodes, expr, "node"), "scope of node"),
    subScopeOf: (expr, index) =>
      get(scopeOfNode, at(get(nodes, expr, "node").children, index, "children"), "scope of node"),
    lifted,
  };
}

function commonScope(a: Scope, b: Scope): Scope {
  let [left, right] = [a, b];
  while (left !== right) {
    const [leftLevel, rightLevel] = [left.level, right.level];
    if (leftLevel >= rightLevel) left = left.parent!;
    if (rightLevel >= leftLevel) right = right.parent!;
  }
  return left;
}
