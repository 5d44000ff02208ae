// Convolutions; see conv-tile.ts.  TVM: python/tvm/topi/x86/conv2d.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { ConvFacts } from "../topi/conv.ts";
import { scheduleConvolution } from "./conv-tile.ts";

export const conv2d: ScheduleRecipe = (schedule, _outs, cx) =>
  scheduleConvolution(schedule, cx, (cx.anchor[0]!.op.attrs as unknown as Partial<ConvFacts>).conv ?? null);
