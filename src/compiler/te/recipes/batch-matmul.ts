// Matrix products, one a batch element: results accumulate in a local buffer.  TVM: python/tvm/topi/x86/batch_matmul.py
import type { ScheduleRecipe } from "../schedule-recipe.ts";
import { scheduleGroup } from "./group.ts";

export const batchMatmul: ScheduleRecipe = (schedule, _outs, cx) => scheduleGroup(schedule, cx);
