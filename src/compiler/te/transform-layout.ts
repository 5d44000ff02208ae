// transform_layout: a tensor inside the schedule gets another shape, its computation and its readers follow.
// Serves packing, splitting a strided axis into phases, and computing more than is asked for so that tiles
// are whole. rfactor: part of a reduction axis becomes a data axis of a new stage (vector lanes of partial
// sums).
// TVM: python/tvm/te/schedule.py (transform_layout, rfactor), src/te/schedule/schedule_dataflow_rewrite.cc
import { invariant } from "../../support/assert.ts";
import { add, and, constInt, intImm, lt, mul, producerLoad, reduceNode, tirVar } from "../tir/build.ts";
import type { IterVar, PrimExpr, Reduce, StorageScope, TirVar } from "../tir/expr.ts";
import { mapList, substitute } from "../tir/visit.ts";
import { mapBodies, readElsewhere, replaceDataFlow, type Rewritable, type TensorMap } from "./cache.ts";
import { reduceAxis, remakeCompute } from "./compute.ts";
import { likely } from "./loop-nest.ts";
import { rootIters, stageState, type StageState } from "./stage.ts";
import type { ComputeOp, Tensor } from "./tensor.ts";

export interface LayoutTransform {
  readonly shape: readonly PrimExpr[];
  /** Where an element of the old tensor is in the new one. */
  readonly toNew: (indices: readonly PrimExpr[]) => readonly PrimExpr[];
  /**
   * Which element of the old computation an element of the new tensor is; may lie outside of the old shape
   * where nobody reads it.
   */
  readonly toOld: (indices: readonly PrimExpr[]) => readonly PrimExpr[];
}

/**
 * The stage's computation over the new shape; loads of its readers are redirected. Before any other primitive
 * on that stage.
 */
export function transformLayout(s: Rewritable, stage: StageState, transform: LayoutTransform): Tensor {
  const { op } = stage;
  invariant(op.kind === "compute" && op.outputs.length === 1, `${stage.label} is no compute of one tensor`);
  invariant(!stage.isOutput, `${stage.label} is an output: its shape is the interface`);
  invariant(
    stage.relations.length === 0,
    `transform_layout of ${stage.label} comes before its axes are split or fused`,
  );
  const axis: IterVar[] = transform.shape.map((extent, i) => ({
    kind: "data-par",
    variable: tirVar(`i${i}.t`, extent.dtype),
    min: intImm(0, extent.dtype),
    extent,
  }));
  const old = transform.toOld(axis.map((iter) => iter.variable));
  const vars = new Map<TirVar, PrimExpr>(op.axis.map((iter, i) => [iter.variable, old[i]!]));
  const made = remakeCompute(op, { axis, body: mapBodies(op.body, (expr) => substitute(expr, vars)) });
  const [before, after] = [op.outputs[0]!, made.outputs[0]!];
  resetStage(s, stage, made);
  replaceDataFlow(s.stages, new Map(), s.byOp, ({ op: reader }) => {
    if (reader.kind === "compute") return readElsewhere(reader, before, after, transform.toNew);
    invariant(
      reader.kind !== "extern" || !reader.inputs.includes(before),
      `${stage.label} is read by an extern, which fixes its shape`,
    );
    return reader;
  });
  return after;
}

function resetStage(s: Rewritable, stage: StageState, op: ComputeOp): void {
  stage.op = op;
  stage.allIters = [...rootIters(op)];
  stage.leafIters = [...stage.allIters];
  stage.attrs = new Map();
  s.byOp.set(op, stage);
}

/**
 * The last reduction axis in `lanes` interleaved parts: a new stage (in `scope`) with one more data axis,
 * last, sums every lanes-th element; the stage itself sums the parts. Returns the new stage's tensor.
 */
export function rfactor(s: Rewritable, stage: StageState, lanes: number, scope: StorageScope): Tensor {
  const { op } = stage;
  invariant(
    op.kind === "compute" && op.body.length === 1 && op.body[0]!.kind === "reduce",
    `${stage.label} is no reduction of one tensor`,
  );
  invariant(
    stage.relations.length === 0,
    `rfactor of ${stage.label} comes before its axes are split or fused`,
  );
  const reduce = op.body[0] as Reduce;
  const axis = reduce.axes.at(-1)!;
  const extent = constInt(axis.extent);
  invariant(
    extent !== null && constInt(axis.min) === 0,
    `rfactor needs a reduction axis of known extent, ${axis.variable.name} has none`,
  );
  const name = s.label(`${op.name}.rf`);
  const parts = reduceAxis(Math.ceil(extent / lanes), `${axis.variable.name}.o`);
  const lane: IterVar = {
    kind: "data-par",
    variable: tirVar(`${axis.variable.name}.i`, axis.variable.dtype),
    min: intImm(0, axis.variable.dtype),
    extent: intImm(lanes, axis.variable.dtype),
  };
  const data: IterVar[] = op.axis.map((iter) => ({
    ...iter,
    variable: tirVar(`${iter.variable.name}.rf`, iter.variable.dtype),
  }));
  const position = add(mul(parts.variable, lanes), lane.variable);
  const vars = new Map<TirVar, PrimExpr>([
    [axis.variable, position],
    ...op.axis.map((iter, i): [TirVar, PrimExpr] => [iter.variable, data[i]!.variable]),
  ]);
  const outer = reduce.axes.slice(0, -1);
  const condition = substitute(reduce.condition, vars);
  const partial = remakeCompute(op, {
    name,
    axis: [...data, lane],
    body: [
      reduceNode(
        reduce.combiner,
        mapList(reduce.sources, (source) => substitute(source, vars)),
        [...outer, parts],
        extent % lanes === 0 ? condition : and(condition, likely(lt(position, extent))),
        0,
      ),
    ],
  });
  const k = reduceAxis(lanes, "lane");
  const indices = [...op.axis.map((iter) => iter.variable), k.variable];
  const total = remakeCompute(op, {
    body: [
      reduceNode(
        reduce.combiner,
        [producerLoad(partial.outputs[0]!, indices)],
        [k],
        intImm(1, reduce.condition.dtype),
        0,
      ),
    ],
  });
  const changed: TensorMap = new Map([[op.outputs[0]!, total.outputs[0]!]]);
  resetStage(s, stage, total);
  replaceDataFlow(s.stages, changed, s.byOp);
  const state = stageState(partial, name, false);
  state.scope = scope;
  s.stages.splice(s.stages.indexOf(stage), 0, state);
  s.byOp.set(partial, state);
  return partial.outputs[0]!;
}
