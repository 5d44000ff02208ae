// Softmax: greatest element, exponentials and their sum are computed a row at a time, inside the loops over
// all other axes.
// TVM: python/tvm/topi/x86/nn.py (schedule_softmax)
import { last, at, first } from "../../support/assert.ts";
import { constInt } from "../tir/build.ts";
import type { RecipeContext, ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { Stage } from "../te/schedule.ts";
import type { ComputeOp } from "../te/tensor.ts";
import { accessesOf, allWords, elementwiseOutput, inlinedOps, unitStride } from "./analysis.ts";
import { inlineInjective, scheduleGroup } from "./group.ts";

export const softmax: ScheduleRecipe = (schedule, outs, cx) => {
  const anchor = schedule.stage(first(cx.anchor, "anchor"));
  const axis = anchor.op.attrs["axis"];
  const shared = inlineInjective(schedule, new Set());
  const output = anchor.isOutput ? anchor : elementwiseOutput(schedule, anchor);
  if (
    typeof axis !== "number" ||
    output === null ||
    outs.length !== 1 ||
    shared.size > 0 ||
    output.axis.length < 2
  ) {
    scheduleGroup(schedule, cx);
    return;
  }
  const row = at(output.axis, axis, "loop over the softmax axis");
  const outer = output.axis.filter((iter) => iter !== row);
  const inRow = schedule.stages.filter(
    (stage) => stage !== output && stage.op.kind === "compute" && stage.state.attach.kind === "root",
  );
  output.reorder(...outer, row);
  for (const stage of inRow) {
    stage.computeAt(output, last(outer, "loop outside the softmax axis"));
    if (stage.op.kind === "compute" && stage.op.reduceAxis.length > 0) stage.setScope("local");
  }
  const ops = inlinedOps(schedule);
  for (const stage of [...inRow, output]) vectorizeRow(ops(stage), stage, axis, cx);
};

/** Vectors along the row, for stages without reduction whose row is contiguous. */
function vectorizeRow(op: ComputeOp | null, stage: Stage, axis: number, cx: RecipeContext): void {
  const row = stage.axis[axis];
  if (
    cx.target !== "wasm" ||
    op === null ||
    op.reduceAxis.length > 0 ||
    row === undefined ||
    stage.axis.length !== axis + 1
  )
    return;
  if (
    (constInt(row.extent) ?? 0) < 4 ||
    !allWords(op) ||
    !unitStride(accessesOf(op), at(op.axis, axis, "loop over the softmax axis").variable)
  )
    return;
  const [, lanes] = stage.split(row, { factor: 4 });
  stage.vectorize(lanes);
}
