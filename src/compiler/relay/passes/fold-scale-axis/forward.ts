// ForwardFoldScaleAxis: a multiplication before a convolution moves through relu and additions forward into
// the weights.
// TVM: src/relay/transforms/fold_scale_axis.cc (ForwardPrep), forward_rewrite.cc
import { functionOf, calledOp, makeCall, type Call, type Expr, type Func, argOf } from "../../expr.ts";
import { at, get, first } from "../../../../support/assert.ts";
import { mergeOrigins, type Origin } from "../../../ir/origin.ts";
import { remark } from "../../../ir/remark.ts";
import { call as callOf } from "../../build.ts";
import { tensorTypeOf, type RelayContext } from "../../op.ts";
import { children, postOrder, withChildren } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import {
  broadcastAlong,
  canExpand,
  convAxes,
  expandScale,
  intersect,
  isAllPositive,
  mayFold,
  multiply,
  squeeze,
  type ScaleMessage,
} from "./axis-scale.ts";

export const forwardFoldScaleAxis = functionPass({
  name: "ForwardFoldScaleAxis",
  optLevel: 3,
  requires: ["InferType"],
  run: foldForward,
});

/** A value whose scale has still to be applied. */
interface Scaled {
  readonly value: Expr;
  readonly axes: readonly number[];
  readonly scale: Expr;
  /** Of the multiplication that the scale comes from. */
  readonly by: Origin;
}

interface Folding {
  readonly cx: RelayContext;
  readonly messages: ReadonlyMap<Expr, ScaleMessage | null>;
  readonly plain: Map<Expr, Expr>;
  readonly scaled: Map<Expr, Scaled>;
}

function foldForward(func: Func, cx: RelayContext): Func {
  if (!mayFold(func)) return func;
  const messages = demands(func);
  if (![...messages.values()].some((message) => message !== null)) return func;
  const folding: Folding = { cx, messages, plain: new Map(), scaled: new Map() };
  postOrder(func, (expr) => {
    const pending = expr.kind === "call" ? carry(folding, expr) : null;
    if (pending !== null) folding.scaled.set(expr, pending);
    else
      folding.plain.set(
        expr,
        (expr.kind === "call" ? consume(folding, expr) : null) ?? rebuilt(folding, expr),
      );
  });
  return functionOf(folding.plain.get(func));
}

/** The axes along which all consumers of a value can take a scale; null where one cannot. */
function demands(func: Func): ReadonlyMap<Expr, ScaleMessage | null> {
  const order: Expr[] = [];
  postOrder(func, (expr) => order.push(expr));
  const messages = new Map<Expr, ScaleMessage | null>([[func, null]]);
  for (let i = order.length - 1; i >= 0; i--) {
    const expr = at(order, i, "node");
    const wanted = expr.kind === "call" ? operandMessages(expr, messages.get(expr) ?? null) : [];
    const kids = expr.kind === "call" ? expr.args : children(expr);
    kids.forEach((kid, k) => {
      const message = wanted[k] ?? null;
      messages.set(kid, messages.has(kid) ? intersect(get(messages, kid, "message"), message) : message);
    });
  }
  return messages;
}

function operandMessages(call: Call, out: ScaleMessage | null): readonly (ScaleMessage | null)[] {
  switch (calledOp(call) ?? "") {
    case "nn.relu":
    case "nn.leaky_relu":
      return [out === null ? null : { axes: out.axes, positive: true }];
    case "add":
    case "subtract": {
      if (out === null) return [];
      const [left, right] = [tensorTypeOf(argOf(call, 0)), tensorTypeOf(argOf(call, 1))];
      if (broadcastAlong(left, right, out.axes) !== null && canExpand(left.shape, out.axes))
        return [out, null];
      return broadcastAlong(right, left, out.axes) !== null && canExpand(right.shape, out.axes)
        ? [null, out]
        : [];
    }
    case "nn.conv2d": {
      const axes = convAxes(call);
      if (axes === null) return [];
      const kernel = axes.depthwise ? axes.outKernel : axes.inKernel;
      return canExpand(tensorTypeOf(argOf(call, 1)).shape, kernel)
        ? [{ axes: axes.data, positive: false }]
        : [];
    }
    default:
      return [];
  }
}

/** What `call` makes of a scale that it takes on or passes along; null if its result carries none. */
function carry(folding: Folding, call: Call): Scaled | null {
  const op = calledOp(call);
  if (op === "multiply") return takeOn(folding, call);
  const index = call.args.findIndex((arg) => folding.scaled.has(arg));
  if (index < 0) return null;
  const pending = get(folding.scaled, at(call.args, index, "argument"), "scaled operand");
  if (op !== "nn.relu" && op !== "nn.leaky_relu" && op !== "add" && op !== "subtract") return null;
  const { cx } = folding;
  const args = call.args.map((arg, i) => {
    if (i === index) return pending.value;
    const factor = expandScale(cx, pending.scale, tensorTypeOf(argOf(call, index)).shape, pending.axes);
    return callOf(cx, "divide", [plain(folding, arg), factor], {}, mergeOrigins([arg.origin, pending.by]));
  });
  return { ...pending, value: makeCall(cx.ids, call.callee, args, call.attrs, call) };
}

/** `value * factor`: the factor is kept aside if every consumer can take it. */
function takeOn(folding: Folding, call: Call): Scaled | null {
  const message = folding.messages.get(call) ?? null;
  if (message === null) return null;
  const operands = [argOf(call, 0), argOf(call, 1)];
  for (const [value, factor] of [
    [first(operands, "operand"), at(operands, 1, "operand")],
    [at(operands, 1, "operand"), first(operands, "operand")],
  ] as const) {
    const squeezed = broadcastAlong(tensorTypeOf(value), tensorTypeOf(factor), message.axes);
    const scale = plain(folding, factor);
    if (squeezed === null || (message.positive && !isAllPositive(scale))) continue;
    const vector = squeeze(folding.cx, scale, squeezed, call.origin);
    return { value: plain(folding, value), axes: message.axes, scale: vector, by: call.origin };
  }
  return null;
}

/** A convolution takes the scale of its data into its weights. */
function consume(folding: Folding, call: Call): Expr | null {
  const pending = calledOp(call) === "nn.conv2d" ? folding.scaled.get(argOf(call, 0)) : undefined;
  if (pending === undefined) return null;
  const { cx } = folding;
  const axes = convAxes(call)!;
  const weight = argOf(call, 1);
  const factor = expandScale(
    cx,
    pending.scale,
    tensorTypeOf(weight).shape,
    axes.depthwise ? axes.outKernel : axes.inKernel,
  );
  const scaledWeight = multiply(cx, plain(folding, weight), factor, pending.by);
  cx.remarks.push(
    remark(
      "FoldScaleAxis",
      "fold-scale-axis.folded",
      "the scale moved forward into the weights of a convolution",
      { origin: pending.by, other: call.origin },
    ),
  );
  const meta = { origin: mergeOrigins([call.origin, pending.by]), span: call.span, type: call.type };
  return makeCall(cx.ids, call.callee, [pending.value, scaledWeight], call.attrs, {
    ...meta,
    typeArgs: call.typeArgs,
  });
}

function rebuilt(folding: Folding, expr: Expr): Expr {
  return withChildren(
    folding.cx.ids,
    expr,
    children(expr).map((kid) => plain(folding, kid)),
  );
}

/** `expr` as rewritten; a scale that is still pending is applied here. */
function plain(folding: Folding, expr: Expr): Expr {
  const done = folding.plain.get(expr);
  if (done !== undefined) return done;
  const { value, axes, scale, by } = get(folding.scaled, expr, "scaled operand");
  const applied = multiply(
    folding.cx,
    value,
    expandScale(folding.cx, scale, tensorTypeOf(value).shape, axes),
    by,
  );
  folding.plain.set(expr, applied);
  return applied;
}
