// cache_read and cache_write: new stages that copy a tensor, and the data flow rewritten to pass through
// them.
// TVM: src/te/schedule/schedule_dataflow_rewrite.cc.  Left out: relayout by an already split stage (cache
// before splitting).
import { invariant } from "../../support/assert.ts";
import { producerLoad, reduceNode, tirVar } from "../tir/build.ts";
import type { IterVar, PrimExpr, Reduce, StorageScope, TirVar } from "../tir/expr.ts";
import { mapExpr, mapList, substitute } from "../tir/visit.ts";
import { compute, remakeCompute, remakeExtern } from "./compute.ts";
import { rootIters, stageState, type StageState } from "./stage.ts";
import { type ComputeOp, type Operation, type Tensor, teTensor } from "./tensor.ts";

/** The part of a schedule that a rewrite changes. */
export interface Rewritable {
  /** Producers before consumers. */
  readonly stages: StageState[];
  /** Every operation that a stage ever had. */
  readonly byOp: Map<Operation, StageState>;
  readonly label: (name: string) => string;
}

export type TensorMap = Map<Tensor, Tensor>;

/** `op` reading other tensors; `op` itself if it reads none of them. Reduces of one op stay alike. */
export function replaceInputs(op: Operation, tensors: ReadonlyMap<Tensor, Tensor>): Operation {
  if (op.kind === "placeholder") return op;
  if (op.kind === "extern") {
    const inputs = mapList(op.inputs, (tensor) => tensors.get(tensor) ?? tensor);
    return inputs === op.inputs ? op : remakeExtern(op, inputs);
  }
  const body = mapBodies(op.body, (expr) =>
    mapExpr(expr, (e) => {
      if (e.kind !== "producer-load") return e;
      const other = tensors.get(teTensor(e.producer));
      return other === undefined ? e : producerLoad(other, e.indices);
    }),
  );
  return body === op.body ? op : remakeCompute(op, { body });
}

/** `op` reading `to` at `find(indices)` where it read `from` at `indices`; `op` itself where it did not. */
export function readElsewhere(
  op: ComputeOp,
  from: Tensor,
  to: Tensor,
  find: (indices: readonly PrimExpr[]) => readonly PrimExpr[],
): ComputeOp {
  const body = mapBodies(op.body, (expr) =>
    mapExpr(expr, (e) =>
      e.kind === "producer-load" && e.producer === from ? producerLoad(to, find(e.indices)) : e,
    ),
  );
  return body === op.body ? op : remakeCompute(op, { body });
}

/**
 * Maps the bodies of one operation; the Reduces of several outputs keep sharing sources, axes and condition.
 */
export function mapBodies(bodies: readonly PrimExpr[], f: (expr: PrimExpr) => PrimExpr): readonly PrimExpr[] {
  const first = bodies[0]!;
  if (first.kind !== "reduce") return mapList(bodies, f);
  const mapped = f(first);
  if (mapped === first) return bodies;
  invariant(mapped.kind === "reduce", "a reduction stays a reduction");
  return bodies.map((body) =>
    reduceNode(mapped.combiner, mapped.sources, mapped.axes, mapped.condition, (body as Reduce).valueIndex),
  );
}

/**
 * Hands the change of tensors on through all stages, producers first: an op that changed has new outputs,
 * which change its readers. `change` gives a stage's own new op (its op where it has none). Both happen to a
 * stage in one step, so that what it was before leads to what it is in the end, and not to something between
 * them, for those who read it.
 */
export function replaceDataFlow(
  stages: readonly StageState[],
  tensors: TensorMap,
  byOp?: Map<Operation, StageState>,
  change: (stage: StageState) => Operation = (stage) => stage.op,
): void {
  for (const stage of stages) {
    const op = replaceInputs(change(stage), tensors);
    if (op === stage.op) continue;
    stage.op.outputs.forEach((old, i) => tensors.set(old, op.outputs[i]!));
    stage.op = op;
    byOp?.set(op, stage);
  }
}

export function cacheRead(
  s: Rewritable,
  tensor: Tensor,
  scope: StorageScope,
  readers: readonly StageState[],
): Tensor {
  const source = s.byOp.get(tensor.op);
  invariant(source !== undefined, `${tensor.name} is not part of this schedule`);
  const current = source.op.outputs[tensor.valueIndex]!;
  const name = s.label(`${current.name}.${scope}`);
  const cache = compute(current.shape, (i) => producerLoad(current, i), { name, origin: source.op.origin });
  const swap: TensorMap = new Map([[current, cache]]);
  const readsCache = new Set(readers);
  replaceDataFlow(s.stages, new Map(), s.byOp, (stage) => {
    if (!readsCache.has(stage)) return stage.op;
    const op = replaceInputs(stage.op, swap);
    invariant(op !== stage.op, `${stage.label} does not read ${tensor.name}`);
    return op;
  });
  const state = stageState(cache.op, name, false);
  state.scope = scope;
  s.stages.splice(s.stages.indexOf(source) + 1, 0, state);
  s.byOp.set(cache.op, state);
  return cache;
}

/** How a tensor is laid out anew for its readers. */
export interface Repacking {
  readonly name: string;
  readonly shape: readonly (PrimExpr | number)[];
  /**
   * Element `indices` of the new tensor, read from `source`; a constant where the new tensor sticks out of
   * the old one.
   */
  readonly pack: (source: Tensor, indices: readonly PrimExpr[]) => PrimExpr;
  /** Where the element that was at `indices` of the old tensor is in the new one. */
  readonly find: (indices: readonly PrimExpr[]) => readonly PrimExpr[];
}

/** A stage that holds `tensor` in another layout; `readers` read that instead. */
export function repack(
  s: Rewritable,
  tensor: Tensor,
  readers: readonly StageState[],
  how: Repacking,
): Tensor {
  const source = s.byOp.get(tensor.op);
  invariant(source !== undefined, `${tensor.name} is not part of this schedule`);
  const current = source.op.outputs[tensor.valueIndex]!;
  const name = s.label(how.name);
  const packed = compute(how.shape, (i) => how.pack(current, i), { name, origin: source.op.origin });
  const readsPacked = new Set(readers);
  replaceDataFlow(s.stages, new Map(), s.byOp, (stage) => {
    const { op, label } = stage;
    if (!readsPacked.has(stage)) return op;
    invariant(op.kind === "compute", `${label} is no compute: it cannot read another layout`);
    const made = readElsewhere(op, current, packed, how.find);
    invariant(made !== op, `${label} does not read ${tensor.name}`);
    return made;
  });
  const state = stageState(packed.op, name, false);
  s.stages.splice(s.stages.indexOf(source) + 1, 0, state);
  s.byOp.set(packed.op, state);
  return packed;
}

export function cacheWrite(s: Rewritable, stage: StageState, scope: StorageScope): readonly Tensor[] {
  const { op } = stage;
  invariant(op.kind === "compute", `${stage.label} is no compute: there is nothing to cache`);
  invariant(
    stage.relations.length === 0,
    `cache_write of ${stage.label} comes before its axes are split or fused`,
  );
  const name = s.label(`${op.name}.${scope}`);
  const axis: IterVar[] = op.axis.map((iter) => ({
    ...iter,
    variable: tirVar(`${iter.variable.name}.c`, iter.variable.dtype),
  }));
  const vars = new Map<TirVar, PrimExpr>(op.axis.map((iter, i) => [iter.variable, axis[i]!.variable]));
  const cacheOp = remakeCompute(op, {
    name,
    axis,
    body: mapBodies(op.body, (expr) => substitute(expr, vars)),
  });
  const indices = op.axis.map((iter) => iter.variable);
  const copy = remakeCompute(op, { body: cacheOp.outputs.map((tensor) => producerLoad(tensor, indices)) });
  const changed: TensorMap = new Map();
  op.outputs.forEach((old, i) => changed.set(old, copy.outputs[i]!));
  replaceDataFlow(s.stages, changed, s.byOp);
  stage.op = copy;
  stage.allIters = [...rootIters(copy)];
  stage.leafIters = [...stage.allIters];
  stage.attrs = new Map();
  s.byOp.set(copy, stage);
  const state = stageState(cacheOp, name, false);
  state.scope = scope;
  s.stages.splice(s.stages.indexOf(stage), 0, state);
  s.byOp.set(cacheOp, state);
  return cacheOp.outputs;
}
