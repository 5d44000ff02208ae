// The plain schedule of any fused group: what is injective is computed where it is read, reductions
// accumulate in local buffers, and outputs run over as few loops as their accesses allow. Recipes of anchors
// start from this and change what they know better.
// TVM: python/tvm/topi/generic/default.py, injective.py; the loop choices are ours.
import { at, first, get } from "../../support/assert.ts";
import { pushTo } from "../../support/push-to.ts";
import { constInt } from "../tir/build.ts";
import type { IterVar } from "../tir/expr.ts";
import type { RecipeContext } from "../te/schedule-recipe.ts";
import type { Schedule, Stage } from "../te/schedule.ts";
import { type ComputeOp, type Tensor, teTensor } from "../te/tensor.ts";
import {
  accessesOf,
  allWords,
  collapses,
  costOf,
  elementwiseOutput,
  inlinedOps,
  noteIndexSizes,
  spaceOf,
  unitStride,
  type AccessSummary,
  type Cost,
} from "./analysis.ts";

/** Lanes of a v128 of 4-byte numbers. */
const vectorLanes = 4;
/**
 * C compilers unroll reductions shorter than this by themselves, and then do better with one element at a
 * time.
 */
const shortReduction = 32;
/** Inlined bodies may grow to this many nodes before a part that is read more than once gets memory. */
const inlineLimit = 60;
/**
 * Inlined bodies may grow this high; what is below gets memory: a chain of 10,000 calls in one group is a row
 * of expressions, and everything that walks expressions may recurse (tir/visit.ts).
 */
const heightLimit = 400;
/**
 * The indices of a read may grow to this many nodes in all; what is read there gets memory. Each reshape puts
 * every index that came before into every index that it makes, so a row of reshapes and transposes doubles
 * them again and again.
 */
const indexLimit = 400;

interface GroupPlan {
  /** Stages that must not be inlined (a padded input that is read many times). */
  readonly keep?: ReadonlySet<Stage>;
  /**
   * Schedules `stage` with the accumulators that it reads element by element, if it can do better than the
   * plain loops; else false.
   */
  readonly accumulate?: (stage: Stage, inner: readonly Stage[]) => boolean;
}

const isReduction = (stage: Stage): boolean => stage.op.kind === "compute" && stage.op.reduceAxis.length > 0;

/** Schedules every stage of the group. */
export function scheduleGroup(schedule: Schedule, cx: RecipeContext, plan: GroupPlan = {}): void {
  const shared = inlineInjective(schedule, plan.keep ?? new Set());
  const attached = new Map<Stage, Stage[]>();
  for (const stage of schedule.stages) {
    if (!isReduction(stage) && !shared.has(stage)) continue;
    const output = stage.isOutput ? null : (shared.get(stage) ?? elementwiseOutput(schedule, stage, shared));
    if (output !== null) pushTo(attached, output, stage);
    else if (isReduction(stage)) pushTo(attached, stage, cachedReduction(schedule, stage));
  }
  // What is inlined where is decided by now.
  const ops = inlinedOps(schedule);
  for (const stage of schedule.stages) {
    if (stage.op.kind !== "compute" || stage.state.attach.kind !== "root" || shared.has(stage)) continue;
    const inner = attached.get(stage);
    if (inner !== undefined) {
      if (plan.accumulate?.(stage, inner) !== true) scheduleWithAccumulators(ops, stage, inner, cx);
    } else if (!isReduction(stage)) scheduleInjective(ops(stage), stage, cx);
  }
}

/**
 * Marks single-output computes without reduction as inline, except outputs, `keep`, what an extern reads,
 * what would be computed again and again at some cost, and what would make the body that reads it too high.
 * Those of the last two kinds that only one output reads, element by element, get a local buffer: they are
 * returned, with their output.
 */
export function inlineInjective(schedule: Schedule, keep: ReadonlySet<Stage>): ReadonlyMap<Stage, Stage> {
  const shared = new Map<Stage, Stage>();
  const costs = new Map<Stage, Cost>();
  for (const stage of schedule.stages) if (stage.op.kind === "compute") costs.set(stage, costOf(stage.op));
  const nodes = inlinedNodes(schedule, costs);
  /** Elements of each tensor that what is decided about reads: all its readers when its turn comes. */
  const readsOf = new Map<Tensor, number>();
  /** Height of the body that a stage ends in, from its root down to the end of the stage's own body. */
  const depths = new Map<Stage, number>();
  /**
   * Of each tensor read by what is decided about: the longest indices that it is read at, once all is
   * inlined.
   */
  const indices = new Map<Tensor, number[]>();
  for (const stage of [...schedule.stages].reverse()) {
    const { op } = stage;
    if (op.kind !== "compute") continue;
    const own = spaceOf(op) ?? 1;
    const cost = costs.get(stage)!;
    depths.set(stage, cost.height);
    const tensor = first(op.outputs, "output");
    const free = mayBeInlined(schedule, stage, keep);
    const readers = free ? schedule.readers(stage) : [];
    const ifInlined = readsOf.get(tensor) ?? 0;
    const dear = cost.dear || get(nodes, stage, "node count of a stage") > inlineLimit;
    const depth = cost.height + readers.reduce((most, reader) => Math.max(most, depths.get(reader) ?? 0), 0);
    const readAt = indices.get(tensor) ?? op.axis.map(() => 1);
    const fits = depth <= heightLimit && readAt.reduce((sum, size) => sum + size, 0) <= indexLimit;
    const inline = free && fits && (!dear || ifInlined < 2 * own);
    if (inline) {
      stage.computeInline();
      depths.set(stage, depth);
    } else if (free) {
      const output = elementwiseOutput(schedule, stage, shared);
      if (output !== null) shared.set(stage, output);
    }
    const visits = inline ? ifInlined : own;
    for (const { producer } of cost.reads) {
      const read = teTensor(producer);
      readsOf.set(read, (readsOf.get(read) ?? 0) + visits);
    }
    noteIndexSizes(op, cost.reads, inline ? readAt : op.axis.map(() => 1), indices);
  }
  return shared;
}

/** Whether nothing but cost speaks against computing the stage where it is read. */
function mayBeInlined(schedule: Schedule, stage: Stage, keep: ReadonlySet<Stage>): boolean {
  return (
    stage.op.kind === "compute" &&
    stage.op.body.length === 1 &&
    !stage.isOutput &&
    !isReduction(stage) &&
    !keep.has(stage) &&
    schedule.readers(stage).every((reader) => reader.op.kind !== "extern")
  );
}

/** Size of each stage's body if everything that can be inlined were. */
function inlinedNodes(schedule: Schedule, costs: ReadonlyMap<Stage, Cost>): ReadonlyMap<Stage, number> {
  const nodes = new Map<Stage, number>();
  for (const [stage, cost] of costs) {
    let total = cost.nodes;
    for (const { producer } of cost.reads) {
      const read = schedule.stage(teTensor(producer));
      if (!isReduction(read)) total += nodes.get(read) ?? 0;
    }
    nodes.set(stage, total);
  }
  return nodes;
}

/** The reduction computes into a local copy; its own stage only stores the result. */
function cachedReduction(schedule: Schedule, stage: Stage): Stage {
  return schedule.stage(schedule.cacheWrite(at(stage.op.outputs, 0, "output"), "local"));
}

/**
 * Loops of a stage without reduction: neighbouring axes become one where no access minds, the innermost gets
 * vectors on wasm.
 */
function scheduleInjective(op: ComputeOp | null, stage: Stage, cx: RecipeContext): void {
  if (op === null || stage.axis.length === 0) return;
  const summary = accessesOf(op);
  const { axes, innermost } = collapsing(stage.axis, summary);
  const loop = stage.fuse(...axes);
  if (
    cx.target === "wasm" &&
    innermost !== null &&
    unitStride(summary, innermost.variable) &&
    (constInt(loop.extent) ?? 0) >= vectorLanes &&
    allWords(op)
  ) {
    const [, lanes] = stage.split(loop, { factor: vectorLanes });
    stage.vectorize(lanes);
  }
}

/** The last axes that can be one loop, at least one; and the innermost of them that is longer than 1. */
function collapsing(
  all: readonly IterVar[],
  summary: AccessSummary,
): { readonly axes: readonly IterVar[]; readonly innermost: IterVar | null } {
  let innermost: IterVar | null = null;
  /** The last axis taken that is longer than 1. */
  let inside: IterVar | null = null;
  let start = all.length;
  while (start > 0) {
    const outer = at(all, start - 1, "loop of the stage");
    const extent = constInt(outer.extent);
    if (extent !== 1 && inside !== null) {
      const insideExtent = constInt(inside.extent);
      if (
        extent === null ||
        insideExtent === null ||
        !collapses(summary, outer.variable, inside.variable, insideExtent)
      )
        break;
    }
    start--;
    if (extent === 1) continue;
    inside = outer;
    innermost ??= outer;
  }
  return { axes: all.slice(start), innermost };
}

/**
 * Loops of `stage` around the stages that it reads element by element (reductions that accumulate, values
 * used more than once): they are computed for one element, or for a row of a few along the last axis where
 * their accesses allow it: one vector on wasm, a constant inner loop on c, which C compilers turn into
 * vectors.
 */
function scheduleWithAccumulators(
  opOf: (stage: Stage) => ComputeOp | null,
  stage: Stage,
  inner: readonly Stage[],
  cx: RecipeContext,
): void {
  const ops = [stage, ...inner].map(opOf);
  const last = stage.axis.at(-1);
  const lastDim = stage.axis.length - 1;
  const worthwhile =
    cx.target === "wasm" || inner.some((producer) => reductionSize(producer) >= shortReduction);
  const length = last === undefined || !worthwhile ? 1 : rowLength(constInt(last.extent) ?? 0, cx.target);
  const row =
    length > 1 &&
    ops.every(
      (op) =>
        op !== null &&
        allWords(op) &&
        op.body.length === 1 &&
        unitStride(accessesOf(op), at(op.axis, lastDim, "loop of the stage").variable),
    );
  const mark = (of: Stage, iter: IterVar): void => {
    if (cx.target === "wasm") of.vectorize(iter);
  };
  let loop: IterVar;
  if (row) {
    const [outer, lanes] = stage.split(last!, { factor: length });
    mark(stage, lanes);
    loop = outer;
  } else loop = last ?? stage.fuse();
  for (const producer of inner) {
    producer.setScope("local");
    producer.computeAt(stage, loop);
    if (!row) continue;
    const lanes = at(producer.axis, lastDim, "loop of the producer");
    producer.reorder(...producer.axis.slice(0, -1), ...producer.reduceAxis, lanes);
    mark(producer, lanes);
  }
}

function reductionSize(stage: Stage): number {
  return stage.reduceAxis.reduce((n, iter) => n * (constInt(iter.extent) ?? 1), 1);
}

/**
 * Elements of a row computed together; 1 where there is no good number. On c it divides the axis, so that
 * there is no tail.
 */
function rowLength(extent: number, target: RecipeContext["target"]): number {
  if (target === "wasm") return extent >= vectorLanes ? vectorLanes : 1;
  return [16, 8, 12, 14, 10, 15, 13, 11, 9, 7, 6, 5, 4].find((length) => extent % length === 0) ?? 1;
}
