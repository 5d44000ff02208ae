// The recipe of operators that name none: correct for any fused group.  TVM: python/tvm/topi/generic/default.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const defaultRecipe: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
