// Matrix products with a matrix of weights: results accumulate in a local buffer.  TVM: python/tvm/topi/x86/dense.py
import type { ScheduleRecipe } from "../schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const dense: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
