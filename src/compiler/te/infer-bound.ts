// InferBound: the range of every axis of every stage. Outputs cover their tensors; any other stage covers
// what its readers read from it inside its attach point.  TVM: src/te/schedule/bound.cc, graph.cc
// (CreateAttachPath)
import { invariant } from "../../support/assert.ts";
import type { Analyzer } from "../arith/analyzer.ts";
import { dtypeBound } from "../arith/bound.ts";
import {
  evalInterval,
  pointInterval,
  rangeInterval,
  unionInterval,
  type Interval,
} from "../arith/interval.ts";
import { add, constInt, intImm, sub } from "../tir/build.ts";
import type { IterVar, PrimExpr, TirVar } from "../tir/expr.ts";
import { someExpr, usesVar, visitExpr } from "../tir/visit.ts";
import { isOne, passDownRanges, passUpIntervals, type Intervals, type Ranges } from "./message-passing.ts";
import { inputTensors, rootIters, type StageState } from "./stage.ts";
import { teTensor } from "./tensor.ts";

/** `stages` are normalized, producers first. The analyzer is left with the ranges of all axes. */
export function inferBound(stages: readonly StageState[], analyzer: Analyzer): Ranges {
  const ranges: Ranges = new Map();
  const readers = readersOf(stages);
  for (const stage of [...stages].reverse()) {
    if (stage.op.kind === "compute") inferRootRanges(stage, readers.get(stage) ?? [], ranges, analyzer);
    for (const iter of rootIters(stage.op)) bindAxis(iter, ranges, analyzer);
    passDownRanges(stage, ranges, analyzer);
  }
  return ranges;
}

function bindAxis(iter: IterVar, ranges: Ranges, analyzer: Analyzer): void {
  const range = ranges.get(iter)!;
  analyzer.bind(iter.variable, range.min, range.extent);
}

function readersOf(stages: readonly StageState[]): ReadonlyMap<StageState, readonly StageState[]> {
  const byOp = new Map(stages.map((stage) => [stage.op, stage]));
  const readers = new Map<StageState, StageState[]>();
  for (const reader of stages) {
    const producers = new Set(inputTensors(reader.op).map((tensor) => byOp.get(tensor.op)!));
    for (const producer of producers) readers.set(producer, [...(readers.get(producer) ?? []), reader]);
  }
  return readers;
}

/**
 * The loops around a stage, from its attach point outwards through the attach points of what it is attached
 * in.
 */
function attachPath(stage: StageState): readonly IterVar[] {
  const path: IterVar[] = [];
  const seen = new Set<StageState>();
  for (let at = stage; at.attach.kind === "scope"; at = at.attach.stage) {
    invariant(!seen.has(at), `${stage.label} is computed inside itself`);
    seen.add(at);
    const { stage: parent, iter } = at.attach;
    const position = parent.leafIters.indexOf(iter);
    invariant(
      position >= 0,
      `${at.label} is computed at ${iter.variable.name}, which is no loop of ${parent.label}`,
    );
    path.push(...parent.leafIters.slice(0, position + 1).reverse());
  }
  return path;
}

function inferRootRanges(
  stage: StageState,
  readers: readonly StageState[],
  ranges: Ranges,
  analyzer: Analyzer,
): void {
  const op = stage.op;
  invariant(op.kind === "compute", "only a compute has axes");
  for (const iter of op.reduceAxis) ranges.set(iter, { min: iter.min, extent: iter.extent });
  if (stage.isOutput || readers.length === 0) {
    invariant(stage.attach.kind === "root", `${stage.label} is an output: it is computed at the root`);
    for (const iter of op.axis) ranges.set(iter, { min: iter.min, extent: iter.extent });
    return;
  }
  const needed: (Interval | null)[] = op.axis.map(() => null);
  const path = attachPath(stage);
  for (const reader of readers) {
    const domains = readerDomains(stage, path, reader, ranges, analyzer);
    readRegions(reader, stage, domains, analyzer, (dim, interval) => {
      const before = needed[dim] ?? null;
      needed[dim] = before === null ? interval : unionInterval(analyzer, before, interval);
    });
  }
  op.axis.forEach((iter, dim) => ranges.set(iter, coverRange(needed[dim] ?? null, iter, analyzer)));
}

/**
 * Intervals of the reader's root axes while one instance of `stage` lives: loops inside its attach point run,
 * those outside stand.
 */
function readerDomains(
  stage: StageState,
  path: readonly IterVar[],
  reader: StageState,
  ranges: Ranges,
  analyzer: Analyzer,
): ReadonlyMap<TirVar, Interval> {
  const intervals: Intervals = new Map();
  let outside = false;
  for (const iter of [...reader.leafIters].reverse()) {
    if (path.length > 0 && iter === path[0]) outside = true;
    const range = ranges.get(iter)!;
    if (isOne(range.extent)) intervals.set(iter, pointInterval(range.min));
    else intervals.set(iter, outside ? pointInterval(iter.variable) : rangeInterval(range.min, range.extent));
  }
  const relaxed = new Map<TirVar, Interval>();
  for (const iter of attachPath(reader)) {
    if (path.length > 0 && iter === path[0]) outside = true;
    if (!outside) relaxed.set(iter.variable, rangeInterval(ranges.get(iter)!.min, ranges.get(iter)!.extent));
  }
  invariant(
    outside || path.length === 0,
    `${stage.label} is computed at a loop that is not around its reader ${reader.label}`,
  );
  passUpIntervals(reader, ranges, intervals, analyzer);
  const domains = new Map<TirVar, Interval>();
  for (const iter of rootIters(reader.op)) {
    const interval = intervals.get(iter) ?? rangeInterval(iter.min, iter.extent);
    domains.set(iter.variable, relaxed.size === 0 ? interval : relax(interval, relaxed, analyzer));
  }
  return domains;
}

function relax(interval: Interval, relaxed: ReadonlyMap<TirVar, Interval>, analyzer: Analyzer): Interval {
  return {
    min: interval.min === null ? null : evalInterval(analyzer, interval.min, relaxed).min,
    max: interval.max === null ? null : evalInterval(analyzer, interval.max, relaxed).max,
  };
}

/** Calls `found` with the interval of each dimension of each read of `stage` by `reader`. */
function readRegions(
  reader: StageState,
  stage: StageState,
  domains: ReadonlyMap<TirVar, Interval>,
  analyzer: Analyzer,
  found: (dim: number, interval: Interval) => void,
): void {
  const { op } = reader;
  if (op.kind === "extern") {
    for (const tensor of op.inputs)
      if (tensor.op === stage.op)
        tensor.shape.forEach((extent, dim) => found(dim, rangeInterval(intImm(0), extent)));
    return;
  }
  if (op.kind === "placeholder") return;
  for (const body of op.body) {
    visitExpr(body, (expr) => {
      if (expr.kind !== "producer-load" || teTensor(expr.producer).op !== stage.op) return;
      expr.indices.forEach((index, dim) => {
        const direct = evalInterval(analyzer, index, domains);
        // The ends may name axes again, where the extent of a reduction axis depends on a data axis.
        const closed = endsUse(direct, domains) ? relax(direct, domains, analyzer) : direct;
        found(dim, withinShape(closed, expr.producer.shape[dim]!, analyzer));
      });
    });
  }
}

function endsUse(interval: Interval, domains: ReadonlyMap<TirVar, Interval>): boolean {
  return [interval.min, interval.max].some(
    (end) => end !== null && usesVar(end, (variable) => domains.has(variable)),
  );
}

/**
 * An index never leaves the tensor, so an interval that covers the whole dimension, is unbounded or has ends
 * that data decide is the dimension.
 */
function withinShape(interval: Interval, extent: PrimExpr, analyzer: Analyzer): Interval {
  const whole = rangeInterval(intImm(0), extent);
  if (interval.min === null || interval.max === null) return whole;
  const readsData = (expr: PrimExpr): boolean => expr.kind === "producer-load";
  if (someExpr(interval.min, readsData) || someExpr(interval.max, readsData)) return whole;
  const low = analyzer.bounds(interval.min);
  const high = analyzer.bounds(sub(add(interval.max, 1), extent));
  return low.max <= 0 && high.min >= 0 ? whole : interval;
}

/** Extents are made constant where they have a constant bound: loops and buffers of a tile need that. */
function coverRange(
  interval: Interval | null,
  iter: IterVar,
  analyzer: Analyzer,
): { readonly min: PrimExpr; readonly extent: PrimExpr } {
  if (interval === null || interval.min === null || interval.max === null)
    return { min: iter.min, extent: iter.extent };
  const min = analyzer.simplify(interval.min);
  const extent = analyzer.simplify(add(sub(interval.max, interval.min), 1));
  if (constInt(extent) !== null) return { min, extent };
  const most = analyzer.bounds(extent).max;
  const whole = constInt(iter.extent);
  if (whole !== null && most >= whole) return { min: iter.min, extent: iter.extent };
  return most < dtypeBound(extent.dtype).max ? { min, extent: intImm(most, extent.dtype) } : { min, extent };
}
