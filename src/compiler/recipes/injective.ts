// Element-wise, broadcast and injective anchors.  TVM: python/tvm/topi/x86/injective.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const injective: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
