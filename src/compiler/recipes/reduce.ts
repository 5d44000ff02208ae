// Reductions: injective producers are computed where they are read, results accumulate in a local buffer.
// TVM: python/tvm/topi/x86/reduction.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const reduce: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
