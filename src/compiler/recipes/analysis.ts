// What recipes ask about a group before they choose loops: how elements are read, what an element costs, who
// reads whom.
import { at } from "../../support/assert.ts";
import { createAnalyzer } from "../arith/analyzer.ts";
import { add, constInt, intImm, mul } from "../tir/build.ts";
import type { PrimExpr, ProducerLoad, TirVar } from "../tir/expr.ts";
import { children, substitute, usesVar, visitExpr } from "../tir/visit.ts";
import { normalize } from "../te/normalize.ts";
import type { Schedule, Stage } from "../te/schedule.ts";
import { type ComputeOp, type Tensor, teTensor } from "../te/tensor.ts";

/** Reads of the element at the given axes by one access. */
interface Access {
  readonly tensor: Tensor;
  /**
   * Elements by which the flat position moves when an axis moves by one; null where that is not constant.
   * Axes of extent 1 have 0.
   */
  readonly strides: ReadonlyMap<TirVar, number | null>;
}

export interface AccessSummary {
  readonly accesses: readonly Access[];
  /** Axes used otherwise than in the indices of an access: conditions, values made from positions. */
  readonly otherUses: ReadonlySet<TirVar>;
}

/**
 * Operations of stages once everything marked inline is inlined: of all stages at the price of one, made when
 * the first is asked for and again for a stage that came later. null for what computes nothing.
 */
export function inlinedOps(schedule: Schedule): (stage: Stage) => ComputeOp | null {
  let copies: ReturnType<typeof normalize>["copyOf"] = new Map();
  return (stage) => {
    if (!copies.has(stage.state)) copies = normalize(schedule).copyOf;
    const op = copies.get(stage.state)?.op;
    return op?.kind === "compute" ? op : null;
  };
}

export function accessesOf(op: ComputeOp): AccessSummary {
  const analyzer = createAnalyzer();
  const axes = [...op.axis, ...op.reduceAxis];
  const unit = new Map<TirVar, PrimExpr>();
  for (const iter of axes) {
    if (constInt(iter.extent) === 1) unit.set(iter.variable, iter.min);
    else analyzer.bind(iter.variable, iter.min, iter.extent);
  }
  const accesses: Access[] = [];
  const otherUses = new Set<TirVar>();
  const visit = (expr: PrimExpr): boolean => {
    if (expr.kind === "tir-var") otherUses.add(expr);
    if (expr.kind !== "producer-load") return true;
    const tensor = teTensor(expr.producer);
    const flat = expr.indices.reduce<PrimExpr>(
      (sum, index, dim) => add(mul(sum, at(tensor.shape, dim, "axis of the tensor read")), index),
      intImm(0),
    );
    const form = analyzer.linear(substitute(flat, unit));
    const strides = new Map<TirVar, number | null>();
    for (const { variable } of axes) strides.set(variable, 0);
    for (const { atom, coef } of form.terms.values()) {
      if (atom.kind === "tir-var") strides.set(atom, strides.get(atom) === null ? null : coef);
      else
        for (const { variable } of axes)
          if (usesVar(atom, (v) => v === variable)) strides.set(variable, null);
    }
    accesses.push({ tensor, strides });
    // Indices that read tensors themselves (take) have accesses of their own.
    for (const index of expr.indices)
      visitExpr(index, (part) => (part.kind === "producer-load" ? visit(part) : true));
    return false;
  };
  for (const body of op.body) visitExpr(substitute(body, unit), visit);
  return { accesses, otherUses };
}

/**
 * Whether axes `outer` and `inner` (neighbours, `extent` of the inner one) can be one loop without divisions
 * in the indices.
 */
export function collapses(summary: AccessSummary, outer: TirVar, inner: TirVar, extent: number): boolean {
  if (summary.otherUses.has(outer) || summary.otherUses.has(inner)) return false;
  return summary.accesses.every(({ strides }) => {
    const a = strides.get(outer) ?? 0;
    const b = strides.get(inner) ?? 0;
    return strides.get(outer) !== null && strides.get(inner) !== null && a === b * extent;
  });
}

/**
 * Whether every access moves by 0 or 1 elements along `axis`, so that lanes are loads of neighbours or
 * broadcasts.
 */
export function unitStride(summary: AccessSummary, axis: TirVar): boolean {
  return (
    !summary.otherUses.has(axis) &&
    summary.accesses.every(({ strides }) => strides.get(axis) === 0 || strides.get(axis) === 1)
  );
}

/** Whether all of `op` happens in 4-byte numbers, which is what vectors of 4 lanes hold. */
export function allWords(op: ComputeOp): boolean {
  const word = (expr: PrimExpr): boolean =>
    (expr.dtype.bits === 32 && expr.dtype.code !== "handle") || expr.dtype.code === "bool";
  let ok = op.outputs.every((tensor) => tensor.dtype.bits === 32);
  for (const body of op.body) {
    visitExpr(body, (expr) => {
      if (expr.kind === "producer-load") {
        if (expr.dtype.bits !== 32) ok = false;
        return false;
      }
      // A value that only one lane may compute cannot be computed in all.
      if (expr.kind === "tir-call" && (expr.op === "tir.if_then_else" || expr.op === "tir.call_extern"))
        ok = false;
      if (!word(expr)) ok = false;
      return true;
    });
  }
  return ok;
}

const cheapCalls: ReadonlySet<string> = new Set([
  "tir.if_then_else",
  "tir.likely",
  "tir.fabs",
  "tir.floor",
  "tir.ceil",
  "tir.trunc",
  "tir.sqrt",
]);

/** What one element of an operation takes, its own bodies alone. */
export interface Cost {
  readonly nodes: number;
  /** Of the highest body; a leaf has 1. */
  readonly height: number;
  /** Whether an intrinsic that costs much more than an addition is among the nodes. */
  readonly dear: boolean;
  /** Every read of a tensor, those in the indices of another read included. */
  readonly reads: readonly ProducerLoad[];
}

export function costOf(op: ComputeOp): Cost {
  let nodes = 0;
  let dear = false;
  const reads: ProducerLoad[] = [];
  const walk = (expr: PrimExpr): number => {
    nodes++;
    if (expr.kind === "tir-call" && !cheapCalls.has(expr.op)) dear = true;
    if (expr.kind === "producer-load") reads.push(expr);
    let below = 0;
    for (const child of children(expr)) below = Math.max(below, walk(child));
    return below + 1;
  };
  const height = op.body.reduce((most, body) => Math.max(most, walk(body)), 0);
  return { nodes, height, dear, reads };
}

/**
 * Grows `longest`, the nodes of the longest index at which each tensor is read, by dimension, by the reads of
 * `reader`, if each of its own data axes stands for an index of `sizes` nodes. An axis of extent 1 is a
 * constant.
 */
export function noteIndexSizes(
  reader: ComputeOp,
  reads: readonly ProducerLoad[],
  sizes: readonly number[],
  longest: Map<Tensor, number[]>,
): void {
  const sizeOf = new Map(
    reader.axis.map((iter, i) => [
      iter.variable,
      constInt(iter.extent) === 1 ? 1 : at(sizes, i, "size of an index"),
    ]),
  );
  const sizeIn = (index: PrimExpr): number => {
    if (index.kind === "tir-var") return sizeOf.get(index) ?? 1;
    let nodes = 1;
    for (const child of children(index)) nodes += sizeIn(child);
    return nodes;
  };
  for (const { producer, indices } of reads) {
    const tensor = teTensor(producer);
    const before = longest.get(tensor);
    longest.set(
      tensor,
      indices.map((index, dim) => Math.max(before?.[dim] ?? 0, sizeIn(index))),
    );
  }
}

/**
 * Elements that the operation visits: data axes times reduction axes; null where an extent is not constant.
 */
export function spaceOf(op: ComputeOp): number | null {
  let size = 1;
  for (const iter of [...op.axis, ...op.reduceAxis]) {
    const extent = constInt(iter.extent);
    if (extent === null) return null;
    size *= extent;
  }
  return size;
}

/**
 * The output that reads `stage` only element by element: on every way from the stage to an output, each read
 * is at the reader's own axes, and what is on the way is inlined or in `local` (computed with an element of
 * the output that stands there). null if there is another kind of read, several outputs, or the stage's shape
 * is not the output's.
 */
export function elementwiseOutput(
  schedule: Schedule,
  stage: Stage,
  local: ReadonlyMap<Stage, Stage> = new Map(),
): Stage | null {
  let output: Stage | null = null;
  const seen = new Set<Stage>([stage]);
  const queue: Stage[] = [stage];
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const tensors = new Set<Tensor>(place.op.outputs);
    for (const reader of schedule.readers(place)) {
      if (
        reader.op.kind !== "compute" ||
        reader.op.reduceAxis.length > 0 ||
        !readsOwnElement(reader.op, tensors)
      )
        return null;
      const end = reader.isOutput ? reader : local.get(reader);
      if (end !== undefined) {
        if ((output !== null && output !== end) || schedule.readers(end).length > 0) return null;
        output = end;
      } else if (reader.state.attach.kind !== "inline") return null;
      else if (!seen.has(reader)) {
        seen.add(reader);
        queue.push(reader);
      }
    }
  }
  return output;
}

const knownOwnReads = new WeakMap<ComputeOp, ReadonlyMap<Tensor, boolean>>();

/** Whether every read of one of `tensors` is at the reader's own axes, in the same shape. */
function readsOwnElement(reader: ComputeOp, tensors: ReadonlySet<Tensor>): boolean {
  let own = knownOwnReads.get(reader);
  if (own === undefined) {
    own = ownReads(reader);
    knownOwnReads.set(reader, own);
  }
  for (const tensor of tensors) if (own.get(tensor) === false) return false;
  return true;
}

function ownReads(reader: ComputeOp): ReadonlyMap<Tensor, boolean> {
  const own = new Map<Tensor, boolean>();
  for (const body of reader.body) {
    visitExpr(body, (expr) => {
      if (expr.kind !== "producer-load") return;
      const { shape } = expr.producer;
      const here =
        expr.indices.length === reader.axis.length &&
        expr.indices.every((index, dim) => {
          const iter = at(reader.axis, dim, "loop of the reader");
          return (
            index === iter.variable &&
            constInt(at(shape, dim, "axis of the tensor read")) !== null &&
            constInt(at(shape, dim, "axis of the tensor read")) === constInt(iter.extent)
          );
        });
      const tensor = teTensor(expr.producer);
      own.set(tensor, here && own.get(tensor) !== false);
    });
  }
  return own;
}
