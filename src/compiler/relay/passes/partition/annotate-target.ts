// AnnotateTarget: every call is given to the first external target that takes it, or to the host, and marked
// at its edges.
// TVM: src/relay/transforms/annotate_target.cc (with include_non_call_ops)
// Known difference: a let-bound value only ends its region (TVM begins another one that nothing ends).
import { functionOf, calledOp, makeFunction, type Call, type Expr, type Func, argOf } from "../../expr.ts";
import { diagnostic, fail } from "../../../ir/diagnostic.ts";
import {
  externalTargets,
  partitionRequest,
  takes,
  type PartitionRequest,
} from "../../external/external-targets.ts";
import type { RelayContext } from "../../op.ts";
import { children, rewrite, withChildren } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import { begin, end, hostTarget, isBegin, isEnd, targetOfMark, underMark } from "./compiler-marks.ts";

export const annotateTarget = functionPass({
  name: "AnnotateTarget",
  optLevel: 0,
  requires: ["InferType"],
  run: annotate,
});

interface Annotation {
  readonly cx: RelayContext;
  readonly requests: readonly PartitionRequest[];
  /** Target of what was decided, by the node as it is after the rewrite. */
  readonly targetOf: Map<Expr, string>;
  taken: number;
}

function annotate(func: Func, cx: RelayContext): Func {
  const requests = cx.options.partition.map((text) => checkedRequest(partitionRequest(text)));
  const annotation: Annotation = { cx, requests, targetOf: new Map(), taken: 0 };
  const after = functionOf(
    rewrite(
      cx.ids,
      func,
      (expr, original) => annotated(annotation, expr, original),
      (expr) => !isKernel(expr),
    ),
  );
  if (annotation.taken > 0) return after;
  cx.diagnostics.push(
    diagnostic("RS3010", `no operator goes to ${requests.map(({ name }) => name).join(", ")}`, {
      severity: "warning",
      span: func.span,
      origin: func.origin,
      expected: "at least one call that the target takes",
      got: "none",
      because: "nothing is partitioned then",
      hint: `say which operators to take: ${requests[0]?.name ?? "NAME"}=add,nn.relu`,
    }),
  );
  return func;
}

function checkedRequest(request: PartitionRequest): PartitionRequest {
  if (request.operators === null && !externalTargets.has(request.name)) {
    fail("RS3011", `nothing says which operators the target ${request.name} takes`, {
      expected: `one of ${[...externalTargets.keys()].join(", ")}, or a list of operators`,
      got: `partition "${request.name}"`,
      because: "operators are given to a target by its own rule, and no rule has this name",
      hint: `name the operators: ${request.name}=add,nn.relu`,
    });
  }
  return request;
}

/** Functions that are kernels already, and functions matched as a whole: their insides are not marked. */
function isKernel(expr: Expr): boolean {
  return (
    expr.kind === "function" &&
    (expr.attrs["Primitive"] !== undefined ||
      expr.attrs["Compiler"] !== undefined ||
      expr.attrs["Composite"] !== undefined)
  );
}

function annotated(annotation: Annotation, expr: Expr, original: Expr): Expr {
  switch (expr.kind) {
    case "call":
      return annotatedCall(annotation, expr, original as Call);
    case "tuple":
    case "tuple-get-item": {
      const { target, args } = annotateArgs(annotation, children(expr), "");
      const made = withChildren(annotation.cx.ids, expr, args);
      annotation.targetOf.set(made, target);
      return made;
    }
    case "function": {
      if (isKernel(expr)) return expr;
      return makeFunction(annotation.cx.ids, expr.params, closed(annotation, expr.body), expr);
    }
    // What these take ends its region; what they give is a value like a variable's. References stay with the
    // host: no external function can be handed one.
    case "let":
    case "if":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return withChildren(
        annotation.cx.ids,
        expr,
        children(expr).map((part) => closed(annotation, part)),
      );
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
      return expr;
  }
}

function annotatedCall(annotation: Annotation, call: Call, original: Call): Expr {
  if (isBegin(original)) return call;
  if (isEnd(original)) {
    const inside = argOf(call, 0);
    if (!annotation.targetOf.has(inside)) annotation.targetOf.set(inside, targetOfMark(call));
    return call;
  }
  const first = original.args[0];
  if (first !== undefined && isBegin(first) && targetOfMark(first) !== hostTarget) return call;
  const target = targetFor(annotation, original);
  if (target !== hostTarget) annotation.taken++;
  const { args } = annotateArgs(annotation, call.args, target);
  const made = withChildren(annotation.cx.ids, call, [call.callee, ...args]);
  annotation.targetOf.set(made, target);
  return made;
}

function targetFor({ requests }: Annotation, call: Call): string {
  if (calledOp(call) !== null) return requests.find((request) => takes(request, call))?.name ?? hostTarget;
  const composite = call.callee.kind === "function" ? call.callee.attrs["Composite"] : undefined;
  const prefix =
    typeof composite === "string" && composite.includes(".")
      ? composite.slice(0, composite.indexOf("."))
      : null;
  return requests.find((request) => request.name === prefix)?.name ?? hostTarget;
}

/**
 * Ends every argument's region and begins the reader's; without a target of its own the reader follows its
 * arguments if they agree.
 */
function annotateArgs(
  annotation: Annotation,
  args: readonly Expr[],
  target: string,
): { readonly target: string; readonly args: readonly Expr[] } {
  const { cx } = annotation;
  let agreed = "";
  const begun: Expr[] = [];
  const ended: Expr[] = [];
  for (const arg of args) {
    let from = hostTarget;
    if (isBegin(arg)) {
      if (targetOfMark(arg) === hostTarget) ended.push(underMark(arg));
      else begun.push(arg);
      const inside = underMark(arg);
      if (isEnd(inside)) from = targetOfMark(inside);
    } else {
      const known = annotation.targetOf.get(arg);
      if (known !== undefined) from = known;
      // A call without arguments (zeros) has no region to end: it is an input like a variable.
      ended.push(
        known === undefined || (arg.kind === "call" && arg.args.length === 0) ? arg : end(cx, arg, from),
      );
    }
    agreed = agreed === "" || agreed === from ? from : hostTarget;
  }
  const to = target === "" ? agreed : target;
  return agreed === ""
    ? { target: to, args }
    : { target: to, args: [...begun, ...ended.map((arg) => begin(cx, arg, to))] };
}

/** `expr` as what a function, a let or a branch gives: its region ends here. */
function closed(annotation: Annotation, expr: Expr): Expr {
  const target = annotation.targetOf.get(expr);
  if (target === undefined) return expr;
  const hasParts =
    expr.kind === "call" ? expr.args.length > 0 : expr.kind === "tuple" ? expr.fields.length > 0 : true;
  if (!hasParts) return expr;
  const made = end(annotation.cx, expr, target);
  annotation.targetOf.set(made, target);
  return made;
}
