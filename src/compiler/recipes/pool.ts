// Pooling: the padded input is computed where it is read, windows accumulate in a local buffer.
// TVM: python/tvm/topi/x86/pooling.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const pool: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
