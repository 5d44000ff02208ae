// BackwardFoldScaleAxis: a multiplication after a convolution moves through relu and additions back into the
// weights.
// TVM: src/relay/transforms/fold_scale_axis.cc (BackwardPrep, BackwardTransformer)
import { functionOf, calledOp, makeCall, type Call, type Expr, type Func, argOf } from "../../expr.ts";
import { get, last, at, first } from "../../../../support/assert.ts";
import { mergeOrigins } from "../../../ir/origin.ts";
import { remark } from "../../../ir/remark.ts";
import { tensorTypeOf, type RelayContext } from "../../op.ts";
import { children, postOrder, withChildren } from "../../visit.ts";
import { sameType, type TensorType } from "../../../ir/type.ts";
import { functionPass } from "../function-pass.ts";
import {
  broadcastAlong,
  canExpand,
  convAxes,
  expandScale,
  isAllPositive,
  mayFold,
  multiply,
  sameAxes,
  squeeze,
  type ScaleMessage,
} from "./axis-scale.ts";

export const backwardFoldScaleAxis = functionPass({
  name: "BackwardFoldScaleAxis",
  optLevel: 3,
  requires: ["InferType"],
  run: foldBackward,
});

type Messages = ReadonlyMap<Expr, ScaleMessage>;

interface Folding {
  readonly cx: RelayContext;
  readonly messages: Messages;
  /** Every node as rewritten without a scale from outside. */
  readonly done: Map<Expr, Expr>;
}

function foldBackward(func: Func, cx: RelayContext): Func {
  if (!mayFold(func)) return func;
  const messages = scalableValues(func);
  if (messages.size === 0) return func;
  const folding: Folding = { cx, messages, done: new Map() };
  postOrder(func, (expr) => {
    const folded = calledOp(expr) === "multiply" ? foldMultiply(folding, expr as Call) : null;
    folding.done.set(
      expr,
      folded ??
        withChildren(
          cx.ids,
          expr,
          children(expr).map((kid) => get(folding.done, kid, "rewritten operand")),
        ),
    );
  });
  return functionOf(folding.done.get(func));
}

/** Values that a convolution produces, seen through relu and additions, each read by one consumer only. */
function scalableValues(func: Func): Messages {
  const references = new Map<Expr, number>();
  const calls: Call[] = [];
  postOrder(func, (expr) => {
    for (const kid of children(expr)) references.set(kid, (references.get(kid) ?? 0) + 1);
    if (expr.kind === "call") calls.push(expr);
  });
  const messages = new Map<Expr, ScaleMessage>();
  for (const call of calls) {
    if (references.get(call) !== 1) continue;
    const message = messageOf(call, messages);
    if (message !== null) messages.set(call, message);
  }
  return messages;
}

function messageOf(call: Call, messages: Messages): ScaleMessage | null {
  switch (calledOp(call) ?? "") {
    case "nn.relu":
    case "nn.leaky_relu": {
      const input = messages.get(argOf(call, 0));
      return input === undefined ? null : { axes: input.axes, positive: true };
    }
    case "add":
    case "subtract":
      return sumMessage(call, messages);
    case "nn.conv2d": {
      const axes = convAxes(call);
      if (axes === null || !canExpand(tensorTypeOf(argOf(call, 1)).shape, axes.outKernel)) return null;
      return { axes: axes.out, positive: false };
    }
    default:
      return null;
  }
}

function sumMessage(call: Call, messages: Messages): ScaleMessage | null {
  const [lhs, rhs] = [argOf(call, 0), argOf(call, 1)];
  const [left, right] = [messages.get(lhs), messages.get(rhs)];
  const [leftType, rightType] = [tensorTypeOf(lhs), tensorTypeOf(rhs)];
  if (left !== undefined && right !== undefined) {
    // Both carry the scale, so both must be scaled alike.
    const alike =
      sameAxes(left, right) &&
      (sameType(leftType, rightType) ||
        addendFits(leftType, rightType, left) ||
        addendFits(rightType, leftType, right));
    return alike ? { axes: left.axes, positive: left.positive || right.positive } : null;
  }
  if (left !== undefined) return addendFits(leftType, rightType, left) ? left : null;
  return right !== undefined && addendFits(rightType, leftType, right) ? right : null;
}

/**
 * Whether what is added to a scalable value runs along the scaled axes only, so that it can be scaled by
 * itself.
 */
function addendFits(carrier: TensorType, addend: TensorType, message: ScaleMessage): boolean {
  return broadcastAlong(carrier, addend, message.axes) !== null && canExpand(carrier.shape, message.axes);
}

/** `value * factor` with the factor moved into what produced `value`; null if it cannot be. */
function foldMultiply(folding: Folding, call: Call): Expr | null {
  const [lhs, rhs] = [argOf(call, 0), argOf(call, 1)];
  const left = folding.messages.get(lhs);
  if (left !== undefined) return foldFactor(folding, call, lhs, rhs, left);
  const right = folding.messages.get(rhs);
  return right === undefined ? null : foldFactor(folding, call, rhs, lhs, right);
}

function foldFactor(
  folding: Folding,
  call: Call,
  value: Expr,
  factor: Expr,
  message: ScaleMessage,
): Expr | null {
  const squeezed = broadcastAlong(tensorTypeOf(value), tensorTypeOf(factor), message.axes);
  if (squeezed === null) return null;
  if (message.positive && !isAllPositive(factor)) {
    const why = "the scale stays after relu: it is not a constant known to be at least 0";
    folding.cx.remarks.push(
      remark("FoldScaleAxis", "fold-scale-axis.refused", why, {
        origin: call.origin,
        other: value.origin,
        facts: { why: "notPositive" },
      }),
    );
    return null;
  }
  const { cx } = folding;
  const scale = squeeze(cx, factor, squeezed, call.origin);
  cx.remarks.push(
    remark(
      "FoldScaleAxis",
      "fold-scale-axis.folded",
      "the scale moved back into the weights of a convolution",
      { origin: call.origin, other: value.origin },
    ),
  );
  return scaled(folding, value, message, scale, call);
}

/**
 * `root` times `scale`. The nodes under it that carry the scale form a tree, since each has one consumer; it
 * is rebuilt bottom-up with an explicit stack, because a chain of additions may be long.
 */
function scaled(folding: Folding, root: Expr, message: ScaleMessage, scale: Expr, by: Call): Expr {
  const result = new Map<Expr, Expr>();
  const stack: { readonly call: Call; expanded: boolean }[] = [{ call: root as Call, expanded: false }];
  while (stack.length > 0) {
    const top = last(stack, "frame");
    if (!top.expanded) {
      top.expanded = true;
      for (const kid of carriers(folding, top.call)) stack.push({ call: kid, expanded: false });
      continue;
    }
    stack.pop();
    result.set(top.call, scaledCall(folding, top.call, { message, scale, by }, result));
  }
  return get(result, root, "scaled call");
}

/** The operands of `call` through which the scale goes on. */
function carriers(folding: Folding, call: Call): Call[] {
  if (calledOp(call) === "nn.conv2d") return [];
  return call.args.filter((arg): arg is Call => folding.messages.has(arg));
}

function scaledCall(
  folding: Folding,
  call: Call,
  { message, scale, by }: { readonly message: ScaleMessage; readonly scale: Expr; readonly by: Call },
  result: ReadonlyMap<Expr, Expr>,
): Expr {
  const { cx, done } = folding;
  const meta = { origin: mergeOrigins([call.origin, by.origin]), span: call.span, type: call.type };
  if (calledOp(call) === "nn.conv2d") {
    const kernelScale = expandScale(cx, scale, tensorTypeOf(argOf(call, 1)).shape, convAxes(call)!.outKernel);
    const weight = multiply(
      cx,
      get(done, at(call.args, 1, "argument"), "rewritten argument"),
      kernelScale,
      by.origin,
    );
    return makeCall(
      cx.ids,
      call.callee,
      [get(done, first(call.args, "argument"), "rewritten argument"), weight],
      call.attrs,
      { ...meta, typeArgs: call.typeArgs },
    );
  }
  const carrier = call.args.find((arg) => result.has(arg))!;
  const args = call.args.map(
    (arg) =>
      result.get(arg) ??
      multiply(
        cx,
        get(done, arg, "rewritten argument"),
        expandScale(cx, scale, tensorTypeOf(carrier).shape, message.axes),
        by.origin,
      ),
  );
  return makeCall(cx.ids, call.callee, args, call.attrs, { ...meta, typeArgs: call.typeArgs });
}
