// How ranges, index values and flags pass between the axes of one stage along its relations.
// Down: from root axes to loops. Up: from loops to root axes.  TVM: src/te/schedule/message_passing.cc
import { get, invariant } from "../../support/assert.ts";
import type { Analyzer } from "../arith/analyzer.ts";
import { evalInterval, rangeInterval, type Interval } from "../arith/interval.ts";
import { add, constInt, eq, floorDiv, floorMod, ge, intImm, lt, mul, sub } from "../tir/build.ts";
import type { IterVar, PrimExpr } from "../tir/expr.ts";
import { rootIters, type IterRelation, type StageState } from "./stage.ts";

/** Half-open: min … min+extent-1. */
export interface Range {
  readonly min: PrimExpr;
  readonly extent: PrimExpr;
}
export type Ranges = Map<IterVar, Range>;
export type Values = Map<IterVar, PrimExpr>;

export function isOne(expr: PrimExpr): boolean {
  return constInt(expr) === 1;
}

function rangeOf(ranges: ReadonlyMap<IterVar, Range>, iter: IterVar): Range {
  const range = ranges.get(iter);
  invariant(range !== undefined, `no range is known for axis ${iter.variable.name}`);
  return range;
}

/**
 * Ranges of loops and everything between, from the ranges of the root axes. Binds each variable in the
 * analyzer.
 */
export function passDownRanges(stage: StageState, ranges: Ranges, analyzer: Analyzer): void {
  const set = (iter: IterVar, extent: PrimExpr): void => {
    const range = { min: intImm(0, iter.variable.dtype), extent: analyzer.simplify(extent) };
    ranges.set(iter, range);
    analyzer.bind(iter.variable, range.min, range.extent);
  };
  for (const relation of stage.relations) {
    switch (relation.kind) {
      case "split": {
        const { extent } = rangeOf(ranges, relation.parent);
        const amount = relation.factor ?? relation.nparts!;
        const known = constInt(extent);
        // A loop of a split is never longer than what is split (an empty axis keeps the factor).
        const size = intImm(known === null || known === 0 ? amount : Math.min(known, amount), extent.dtype);
        const count = floorDiv(add(extent, sub(size, 1)), size);
        set(relation.inner, relation.factor === null ? count : size);
        set(relation.outer, relation.factor === null ? size : count);
        break;
      }
      case "fuse":
        set(
          relation.fused,
          mul(rangeOf(ranges, relation.outer).extent, rangeOf(ranges, relation.inner).extent),
        );
        break;
      case "rebase":
        set(relation.rebased, rangeOf(ranges, relation.parent).extent);
        break;
      case "singleton":
        set(relation.iter, intImm(1));
        break;
    }
  }
}

/** Values of root axes in terms of the loops' values. */
export function passUpValues(stage: StageState, ranges: ReadonlyMap<IterVar, Range>, values: Values): void {
  for (const relation of [...stage.relations].reverse()) {
    switch (relation.kind) {
      case "split": {
        const inner = rangeOf(ranges, relation.inner).extent;
        const value = add(mul(values.get(relation.outer)!, inner), values.get(relation.inner)!);
        values.set(relation.parent, add(rangeOf(ranges, relation.parent).min, value));
        break;
      }
      case "fuse": {
        const inner = rangeOf(ranges, relation.inner);
        const value = values.get(relation.fused)!;
        values.set(relation.outer, add(rangeOf(ranges, relation.outer).min, floorDiv(value, inner.extent)));
        values.set(relation.inner, add(inner.min, floorMod(value, inner.extent)));
        break;
      }
      case "rebase":
        values.set(relation.parent, add(rangeOf(ranges, relation.parent).min, values.get(relation.rebased)!));
        break;
      case "singleton":
        break;
    }
  }
}

export type Intervals = Map<IterVar, Interval>;

/** Intervals that root axes run over, from those that the loops run over. */
export function passUpIntervals(
  stage: StageState,
  ranges: ReadonlyMap<IterVar, Range>,
  intervals: Intervals,
  analyzer: Analyzer,
): void {
  for (const relation of [...stage.relations].reverse()) upOne(relation, ranges, intervals, analyzer);
}

function upOne(
  relation: IterRelation,
  ranges: ReadonlyMap<IterVar, Range>,
  intervals: Intervals,
  analyzer: Analyzer,
): void {
  const whole = (iter: IterVar): Interval =>
    rangeInterval(rangeOf(ranges, iter).min, rangeOf(ranges, iter).extent);
  const isWhole = (iter: IterVar): boolean => sameInterval(analyzer, intervals.get(iter)!, whole(iter));
  switch (relation.kind) {
    case "split": {
      if (isWhole(relation.outer) && isWhole(relation.inner)) {
        intervals.set(relation.parent, whole(relation.parent));
        return;
      }
      const value = add(
        add(mul(relation.outer.variable, rangeOf(ranges, relation.inner).extent), relation.inner.variable),
        rangeOf(ranges, relation.parent).min,
      );
      const domains = new Map(
        [relation.outer, relation.inner].map((iter) => [iter.variable, intervals.get(iter)!]),
      );
      intervals.set(relation.parent, evalInterval(analyzer, value, domains));
      return;
    }
    case "fuse": {
      if (isWhole(relation.fused)) {
        intervals.set(relation.outer, whole(relation.outer));
        intervals.set(relation.inner, whole(relation.inner));
        return;
      }
      fuseUp(relation, ranges, intervals, analyzer);
      return;
    }
    case "rebase": {
      if (isWhole(relation.rebased)) intervals.set(relation.parent, whole(relation.parent));
      else {
        const value = add(relation.rebased.variable, rangeOf(ranges, relation.parent).min);
        intervals.set(
          relation.parent,
          evalInterval(
            analyzer,
            value,
            new Map([[relation.rebased.variable, intervals.get(relation.rebased)!]]),
          ),
        );
      }
      return;
    }
    case "singleton":
      return;
  }
}

/** A part of a fused loop that stays in one row is a part of the row; otherwise whole rows are taken. */
function fuseUp(
  relation: Extract<IterRelation, { kind: "fuse" }>,
  ranges: ReadonlyMap<IterVar, Range>,
  intervals: Intervals,
  analyzer: Analyzer,
): void {
  const { outer, inner } = relation;
  const fused = get(intervals, relation.fused, `range of ${relation.fused.variable.name}`);
  const rows = rangeOf(ranges, outer);
  const row = rangeOf(ranges, inner);
  invariant(fused.min !== null && fused.max !== null, "a loop has bounds");
  const first = analyzer.simplify(floorDiv(fused.min, row.extent));
  const last = analyzer.simplify(floorDiv(fused.max, row.extent));
  intervals.set(outer, { min: add(first, rows.min), max: add(last, rows.min) });
  if (analyzer.same(first, last)) {
    intervals.set(inner, {
      min: add(floorMod(fused.min, row.extent), row.min),
      max: add(floorMod(fused.max, row.extent), row.min),
    });
  } else {
    intervals.set(inner, rangeInterval(row.min, row.extent));
  }
}

function sameInterval(analyzer: Analyzer, a: Interval, b: Interval): boolean {
  return (
    a.min !== null &&
    a.max !== null &&
    b.min !== null &&
    b.max !== null &&
    analyzer.same(a.min, b.min) &&
    analyzer.same(a.max, b.max)
  );
}

/** Flags of derived axes: the union of those of the axes that they come from. */
export function passDownFlags(stage: StageState, flags: Map<IterVar, number>): void {
  const give = (iter: IterVar, from: number): void => void flags.set(iter, (flags.get(iter) ?? 0) | from);
  for (const relation of stage.relations) {
    switch (relation.kind) {
      case "split":
        give(relation.outer, flags.get(relation.parent) ?? 0);
        give(relation.inner, flags.get(relation.parent) ?? 0);
        break;
      case "fuse":
        give(relation.fused, (flags.get(relation.outer) ?? 0) | (flags.get(relation.inner) ?? 0));
        break;
      case "rebase":
        give(relation.rebased, flags.get(relation.parent) ?? 0);
        break;
      case "singleton":
        give(relation.iter, 0);
        break;
    }
  }
}

/** Axes whose value may leave their range because a split below them does not divide it. */
function looseAxes(
  stage: StageState,
  ranges: ReadonlyMap<IterVar, Range>,
  analyzer: Analyzer,
): ReadonlySet<IterVar> {
  const loose = new Set<IterVar>();
  for (const relation of [...stage.relations].reverse()) {
    if (relation.kind === "split") {
      const covered = mul(rangeOf(ranges, relation.inner).extent, rangeOf(ranges, relation.outer).extent);
      const exact = analyzer.canProve(eq(covered, rangeOf(ranges, relation.parent).extent));
      if (!exact || loose.has(relation.outer) || loose.has(relation.inner)) loose.add(relation.parent);
    } else if (relation.kind === "fuse" && loose.has(relation.fused)) {
      loose.add(relation.outer);
      loose.add(relation.inner);
    } else if (relation.kind === "rebase" && loose.has(relation.rebased)) loose.add(relation.parent);
  }
  return loose;
}

/**
 * Conditions under which the loops stay inside the region that is computed: for splits that overshoot. Only
 * what cannot be proven.
 */
export function overshootChecks(
  stage: StageState,
  ranges: ReadonlyMap<IterVar, Range>,
  values: ReadonlyMap<IterVar, PrimExpr>,
  analyzer: Analyzer,
  skip: ReadonlySet<IterVar>,
): readonly PrimExpr[] {
  const found: PrimExpr[] = [];
  const loose = looseAxes(stage, ranges, analyzer);
  for (const iter of stage.allIters) {
    if (skip.has(iter) || !loose.has(iter)) continue;
    const range = rangeOf(ranges, iter);
    need(analyzer, found, lt(sub(values.get(iter)!, range.min), range.extent));
  }
  return found;
}

/**
 * Conditions under which an element of the region is one of the tensor: for regions that stick out of it.
 * Only what cannot be proven.
 */
export function outsideChecks(
  stage: StageState,
  ranges: ReadonlyMap<IterVar, Range>,
  values: ReadonlyMap<IterVar, PrimExpr>,
  analyzer: Analyzer,
): readonly PrimExpr[] {
  const found: PrimExpr[] = [];
  for (const iter of rootIters(stage.op)) {
    const range = rangeOf(ranges, iter);
    if (analyzer.same(range.min, iter.min) && analyzer.same(range.extent, iter.extent)) continue;
    const value = sub(values.get(iter)!, iter.min);
    need(analyzer, found, ge(value, intImm(0, value.dtype)));
    need(analyzer, found, lt(value, iter.extent));
  }
  return found;
}

function need(analyzer: Analyzer, found: PrimExpr[], condition: PrimExpr): void {
  const simple = analyzer.simplify(condition);
  if (simple.kind !== "int" || simple.value === 0) found.push(simple);
}
