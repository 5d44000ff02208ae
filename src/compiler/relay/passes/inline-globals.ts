// InlineGlobals: calls of global functions marked Inline get the function's body; external ones get the
// function itself.
// TVM: src/relay/transforms/inline.cc
import { functionOf, makeVar, type Call, type Expr, type Func } from "../expr.ts";
import { get, last, at } from "../../../support/assert.ts";
import type { IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { postOrder, rewrite } from "../visit.ts";
import type { RelayPass } from "./function-pass.ts";

export const inlineGlobals: RelayPass = { name: "InlineGlobals", optLevel: 1, requires: [], run: inline };

function inline(module: IRModule, cx: RelayContext): IRModule {
  if (![...module.functions.values()].some(isMarked)) return module;
  const callees = new Map([...module.functions].map(([name, func]) => [name, calledGlobals(func)]));
  const called = new Set([...callees.values()].flatMap((names) => [...names]));
  const functions = new Map<string, Func>(module.functions);
  const inlinable = new Set<string>();
  for (const name of calleesFirst(callees)) {
    const func = inlineInto(get(functions, name, "function"), functions, inlinable, cx);
    functions.set(name, func);
    // Only what calls nothing any more is taken in: recursion and calls of kept functions stay calls.
    if (isMarked(func) && calledGlobals(func).size === 0) inlinable.add(name);
  }
  const kept = [...functions].filter(([name]) => !inlinable.has(name) || !called.has(name));
  const same =
    kept.length === module.functions.size &&
    kept.every(([name, func]) => module.functions.get(name) === func);
  return same
    ? module
    : { ...module, functions: new Map(kept.map(([name]) => [name, get(functions, name, "function")])) };
}

function isMarked(func: Func): boolean {
  const mark = func.attrs["Inline"];
  return mark !== undefined && mark !== 0 && mark !== false;
}

function calledGlobals(func: Func): ReadonlySet<string> {
  const names = new Set<string>();
  postOrder(func, (expr) => {
    if (expr.kind === "global") names.add(expr.name);
  });
  return names;
}

/** Names so that what a function calls comes before it, cycles cut. */
function calleesFirst(callees: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  for (const start of callees.keys()) {
    const stack: { readonly name: string; readonly rest: string[] }[] = [];
    const enter = (name: string): void => {
      if (seen.has(name) || !callees.has(name)) return;
      seen.add(name);
      stack.push({ name, rest: [...get(callees, name, "callee")].reverse() });
    };
    enter(start);
    while (stack.length > 0) {
      const top = last(stack, "frame");
      const next = top.rest.pop();
      if (next !== undefined) enter(next);
      else order.push(stack.pop()!.name);
    }
  }
  return order;
}

function inlineInto(
  func: Func,
  functions: ReadonlyMap<string, Func>,
  inlinable: ReadonlySet<string>,
  cx: RelayContext,
): Func {
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => {
      if (original.kind === "global")
        return inlinable.has(original.name) ? get(functions, original.name, "function") : original;
      if (expr.kind !== "call" || expr.callee.kind !== "function") return expr;
      const taken =
        original.kind === "call" &&
        original.callee.kind === "global" &&
        expr.callee.attrs["Compiler"] === undefined;
      return taken ? bodyFor(expr, expr.callee, cx) : expr;
    }),
  );
}

/** The body of `func` on the operands of `call`; what the body binds by itself gets variables of its own. */
function bodyFor(call: Call, func: Func, cx: RelayContext): Expr {
  const bound = new Set<Expr>();
  postOrder(func.body, (expr) => {
    if (expr.kind === "let") bound.add(expr.variable);
    else if (expr.kind === "function") for (const param of expr.params) bound.add(param);
  });
  const argOf = new Map<Expr, Expr>(func.params.map((param, i) => [param, at(call.args, i, "argument")]));
  return rewrite(cx.ids, func.body, (expr) => {
    if (expr.kind !== "var") return expr;
    return argOf.get(expr) ?? (bound.has(expr) ? makeVar(cx.ids, expr.name, expr.annotation, expr) : expr);
  });
}
