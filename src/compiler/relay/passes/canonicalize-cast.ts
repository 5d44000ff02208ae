// CanonicalizeCast: a widening cast that several elementwise operators read is copied for each, so that what
// crosses kernels stays narrow.  TVM: src/relay/transforms/canonicalize_cast.cc
import { functionOf, isOpCall, makeCall, type Call, type Expr, type Func, argOf } from "../expr.ts";
import { last, at } from "../../../support/assert.ts";
import { OpPattern } from "../../ir/op.ts";
import { parseDType } from "../../ir/dtype.ts";
import { remark } from "../../ir/remark.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { children, withChildren } from "../visit.ts";
import { functionPass } from "./function-pass.ts";

export const canonicalizeCast = functionPass({
  name: "CanonicalizeCast",
  optLevel: 3,
  requires: ["InferType"],
  run: copyCasts,
});

interface Frame {
  readonly expr: Expr;
  readonly kids: readonly Expr[];
  /** Children as rewritten, as far as they are. */
  readonly done: Expr[];
}

/**
 * Which consumer keeps the original depends on the order in which operands are counted: each right after it
 * was visited, before its siblings. Hence an own walk instead of rewrite().
 */
function copyCasts(func: Func, cx: RelayContext): Func {
  const memo = new Map<Expr, Expr>();
  const uses = new Map<Expr, number>();
  const stack: Frame[] = [{ expr: func, kids: children(func), done: [] }];
  while (stack.length > 0) {
    const top = last(stack, "frame");
    if (top.done.length === top.kids.length) {
      stack.pop();
      memo.set(top.expr, withChildren(cx.ids, top.expr, top.done));
      continue;
    }
    const kid = at(top.kids, top.done.length, "child");
    const value = memo.get(kid);
    if (value === undefined) stack.push({ expr: kid, kids: children(kid), done: [] });
    else top.done.push(isElementwise(top.expr, cx) ? operand(kid, value, uses, cx) : value);
  }
  return functionOf(memo.get(func));
}

function isElementwise(expr: Expr, cx: RelayContext): boolean {
  if (expr.kind !== "call" || expr.callee.kind !== "op") return false;
  const op = cx.ops.get(expr.callee.name);
  return op !== undefined && op.pattern <= OpPattern.broadcast;
}

/** `value`, or a copy of it from the second use of a widening cast on. */
function operand(original: Expr, value: Expr, uses: Map<Expr, number>, cx: RelayContext): Expr {
  if (!isOpCall(original, "cast") || !widens(original)) return value;
  const count = (uses.get(original) ?? 0) + 1;
  uses.set(original, count);
  if (count === 1 || value.kind !== "call") return value;
  const text = "the widening cast is done again for this reader: what crosses kernels stays narrow";
  cx.remarks.push(
    remark("CanonicalizeCast", "cast.copied", text, { origin: original.origin, facts: { reader: count } }),
  );
  return makeCall(cx.ids, value.callee, value.args, value.attrs, value);
}

function widens(cast: Call): boolean {
  const from = typeOf(argOf(cast, 0));
  const to = parseDType(String(cast.attrs["dtype"]));
  return from.kind === "tensor-type" && to !== null && from.dtype.bits < to.bits;
}
