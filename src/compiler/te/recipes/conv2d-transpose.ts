// Transposed convolutions: the padded input has memory of its own, as every element is read once a window; results accumulate in a local buffer.
// TVM: python/tvm/topi/x86/conv2d_transpose.py
import type { ScheduleRecipe } from "../schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";
import { paddedInputs } from "./padding.ts";

export const conv2dTranspose: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx, { keep: paddedInputs(schedule, cx) });
