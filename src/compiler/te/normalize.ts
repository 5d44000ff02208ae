// What happens to a schedule before bounds are inferred: a copy is taken, inlined stages go, loops are
// rebased to start at 0, and attach points that were split or fused later are moved to the loop that took
// their place.
// TVM: src/te/schedule/schedule_dataflow_rewrite.cc (normalize, RebaseNonZeroMinLoop, LegalizeInvalidAttach)
import { intImm, tirVar } from "../tir/build.ts";
import type { IterVar } from "../tir/expr.ts";
import { replaceDataFlow, type TensorMap } from "./cache.ts";
import { injectInline } from "./inline.ts";
import type { Schedule } from "./schedule.ts";
import { rootIters, stageState, type StageState } from "./stage.ts";
import type { Tensor } from "./tensor.ts";

interface Normalized {
  /** Producers before consumers, without inlined ones. */
  readonly stages: readonly StageState[];
  /** The copy of each of the schedule's stages. */
  readonly copyOf: ReadonlyMap<StageState, StageState>;
}

/** `given`: stages whose tensor is not computed here but comes from outside, as that placeholder. */
export function normalize(
  schedule: Schedule,
  given: ReadonlyMap<StageState, Tensor> = new Map(),
): Normalized {
  const copyOf = new Map<StageState, StageState>();
  for (const { state } of schedule.stages) copyOf.set(state, copyStage(state));
  for (const [state, placeholder] of given) takeFromOutside(copyOf, state, placeholder);
  for (const copy of copyOf.values()) {
    if (copy.attach.kind === "scope") copy.attach = { ...copy.attach, stage: copyOf.get(copy.attach.stage)! };
  }
  const stages = injectInline([...copyOf.values()]);
  const rebased = rebaseLoops(stages);
  for (const stage of stages) legalizeAttach(stage, rebased);
  return { stages, copyOf };
}

function takeFromOutside(
  copyOf: ReadonlyMap<StageState, StageState>,
  state: StageState,
  placeholder: Tensor,
): void {
  const stages = [...copyOf.values()];
  const copy = copyOf.get(state)!;
  const tensors: TensorMap = new Map([[copy.op.outputs[0]!, placeholder]]);
  Object.assign(copy, stageState(placeholder.op, copy.label, false));
  replaceDataFlow(stages, tensors);
}

function copyStage(state: StageState): StageState {
  return {
    ...state,
    allIters: [...state.allIters],
    leafIters: [...state.leafIters],
    relations: [...state.relations],
    attrs: new Map(state.attrs),
  };
}

/**
 * Every loop over a root axis runs from 0: the axis itself may start elsewhere once only a region is
 * computed.
 */
function rebaseLoops(stages: readonly StageState[]): ReadonlyMap<IterVar, IterVar> {
  const rebased = new Map<IterVar, IterVar>();
  for (const stage of stages) {
    for (const root of rootIters(stage.op)) {
      const at = stage.leafIters.indexOf(root);
      if (at < 0) continue;
      const loop: IterVar = {
        ...root,
        variable: tirVar(root.variable.name, root.variable.dtype),
        min: intImm(0, root.variable.dtype),
      };
      stage.relations.push({ kind: "rebase", parent: root, rebased: loop });
      stage.allIters.push(loop);
      stage.leafIters[at] = loop;
      const attr = stage.attrs.get(root);
      if (attr !== undefined) stage.attrs.set(loop, attr);
      rebased.set(root, loop);
    }
  }
  return rebased;
}

function legalizeAttach(stage: StageState, rebased: ReadonlyMap<IterVar, IterVar>): void {
  if (stage.attach.kind !== "scope") return;
  const parent = stage.attach.stage;
  let iter = stage.attach.iter;
  for (let moved = true; moved && !parent.leafIters.includes(iter);) {
    moved = false;
    for (const relation of parent.relations) {
      if (relation.kind === "split" && relation.parent === iter) iter = relation.inner;
      else if (relation.kind === "fuse" && relation.inner === iter) iter = relation.fused;
      else if (relation.kind === "rebase" && relation.parent === iter) iter = rebased.get(iter)!;
      else continue;
      moved = true;
    }
  }
  stage.attach = { ...stage.attach, iter };
}
