// Walking and rewriting Relay without recursion on graph depth: a chain of 10,000 calls must compile.
// A Relay function body is a DAG: a node shared by two consumers is visited once and stays shared.
import { assertNever, get } from "../../support/assert.ts";
import type { IdSource } from "../ir/ids.ts";
import {
  makeCall,
  makeFunction,
  makeIf,
  makeLet,
  makeMatch,
  makeRefCreate,
  makeRefRead,
  makeRefWrite,
  makeTuple,
  makeTupleGetItem,
  type Expr,
  type Meta,
  type Var,
} from "./expr.ts";

const none: readonly Expr[] = [];

/**
 * Direct sub-expressions in TVM's order of visiting (call: callee, then arguments; function: parameters, then
 * body).
 */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
      return none;
    case "tuple":
      return expr.fields;
    case "tuple-get-item":
      return [expr.tuple];
    case "call":
      return [expr.callee, ...expr.args];
    case "function":
      return [...expr.params, expr.body];
    case "let":
      return [expr.variable, expr.value, expr.body];
    case "if":
      return [expr.condition, expr.then, expr.otherwise];
    case "ref-create":
      return [expr.value];
    case "ref-read":
      return [expr.ref];
    case "ref-write":
      return [expr.ref, expr.value];
    case "match":
      return [expr.data, ...expr.clauses.map((clause) => clause.body)];
    default:
      return assertNever(expr, "Relay expression");
  }
}

/**
 * Calls `visit` on every node under `root` once, children first, in TVM's post-DFS order.
 * `enter(node)` returning false keeps the walk out of a node's children (the node itself is still visited).
 */
export function postOrder(
  root: Expr,
  visit: (expr: Expr) => void,
  enter: (expr: Expr) => boolean = () => true,
): void {
  const seen = new Set<Expr>();
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const arrive = (expr: Expr): void => {
    if (seen.has(expr)) return;
    seen.add(expr);
    const kids = enter(expr) ? children(expr) : none;
    // Most nodes are leaves: they need no place on the stack.
    if (kids.length === 0) visit(expr);
    else stack.push({ expr, kids, next: 0 });
  };
  arrive(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const kid = top.kids[top.next++];
    if (kid !== undefined) arrive(kid);
    else {
      stack.pop();
      visit(top.expr);
    }
  }
}

/**
 * `expr` with its direct sub-expressions replaced by `kids` (same order and length as children()); the same
 * object if none differs. Types: kept if `keepType`, else cleared on the new node (InferType fills them
 * again).
 */
export function withChildren(ids: IdSource, expr: Expr, kids: readonly Expr[], keepType = true): Expr {
  const old = children(expr);
  if (kids.every((kid, i) => kid === old[i])) return expr;
  const meta: Meta = { origin: expr.origin, span: expr.span, type: keepType ? expr.type : null };
  switch (expr.kind) {
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
      return expr;
    case "tuple":
      return makeTuple(ids, kids, meta);
    case "tuple-get-item":
      return makeTupleGetItem(ids, kids[0]!, expr.index, meta);
    case "call":
      return makeCall(ids, kids[0]!, kids.slice(1), expr.attrs, { ...meta, typeArgs: expr.typeArgs });
    case "function":
      return makeFunction(ids, kids.slice(0, -1) as Var[], kids[kids.length - 1]!, {
        ...meta,
        resultType: expr.resultType,
        attrs: expr.attrs,
        typeParams: expr.typeParams,
      });
    case "let":
      return makeLet(ids, kids[0] as Var, kids[1]!, kids[2]!, meta);
    case "if":
      return makeIf(ids, kids[0]!, kids[1]!, kids[2]!, meta);
    case "ref-create":
      return makeRefCreate(ids, kids[0]!, meta);
    case "ref-read":
      return makeRefRead(ids, kids[0]!, meta);
    case "ref-write":
      return makeRefWrite(ids, kids[0]!, kids[1]!, meta);
    case "match":
      return makeMatch(
        ids,
        kids[0]!,
        expr.clauses.map((clause, i) => ({ pattern: clause.pattern, body: kids[i + 1]! })),
        expr.complete,
        meta,
      );
    default:
      return assertNever(expr, "Relay expression");
  }
}

/**
 * Bottom-up rewrite with memo: `f(node, original)` gets each node with its children already rewritten and
 * returns its replacement (or the node). Pattern variables of match clauses are not visited. Iterative.
 */
export function rewrite(
  ids: IdSource,
  root: Expr,
  f: (expr: Expr, original: Expr) => Expr,
  enter: (expr: Expr) => boolean = () => true,
): Expr {
  const done = new Map<Expr, Expr>();
  postOrder(
    root,
    (expr) => {
      const kids = enter(expr) ? children(expr) : none;
      const rebuilt =
        kids.length === 0
          ? expr
          : withChildren(
              ids,
              expr,
              kids.map((kid) => get(done, kid, "rewritten operand")),
            );
      done.set(expr, f(rebuilt, expr));
    },
    enter,
  );
  return get(done, root, "rewritten root");
}
