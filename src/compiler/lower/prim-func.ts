// From the parts of a primitive function to its PrimFunc: tensors, the anchor's schedule, loops, TIR passes.
// TVM: src/relay/backend/te_compiler_cache.cc (ScheduleBuilder::Create), src/driver/driver_api.cc
// (LowerSchedule)
import type { PassContext } from "../ir/pass.ts";
import type { Func } from "../relay/expr.ts";
import { lowerSchedule } from "../te/lower.ts";
import { createSchedule, type Schedule, type Stage } from "../te/schedule.ts";
import type { Tensor } from "../te/tensor.ts";
import { constInt } from "../tir/build.ts";
import { runLowerPasses } from "../tir/passes/pipeline.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import { injective } from "../recipes/injective.ts";
import { checkStatic, type PrimitiveParts } from "./primitive.ts";
import { primitiveTensors, type PrimitiveTensors } from "./tensors.ts";

/** A primitive function with its schedule made, before any loop is. */
interface ScheduledPrimitive {
  readonly tensors: PrimitiveTensors;
  readonly schedule: Schedule;
}

/**
 * The schedule of `func` by its anchor operator's recipe; without one, each tensor is computed in full, row
 * by row.
 */
export function schedulePrimitive(
  func: Func,
  parts: PrimitiveParts,
  target: "c" | "wasm",
): ScheduledPrimitive {
  checkStatic(func, parts);
  const tensors = primitiveTensors(func, parts, target);
  const computed: readonly Tensor[] = [
    ...new Set(tensors.outputs.filter((tensor) => tensor.op.kind !== "placeholder")),
  ];
  const schedule = createSchedule(computed);
  const scalars = schedule.stages.filter((stage) => tensors.scalars.includes(stage.op) && !stage.isOutput);
  // Operators such as isnan of integers do not read what they are given: then the anchor is not computed. Of
  // nothing there are no tiles either.
  const ops = new Set(schedule.stages.map(({ op }) => op));
  const isAnchored = tensors.anchor.every(({ op }) => ops.has(op)) && !schedule.stages.some(isEmpty);
  const recipe = isAnchored ? parts.anchor.op.schedule : injective;
  recipe?.(schedule, computed, { target, anchor: tensors.anchor });
  for (const stage of scalars) stage.computeInline();
  return { tensors, schedule };
}

/** Whether a loop of the stage runs over nothing. */
function isEmpty({ op }: Stage): boolean {
  return op.kind === "compute" && [...op.axis, ...op.reduceAxis].some(({ extent }) => constInt(extent) === 0);
}

/** The scheduled function over n-d buffers, as te/lower.ts makes it. */
function scheduledPrimFunc(
  func: Func,
  parts: PrimitiveParts,
  symbol: string,
  target: "c" | "wasm",
): PrimFunc {
  const { tensors, schedule } = schedulePrimitive(func, parts, target);
  return lowerSchedule(schedule, {
    name: symbol,
    inputs: tensors.inputs,
    outputs: tensors.outputs,
    origin: func.body.origin,
  });
}

/** The final PrimFunc for `target`, all TIR passes run. */
export function lowerPrimFunc(
  cx: PassContext,
  func: Func,
  parts: PrimitiveParts,
  symbol: string,
  target: "c" | "wasm",
): PrimFunc {
  return runLowerPasses(cx, scheduledPrimFunc(func, parts, symbol, target), target);
}
