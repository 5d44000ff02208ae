// compiler_begin and compiler_end, the marks at a region's edges.  TVM: src/relay/op/annotation/annotation.h
import { calledOp, type Expr, argOf } from "../../expr.ts";
import { call } from "../../build.ts";
import type { RelayContext } from "../../op.ts";

const beginName = "annotation.compiler_begin";
const endName = "annotation.compiler_end";

/** The target of what no external compiler takes. */
export const hostTarget = "default";

export function isBegin(expr: Expr): boolean {
  return calledOp(expr) === beginName;
}

export function isEnd(expr: Expr): boolean {
  return calledOp(expr) === endName;
}

/** Target of a mark, the host where it names none; "" for what is no mark. */
export function targetOfMark(mark: Expr): string {
  if (mark.kind !== "call" || !(isBegin(mark) || isEnd(mark))) return "";
  const { compiler } = mark.attrs;
  return typeof compiler === "string" ? compiler : hostTarget;
}

/** What is under a mark. */
export function underMark(mark: Expr): Expr {
  return mark.kind === "call" ? argOf(mark, 0) : mark;
}

export function begin(cx: RelayContext, expr: Expr, target: string): Expr {
  return call(cx, beginName, [expr], { compiler: target }, expr.origin);
}

export function end(cx: RelayContext, expr: Expr, target: string): Expr {
  return call(cx, endName, [expr], { compiler: target }, expr.origin);
}

/** `expr` without the marks around it. */
export function unmarked(expr: Expr): Expr {
  let at = expr;
  while (isBegin(at) || isEnd(at)) at = underMark(at);
  return at;
}
