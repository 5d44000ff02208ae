// Finds operators of one kind that read the same data, each followed by a chain of elementwise operators, and
// replaces each group of at least three by one wider operator and slices of its result.
// TVM: src/relay/transforms/combine_parallel_op.cc, expr_subst.cc
import { functionOf, calledOp, isOpCall, makeCall, type Call, type Expr, type Func } from "../../expr.ts";
import { get, last } from "../../../../support/assert.ts";
import { sameAttrs } from "../../../ir/attrs.ts";
import { OpPattern } from "../../../ir/op.ts";
import { mergeOrigins, type Origin } from "../../../ir/origin.ts";
import { remark } from "../../../ir/remark.ts";
import { call as callOf, tuple as tupleOf } from "../../build.ts";
import type { RelayContext } from "../../op.ts";
import { children, postOrder, withChildren } from "../../visit.ts";
import { functionPass, type RelayPass } from "../function-pass.ts";
import { tensorTypeOf } from "../../op.ts";

/** The operator first, then the elementwise operators that follow it one after the other. */
type Branch = readonly Call[];

export interface ParallelRule {
  readonly op: string;
  /** TVM's name of the pass. */
  readonly pass: string;
  readonly supports: (call: Call) => boolean;
  readonly compatible: (a: Call, b: Call) => boolean;
  /** One operator for the first calls of all branches. */
  readonly combine: (branches: readonly Branch[], cx: RelayContext) => Expr;
  /**
   * Whether operand `index` of two following operators can be joined; `head` is the first call of the first
   * branch.
   */
  readonly operandsFit: (a: Call, b: Call, index: number, head: Call) => boolean;
  /** That operand for the joined operator: the branches' operands as one. */
  readonly joinOperands: (
    calls: readonly Call[],
    index: number,
    parent: number,
    head: Call,
    cx: RelayContext,
  ) => Expr;
  /** What each branch had, cut out of the combined result. */
  readonly slices: (
    combined: Expr,
    branches: readonly Branch[],
    depth: number,
    cx: RelayContext,
  ) => readonly Expr[];
}

/** relay.build combines from three branches on. */
const minBranches = 3;

export function combineParallel(rule: ParallelRule): RelayPass {
  return functionPass({
    name: rule.pass,
    optLevel: 4,
    requires: ["InferType"],
    run: (func, cx) => combineIn(func, rule, cx),
  });
}

function combineIn(func: Func, rule: ParallelRule, cx: RelayContext): Func {
  const replacements = new Map<Expr, Expr>();
  for (const branches of findGroups(func, rule, cx)) {
    if (branches.length < minBranches || !independent(branches)) continue;
    combineBranches(branches, rule, cx, replacements);
  }
  return replacements.size === 0 ? func : functionOf(substitute(func, replacements, cx));
}

function findGroups(func: Func, rule: ParallelRule, cx: RelayContext): readonly (readonly Branch[])[] {
  const readers = new Map<Expr, Call[]>();
  const roots = new Set<Expr>();
  const read = (value: Expr, call: Call): void => {
    const list = readers.get(value);
    if (list === undefined) readers.set(value, [call]);
    else list.push(call);
  };
  postOrder(func, (expr) => {
    if (expr.kind !== "call") return;
    if (isOpCall(expr, rule.op) && rule.supports(expr)) {
      roots.add(expr.args[0]!);
      read(expr.args[0]!, expr);
    } else {
      for (const arg of expr.args) read(arg, expr);
    }
  });
  return [...roots].flatMap((root) => {
    const groups: Branch[][] = [];
    for (const call of get(readers, root, "reader").filter(
      (reader) => isOpCall(reader, rule.op) && rule.supports(reader),
    )) {
      const branch = branchFrom(call, readers, cx);
      const group = groups.find((candidate) => rule.compatible(call, candidate[0]![0]!));
      if (group === undefined) groups.push([branch]);
      else group.push(branch);
    }
    return groups;
  });
}

function branchFrom(head: Call, readers: ReadonlyMap<Expr, readonly Call[]>, cx: RelayContext): Branch {
  const branch = [head];
  for (;;) {
    const next = readers.get(last(branch, "branch")) ?? [];
    const op = next.length === 1 ? cx.ops.get(calledOp(next[0]!) ?? "") : undefined;
    if (op === undefined || op.pattern > OpPattern.broadcast) return branch;
    branch.push(next[0]!);
  }
}

/**
 * Whether no branch needs the value of another one: such branches cannot run as one (TVM loops forever
 * there).
 */
function independent(branches: readonly Branch[]): boolean {
  const heads = new Set<Expr>(branches.map((branch) => branch[0]!));
  const seen = new Set<Expr>();
  // Operands that come from outside the branch: all but the call before.
  const stack: Expr[] = branches.flatMap((branch) =>
    branch.flatMap((call, i) => call.args.filter((arg) => arg !== branch[i - 1])),
  );
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (heads.has(at)) return false;
    stack.push(...children(at));
  }
  return true;
}

function combineBranches(
  branches: readonly Branch[],
  rule: ParallelRule,
  cx: RelayContext,
  replacements: Map<Expr, Expr>,
): void {
  const depth = Math.min(...branches.map((branch) => branch.length));
  const head = branches[0]![0]!;
  let combined = rule.combine(branches, cx);
  let level = 1;
  for (; level < depth; level++) {
    const calls = branches.map((branch) => branch[level]!);
    const parent = calls[0]!.args.indexOf(branches[0]![level - 1]!);
    if (!levelFits(branches, level, parent, rule)) break;
    const args = calls[0]!.args.map((_, i) =>
      i === parent ? combined : rule.joinOperands(calls, i, parent, head, cx),
    );
    combined = callOf(cx, calledOp(calls[0]!)!, args, calls[0]!.attrs, originOf(calls));
  }
  const slices = rule.slices(combined, branches, level - 1, cx);
  branches.forEach((branch, i) => replacements.set(branch[level - 1]!, slices[i]!));
  cx.remarks.push(
    remark(
      rule.pass,
      "combine-parallel.combined",
      `${branches.length} calls of ${rule.op} on the same data became one`,
      {
        origin: originOf(branches.map((branch) => branch[0]!)),
        facts: { op: rule.op, branches: branches.length },
      },
    ),
  );
}

function levelFits(branches: readonly Branch[], level: number, parent: number, rule: ParallelRule): boolean {
  const first = branches[0]![level]!;
  return branches.slice(1).every((branch) => {
    const call = branch[level]!;
    if (
      calledOp(call) !== calledOp(first) ||
      !sameAttrs(call.attrs, first.attrs) ||
      call.args.length !== first.args.length
    )
      return false;
    if (call.args[parent] !== branch[level - 1]) return false;
    return call.args.every((_, i) => i === parent || rule.operandsFit(first, call, i, branches[0]![0]!));
  });
}

/** Replaces values, also inside what replaces other values. */
function substitute(root: Expr, replacements: ReadonlyMap<Expr, Expr>, cx: RelayContext): Expr {
  const resolve = (expr: Expr): Expr => replacements.get(expr) ?? expr;
  const done = new Map<Expr, Expr>();
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const enter = (expr: Expr): void => {
    stack.push({ expr, kids: children(expr).map(resolve), next: 0 });
  };
  enter(resolve(root));
  while (stack.length > 0) {
    const top = last(stack, "frame");
    const kid = top.kids[top.next++];
    if (kid === undefined) {
      stack.pop();
      done.set(
        top.expr,
        withChildren(
          cx.ids,
          top.expr,
          top.kids.map((each) => get(done, each, "combined operand")),
        ),
      );
    } else if (!done.has(kid)) {
      enter(kid);
    }
  }
  return get(done, resolve(root), "combined root");
}

export function originOf(exprs: readonly Expr[]): Origin {
  return mergeOrigins(exprs.map((expr) => expr.origin));
}

export function concatenate(cx: RelayContext, values: readonly Expr[], axis: number): Expr {
  const origin = originOf(values);
  return callOf(cx, "concatenate", [tupleOf(cx, values, origin)], { axis }, origin);
}

/** `extent` elements of `value` from `start` on along `axis`, everything on the axes before it. */
export function sliceAlong(
  cx: RelayContext,
  value: Expr,
  { axis, start, extent }: { readonly axis: number; readonly start: number; readonly extent: number },
  origin: Origin,
): Expr {
  const whole = Array.from({ length: axis }, () => 0);
  return callOf(
    cx,
    "strided_slice",
    [value],
    {
      begin: [...whole, start],
      end: [...whole.map(() => -1), extent],
      strides: [...whole.map(() => 1), 1],
      slice_mode: "size",
    },
    origin,
  );
}

export function extentOf(expr: Expr, axis: number): number {
  const { shape } = tensorTypeOf(expr);
  const dim = shape[axis < 0 ? axis + shape.length : axis];
  return typeof dim === "number" ? dim : NaN;
}

/** A call like `model` on other operands and attributes, typed anew. */
export function likeCall(
  cx: RelayContext,
  model: Call,
  args: readonly Expr[],
  attrs: Call["attrs"],
  origin: Origin,
): Call {
  const typed = callOf(cx, calledOp(model)!, args, attrs, origin);
  return makeCall(cx.ids, model.callee, args, typed.attrs, {
    origin,
    span: model.span,
    type: typed.type,
    typeArgs: model.typeArgs,
  });
}
