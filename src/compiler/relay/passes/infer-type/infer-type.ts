// InferType: the type of every expression, with holes filled by what the program around them says.
// TVM: src/relay/transforms/type_infer.cc. One forward walk on an explicit stack collects types; an operator
// whose arguments are not known yet waits for them (solver.ts); then the program is rebuilt with
// its types, unchanged nodes as they are. Wider than TVM: a global function without a result type is inferred
// before its callers, whatever the order of definition.
import { functionOf, type Expr, type Func, type GlobalVar } from "../../expr.ts";
import type { Pass } from "../../../ir/pass.ts";
import { createInference, type Inference } from "./state.ts";
import { finishInference, inferBody, prepareGlobal } from "./walk.ts";
import { rebuild } from "./rebuild.ts";
import { emptyModule, type IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { postOrder } from "../../visit.ts";

/**
 * Types everything in the module. The user's mistakes go to cx.diagnostics; what they leave open stays
 * untyped.
 */
export const inferType: Pass<IRModule, RelayContext> = {
  name: "InferType",
  optLevel: 0,
  requires: [],
  run: inferModule,
};

function inferModule(module: IRModule, cx: RelayContext): IRModule {
  const inference = createInference(module, cx);
  for (const [name, func] of module.functions) prepareGlobal(inference, name, func);
  for (const [name, func] of calleesFirst(module)) inferBody(inference, func, name);
  finishInference(inference);
  let changed = false;
  const functions = new Map<string, Func>();
  for (const [name, func] of module.functions) {
    const typed = functionOf(rebuild(inference, func));
    changed ||= typed !== func;
    functions.set(name, typed);
  }
  return changed ? { ...module, functions } : module;
}

/**
 * `expr` typed. Its free variables must have types; `module` gives the functions it calls. The same object if
 * it was typed already.
 */
export function inferExpr(expr: Expr, cx: RelayContext, module: IRModule = emptyModule): Expr {
  const inference: Inference = createInference(module, cx);
  for (const [name, func] of module.functions) prepareGlobal(inference, name, func);
  inferBody(inference, expr, null);
  finishInference(inference);
  return rebuild(inference, expr);
}

/** Functions in an order in which callees come before their callers, as far as there is one. */
function calleesFirst(module: IRModule): readonly (readonly [string, Func])[] {
  const order: (readonly [string, Func])[] = [];
  const seen = new Set<string>();
  for (const start of module.functions.keys()) {
    const stack: { readonly name: string; readonly calls: readonly string[]; next: number }[] = [];
    const open = (name: string) => {
      const func = module.functions.get(name);
      if (func === undefined || seen.has(name)) return;
      seen.add(name);
      stack.push({ name, calls: calledGlobals(func), next: 0 });
    };
    open(start);
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      if (top.next < top.calls.length) open(top.calls[top.next++]!);
      else {
        stack.pop();
        order.push([top.name, module.functions.get(top.name)!]);
      }
    }
  }
  return order;
}

function calledGlobals(func: Func): readonly string[] {
  const names = new Set<string>();
  postOrder(func, (expr) => {
    if (expr.kind === "global") names.add((expr satisfies GlobalVar).name);
  });
  return [...names];
}
