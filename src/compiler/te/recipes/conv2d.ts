// Convolutions: the padded input has memory of its own, as every element is read once a window; results accumulate in a local buffer.
// TVM: python/tvm/topi/x86/conv2d.py
import type { ScheduleRecipe } from "../schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";
import { paddedInputs } from "./padding.ts";

export const conv2d: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx, { keep: paddedInputs(schedule, cx) });
