// Inlining: where a stage is marked compute_inline, its body takes the place of every read of it.
// TVM: src/te/schedule/operation_inline.cc, schedule_dataflow_rewrite.cc (InjectInline)
import { invariant } from "../../support/assert.ts";
import { mergeOrigins, type Origin } from "../ir/origin.ts";
import { cast, producerLoad } from "../tir/build.ts";
import type { PrimExpr, TirVar } from "../tir/expr.ts";
import { mapExpr, substitute } from "../tir/visit.ts";
import { mapBodies, replaceInputs } from "./cache.ts";
import { remakeCompute } from "./compute.ts";
import type { StageState } from "./stage.ts";
import { type ComputeOp, type Operation, type Tensor, teTensor } from "./tensor.ts";

/**
 * Rewrites the readers of inlined stages, in one pass; returns the stages that are left. `stages` are copies,
 * producers first.
 */
export function injectInline(stages: readonly StageState[]): readonly StageState[] {
  const renamed = new Map<Tensor, Tensor>();
  const inlined = new Map<Tensor, ComputeOp>();
  for (const stage of stages) {
    const before = stage.op;
    stage.op = inlineInto(stage, renamed, inlined);
    if (stage.attach.kind === "inline") {
      const { op } = stage;
      invariant(
        op.kind === "compute" && op.body.length === 1 && op.body[0]!.kind !== "reduce",
        `${stage.label} cannot be inlined`,
      );
      inlined.set(before.outputs[0]!, op);
    } else if (stage.op !== before)
      before.outputs.forEach((old, i) => renamed.set(old, stage.op.outputs[i]!));
  }
  return stages.filter((stage) => stage.attach.kind !== "inline");
}

function inlineInto(
  stage: StageState,
  renamed: ReadonlyMap<Tensor, Tensor>,
  inlined: ReadonlyMap<Tensor, ComputeOp>,
): Operation {
  const { op } = stage;
  if (op.kind === "placeholder") return op;
  if (op.kind === "extern") {
    for (const tensor of op.inputs)
      invariant(
        !inlined.has(tensor),
        `${stage.label} is no compute, so ${tensor.name} cannot be inlined into it`,
      );
    return replaceInputs(op, renamed);
  }
  const origins: Origin[] = [op.origin];
  const body = mapBodies(op.body, (expr) =>
    mapExpr(expr, (e) => {
      if (e.kind !== "producer-load") return e;
      const producer = inlined.get(teTensor(e.producer));
      if (producer === undefined) {
        const other = renamed.get(teTensor(e.producer));
        return other === undefined ? e : producerLoad(other, e.indices);
      }
      origins.push(producer.origin);
      return inlinedBody(producer, e.indices);
    }),
  );
  return body === op.body ? op : remakeCompute(op, { body, origin: mergeOrigins(origins) });
}

/** The producer's element at `indices`. */
function inlinedBody(producer: ComputeOp, indices: readonly PrimExpr[]): PrimExpr {
  const values = new Map<TirVar, PrimExpr>(
    producer.axis.map((axis, i) => [axis.variable, cast(indices[i]!, axis.variable.dtype)]),
  );
  return substitute(producer.body[0]!, values);
}
