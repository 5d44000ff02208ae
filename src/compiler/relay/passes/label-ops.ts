// LabelOps: writes into every function's header its structural hash and the layouts that its calls name.
// TVM: src/relay/transforms/label_ops.cc
import { functionOf, makeFunction, type Expr, type Func } from "../expr.ts";
import { sameAttrs, type Attrs, type AttrValue } from "../../ir/attrs.ts";
import { mapFunctions } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { structuralHash } from "../structural.ts";
import { postOrder, rewrite } from "../visit.ts";
import { skipsOptimization, type RelayPass } from "./function-pass.ts";

/** Headers only: types stay as they are, so this is no functionPass. */
export const labelOps: RelayPass = {
  name: "LabelOps",
  optLevel: 1,
  requires: [],
  run: (module, cx) =>
    mapFunctions(module, (func) => (skipsOptimization(func) ? func : labelFunctions(func, cx))),
};

function labelFunctions(func: Func, cx: RelayContext): Func {
  return functionOf(rewrite(cx.ids, func, (expr) => (expr.kind === "function" ? labelled(expr, cx) : expr)));
}

function labelled(func: Func, cx: RelayContext): Func {
  const attrs: Attrs = { ...func.attrs, hash: structuralHash(func), ...layoutsIn(func) };
  if (sameAttrs(attrs, func.attrs)) return func;
  return makeFunction(cx.ids, func.params, func.body, {
    ...func,
    resultType: func.resultType,
    attrs,
    typeParams: func.typeParams,
  });
}

/**
 * Attributes with "layout" in their name of the calls in `func`, functions inside left out; the last call
 * wins.
 */
function layoutsIn(func: Func): Attrs {
  const layouts: Record<string, AttrValue> = {};
  const collect = (expr: Expr): void => {
    if (expr.kind !== "call") return;
    for (const [name, value] of Object.entries(expr.attrs)) {
      if (name.includes("layout") && typeof value === "string") layouts[name] = value;
    }
  };
  postOrder(func, collect, (expr) => expr === func || expr.kind !== "function");
  return layouts;
}
