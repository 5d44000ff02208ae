// Computations written as TIR (sort, scan, scatter): what they read and what reads them is scheduled around
// them.  TVM: python/tvm/topi/generic/extern.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const extern: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
