// ToBasicBlockNormalForm: a value that two branches (or a branch and what follows it) share is bound by a let
// in the innermost scope that encloses both, so that every block computes its own values.
// TVM: src/relay/transforms/to_basic_block_normal_form.cc, to_a_normal_form.cc (Fill)
import {
  functionOf,
  makeFunction,
  makeIf,
  makeLet,
  makeMatch,
  makeVar,
  type Expr,
  type Func,
  type Let,
  type Var,
} from "../../expr.ts";
import { last, get, at } from "../../../../support/assert.ts";
import { mapFunctions } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { children, postOrder, withChildren } from "../../visit.ts";
import type { RelayPass } from "../function-pass.ts";
import { scopes, type Scope, type ScopeTable } from "./dependency-graph.ts";

export const toBasicBlockNormalForm: RelayPass = {
  name: "ToBasicBlockNormalForm",
  optLevel: 1,
  requires: [],
  run: (module, cx) =>
    mapFunctions(module, (func) => (func.attrs["Compiler"] === undefined ? normalise(func, cx) : func)),
};

interface Fill {
  readonly cx: RelayContext;
  readonly table: ScopeTable;
  readonly done: Map<Expr, Expr>;
  readonly bindings: Map<Scope, { readonly variable: Var; readonly value: Expr }[]>;
  /** The let that binds a variable, to be reused where nothing changed. */
  readonly letOf: Map<Var, Let>;
}

function normalise(func: Func, cx: RelayContext): Func {
  if (!hasScopes(func)) return func;
  const fill: Fill = { cx, table: scopes(func), done: new Map(), bindings: new Map(), letOf: new Map() };
  return functionOf(visitAll(fill, func));
}

/** A function that is plain dataflow is in normal form: only scopes can share. */
function hasScopes(func: Func): boolean {
  let found = false;
  postOrder(func, (expr) => {
    found ||=
      expr.kind === "if" ||
      expr.kind === "match" ||
      expr.kind === "let" ||
      (expr.kind === "function" && expr !== func);
  });
  return found;
}

interface Frame {
  readonly expr: Expr;
  /** Variable of the let whose value this is. */
  readonly variable: Var | null;
  readonly visits: readonly { readonly expr: Expr; readonly variable: Var | null }[];
  next: number;
}

function frame(expr: Expr, variable: Var | null): Frame {
  return { expr, variable, visits: visitsOf(expr), next: 0 };
}

/**
 * Sub-expressions in the order in which TVM (built by GCC, which evaluates arguments from the right) visits
 * them.
 */
function visitsOf(expr: Expr): readonly { readonly expr: Expr; readonly variable: Var | null }[] {
  const plain = (kid: Expr): { expr: Expr; variable: null } => ({ expr: kid, variable: null });
  switch (expr.kind) {
    case "call":
      return [...expr.args, expr.callee].map(plain);
    case "if":
      return [expr.otherwise, expr.then, expr.condition].map(plain);
    case "ref-write":
      return [expr.value, expr.ref].map(plain);
    case "let":
      return [{ expr: expr.value, variable: expr.variable }, plain(expr.body)];
    case "function":
      return isPrimitiveFunction(expr) ? [] : [plain(expr.body)];
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
    case "tuple":
    case "tuple-get-item":
    case "ref-create":
    case "ref-read":
    case "match":
      return children(expr).map(plain);
  }
}

function isPrimitiveFunction(func: Func): boolean {
  return func.attrs["Primitive"] !== undefined && func.attrs["Primitive"] !== 0;
}

function visitAll(fill: Fill, root: Func): Expr {
  const stack: Frame[] = [frame(root, null)];
  while (stack.length > 0) {
    const top = last(stack, "frame");
    if (top.next === 0 && fill.done.has(top.expr)) {
      stack.pop();
      // Bound a second time by another let: that let gets what the first visit made.
      if (top.variable !== null)
        bind(fill, top.expr, top.variable, get(fill.done, top.expr, "bound expression in normal form"));
      continue;
    }
    const visit = top.visits[top.next++];
    if (visit !== undefined) {
      if (top.expr.kind === "let") fill.letOf.set(top.expr.variable, top.expr);
      stack.push(frame(visit.expr, visit.variable));
      continue;
    }
    stack.pop();
    const rebuilt = rebuild(fill, top.expr);
    fill.done.set(top.expr, top.expr === root ? rebuilt : placed(fill, top.expr, rebuilt, top.variable));
  }
  return get(fill.done, root, "function in normal form");
}

function isAtomic(expr: Expr): boolean {
  return expr.kind === "var" || expr.kind === "global" || expr.kind === "op" || expr.kind === "constructor";
}

/** The value itself, or the variable that a let in its scope binds to it. */
function placed(fill: Fill, original: Expr, value: Expr, variable: Var | null): Expr {
  if (variable !== null) return bind(fill, original, variable, value);
  if (isAtomic(original) || !fill.table.lifted.has(original)) return value;
  const { origin, span, type } = original;
  return bind(fill, original, makeVar(fill.cx.ids, "x", null, { origin, span, type }), value);
}

function bind(fill: Fill, original: Expr, variable: Var, value: Expr): Var {
  const scope = fill.table.scopeOf(original);
  const list = fill.bindings.get(scope);
  if (list === undefined) fill.bindings.set(scope, [{ variable, value }]);
  else list.push({ variable, value });
  return variable;
}

/** `body` under the lets that `scope` has to hold. */
function close(fill: Fill, scope: Scope, body: Expr): Expr {
  const list = fill.bindings.get(scope) ?? [];
  fill.bindings.delete(scope);
  return list.reduceRight((inner: Expr, { variable, value }) => {
    const old = fill.letOf.get(variable);
    if (old !== undefined && old.value === value && old.body === inner) return old;
    const { origin, span } = old ?? value;
    return makeLet(fill.cx.ids, variable, value, inner, { origin, span, type: inner.type });
  }, body);
}

function rebuild(fill: Fill, expr: Expr): Expr {
  const { cx, done, table } = fill;
  switch (expr.kind) {
    case "let":
      return close(fill, table.subScopeOf(expr, 0), get(done, expr.body, "body in normal form"));
    case "if": {
      const condition = get(done, expr.condition, "condition in normal form");
      const then = close(fill, table.subScopeOf(expr, 1), get(done, expr.then, "branch in normal form"));
      const otherwise = close(
        fill,
        table.subScopeOf(expr, 2),
        get(done, expr.otherwise, "branch in normal form"),
      );
      if (condition === expr.condition && then === expr.then && otherwise === expr.otherwise) return expr;
      return makeIf(cx.ids, condition, then, otherwise, expr);
    }
    case "function": {
      if (isPrimitiveFunction(expr)) return expr;
      const body = close(fill, table.subScopeOf(expr, 0), get(done, expr.body, "body in normal form"));
      return body === expr.body ? expr : makeFunction(cx.ids, expr.params, body, expr);
    }
    case "match": {
      const data = get(done, expr.data, "matched value in normal form");
      const clauses = expr.clauses.map(({ pattern, body }, i) => ({
        pattern,
        body: close(fill, table.subScopeOf(expr, i + 1), get(done, body, "clause in normal form")),
      }));
      if (
        data === expr.data &&
        clauses.every((clause, i) => clause.body === at(expr.clauses, i, "clause").body)
      )
        return expr;
      return makeMatch(cx.ids, data, clauses, expr.complete, expr);
    }
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
    case "call":
    case "tuple":
    case "tuple-get-item":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return withChildren(
        cx.ids,
        expr,
        children(expr).map((kid) => get(done, kid, "operand in normal form")),
      );
  }
}
