// The loops of a stage as wrappers around its innermost statement, and where its conditions go.
// TVM: src/te/operation/op_utils.cc (MakeLoopNest), src/te/operation/compute_op.cc (ComputeLoopNest)
import type { Analyzer } from "../arith/analyzer.ts";
import { bool } from "../ir/dtype.ts";
import { all, attrStmt, forLoop, ifStmt, intImm, tirCall, tirVar } from "../tir/build.ts";
import type { IterVar, PrimExpr, TirVar } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { substitute, usesVar } from "../tir/visit.ts";
import {
  isOne,
  outsideChecks,
  overshootChecks,
  passDownFlags,
  passUpValues,
  type Range,
  type Values,
} from "./message-passing.ts";
import { rootIters, type StageState } from "./stage.ts";

type Wrap = (body: Stmt) => Stmt;

/** Loops of one stage. */
export interface LoopNest {
  /** One per loop of leafIters, outermost first. */
  readonly loops: readonly Loop[];
  /** Values of all axes in terms of the loops' variables. */
  readonly values: Values;
}
interface Loop {
  readonly iter: IterVar;
  /** null where the loop runs once and is left out. */
  readonly variable: TirVar | null;
  readonly wrap: Wrap;
}

interface NestInput {
  readonly stage: StageState;
  readonly ranges: ReadonlyMap<IterVar, Range>;
  readonly analyzer: Analyzer;
}

/**
 * `from`: position of the first loop made. `fresh`: new variables (the init nest), else the axes' own. Axes
 * in `skip` get no loop.
 */
function makeLoops(
  input: NestInput,
  from: number,
  fresh: boolean,
  skip: ReadonlySet<IterVar>,
  values: Values,
): LoopNest {
  const { stage, ranges, analyzer } = input;
  const { origin } = stage.op;
  const loops: Loop[] = [];
  // The extent of a reduction axis may depend on data axes (adaptive pooling), whose values are known once
  // all loops are.
  const settled = (expr: PrimExpr): PrimExpr =>
    expr.kind === "int" ? expr : analyzer.simplify(substitute(expr, rootValues(stage, values)));
  for (const iter of stage.leafIters.slice(from)) {
    if (skip.has(iter)) {
      values.set(iter, iter.variable);
      continue;
    }
    const range = ranges.get(iter)!;
    if (isOne(range.extent)) {
      values.set(iter, range.min);
      loops.push({ iter, variable: null, wrap: (body) => body });
      continue;
    }
    const variable = fresh ? tirVar(`${iter.variable.name}.init`, iter.variable.dtype) : iter.variable;
    if (fresh) analyzer.bind(variable, range.min, range.extent);
    values.set(iter, variable);
    const attr = stage.attrs.get(iter);
    loops.push({
      iter,
      variable,
      wrap: (body) =>
        (attr?.pragmas ?? []).reduceRight<Stmt>(
          (inner, [key, value]) => attrStmt(`pragma_${key}`, value, inner, origin),
          forLoop(
            variable,
            { min: settled(range.min), extent: settled(range.extent), forKind: attr?.forKind ?? "serial" },
            body,
            origin,
          ),
        ),
    });
  }
  passUpValues(stage, ranges, values);
  return { loops, values };
}

export function likely(condition: PrimExpr): PrimExpr {
  return tirCall("tir.likely", bool, [condition]);
}

/**
 * Places each condition inside the last of `loops` that it depends on: result[i] goes right inside loop i,
 * `before` around all of them.
 */
export function placeConditions(
  conditions: readonly PrimExpr[],
  loops: readonly Loop[],
): { readonly before: readonly PrimExpr[]; readonly inside: readonly (readonly PrimExpr[])[] } {
  const before: PrimExpr[] = [];
  const inside: PrimExpr[][] = loops.map(() => []);
  for (const condition of conditions) {
    let at = loops.length - 1;
    while (at >= 0 && !usesLoop(condition, loops[at]!)) at--;
    if (at < 0) before.push(condition);
    else inside[at]!.push(condition);
  }
  return { before, inside };
}

function usesLoop(condition: PrimExpr, loop: Loop): boolean {
  return loop.variable !== null && usesVar(condition, (variable) => variable === loop.variable);
}

export function guard(stage: StageState, conditions: readonly PrimExpr[], body: Stmt): Stmt {
  return conditions.reduceRight<Stmt>(
    (inner, condition) => ifStmt(likely(condition), inner, null, stage.op.origin),
    body,
  );
}

/** Where initialization of a reduction goes: before the first loop that runs over a reduction axis. */
interface ReductionSplit {
  /** How many outer loops are common to initialization and update. */
  readonly common: number;
  /** Axes that only reduce: the init nest has none of them. */
  readonly onlyReduce: ReadonlySet<IterVar>;
}

function reductionSplit(stage: StageState): ReductionSplit {
  const { op } = stage;
  const flags = new Map<IterVar, number>();
  if (op.kind === "compute") {
    for (const iter of op.axis) flags.set(iter, 1);
    for (const iter of op.reduceAxis) flags.set(iter, 2);
  }
  passDownFlags(stage, flags);
  const first = stage.leafIters.findIndex((iter) => ((flags.get(iter) ?? 0) & 2) !== 0);
  const onlyReduce = new Set([...flags].filter(([, flag]) => flag === 2).map(([iter]) => iter));
  return { common: first < 0 ? stage.leafIters.length : first, onlyReduce };
}

export interface ComputeNest {
  readonly main: LoopNest;
  /** Conditions of the main nest. */
  readonly conditions: readonly PrimExpr[];
  /** For reductions. */
  readonly reduction:
    | (ReductionSplit & { readonly init: LoopNest; readonly initConditions: readonly PrimExpr[] })
    | null;
}

/**
 * `mayStickOut`: whether elements outside of the tensor may be computed too, given the main nest and the
 * conditions that it has anyway.
 */
export function computeNest(
  stage: StageState,
  ranges: ReadonlyMap<IterVar, Range>,
  analyzer: Analyzer,
  mayStickOut: (main: LoopNest, conditions: readonly PrimExpr[]) => boolean,
): ComputeNest {
  const input = { stage, ranges, analyzer };
  const nothing: ReadonlySet<IterVar> = new Set();
  const main = makeLoops(input, 0, false, nothing, new Map());
  const overshoot = overshootChecks(stage, ranges, main.values, analyzer, nothing);
  const outside = outsideChecks(stage, ranges, main.values, analyzer);
  const conditions =
    outside.length === 0 || mayStickOut(main, overshoot) ? overshoot : [...overshoot, ...outside];
  if (stage.op.kind !== "compute" || stage.op.reduceAxis.length === 0)
    return { main, conditions, reduction: null };
  const split = reductionSplit(stage);
  const values: Values = new Map();
  for (const iter of stage.leafIters.slice(0, split.common)) values.set(iter, main.values.get(iter)!);
  const init = makeLoops(input, split.common, true, split.onlyReduce, values);
  const shared = conditionsWithin(conditions, main.loops.slice(0, split.common), main.loops);
  const initConditions = analyzer.within(all(shared), () =>
    overshootChecks(stage, ranges, init.values, analyzer, split.onlyReduce),
  );
  return { main, conditions, reduction: { ...split, init, initConditions } };
}

/** Conditions that depend on no loop after `outer`. */
export function conditionsWithin(
  conditions: readonly PrimExpr[],
  outer: readonly Loop[],
  loops: readonly Loop[],
): readonly PrimExpr[] {
  const inner = loops.slice(outer.length);
  return conditions.filter((condition) => !inner.some((loop) => usesLoop(condition, loop)));
}

/** Builds loops around `body` from the inside out. `inner` goes right inside loop i, under its conditions. */
export function wrapLoops(
  stage: StageState,
  loops: readonly Loop[],
  inside: readonly (readonly PrimExpr[])[],
  body: Stmt,
  inner: (iter: IterVar, body: Stmt) => Stmt = (_iter, b) => b,
): Stmt {
  let out = body;
  for (let i = loops.length - 1; i >= 0; i--)
    out = loops[i]!.wrap(guard(stage, inside[i]!, inner(loops[i]!.iter, out)));
  return out;
}

/** Axes' values as a substitution; loops that run once stand for their only value. */
export function axisValues(stage: StageState, nest: LoopNest): ReadonlyMap<TirVar, PrimExpr> {
  const map = new Map(rootValues(stage, nest.values));
  for (const loop of nest.loops)
    if (loop.variable === null)
      map.set(loop.iter.variable, nest.values.get(loop.iter) ?? intImm(0, loop.iter.variable.dtype));
  return map;
}

function rootValues(
  stage: StageState,
  values: ReadonlyMap<IterVar, PrimExpr>,
): ReadonlyMap<TirVar, PrimExpr> {
  return new Map(rootIters(stage.op).map((iter) => [iter.variable, values.get(iter) ?? iter.variable]));
}
