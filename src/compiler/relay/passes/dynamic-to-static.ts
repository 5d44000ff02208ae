// DynamicToStatic: operators that take shapes or axes as tensors become their static twins where those
// tensors are constants. Finding that out folds constants, also in programs that are static to begin with, as
// in TVM.
// TVM: src/relay/transforms/dynamic_to_static.cc
import { sameType, tupleType, type Type } from "../../ir/type.ts";
import { call as callOf } from "../build.ts";
import { makeFunction, makeTuple, makeTupleGetItem, type Expr, type Func, argOf } from "../expr.ts";
import type { RelayContext } from "../op.ts";
import { foldFunction } from "./constant-folder.ts";
import { functionPass } from "./function-pass.ts";
import { noteRewrite } from "./rewrite-remark.ts";

export const dynamicToStatic = functionPass({ name: "DynamicToStatic", optLevel: 2, run: makeStatic });

/** One sweep settles what flows from operands to results; a second what types taught only after it. */
function makeStatic(func: Func, cx: RelayContext): Func {
  const first = foldFunction(func, cx, (expr, original) => staticTwin(retyped(expr, original, cx), cx));
  return first === func
    ? func
    : foldFunction(first, cx, (expr, original) => staticTwin(retyped(expr, original, cx), cx));
}

function staticTwin(expr: Expr, cx: RelayContext): Expr {
  if (expr.kind !== "call" || expr.callee.kind !== "op") return expr;
  const result = cx.ops.get(expr.callee.name)?.toStatic?.(expr, cx) ?? null;
  if (result !== null && result !== expr) noteRewrite(cx, "DynamicToStatic", expr, result);
  return result ?? expr;
}

/** `expr` with its type inferred anew where operands became more static than those of `original`. */
function retyped(expr: Expr, original: Expr, cx: RelayContext): Expr {
  if (expr === original) return expr;
  if (expr.kind === "call" && original.kind === "call" && expr.callee.kind === "op") {
    if (expr.args.every((arg, i) => sameOrUnknown(arg.type, argOf(original, i).type))) return expr;
    return { ...callOf(cx, expr.callee.name, expr.args, expr.attrs, expr.origin), span: expr.span };
  }
  if (expr.kind === "tuple") {
    const types = expr.fields.map((field) => field.type);
    const type = types.every((t): t is Type => t !== null) ? tupleType(types) : expr.type;
    return sameOrUnknown(type, expr.type) ? expr : makeTuple(cx.ids, expr.fields, { ...expr, type });
  }
  if (expr.kind === "tuple-get-item" && expr.tuple.type?.kind === "tuple-type") {
    const type = expr.tuple.type.fields[expr.index] ?? null;
    return sameOrUnknown(type, expr.type)
      ? expr
      : makeTupleGetItem(cx.ids, expr.tuple, expr.index, { ...expr, type });
  }
  // A result type that was written for the dynamic program gives way to the one that the body has now.
  if (expr.kind === "function" && !sameOrUnknown(expr.body.type, expr.resultType)) {
    return makeFunction(cx.ids, expr.params, expr.body, {
      ...expr,
      type: null,
      resultType: expr.body.type,
      attrs: expr.attrs,
      typeParams: expr.typeParams,
    });
  }
  return expr;
}

function sameOrUnknown(a: Type | null, b: Type | null): boolean {
  return a === null || b === null || sameType(a, b);
}
