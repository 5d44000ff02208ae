// Convolutions; see conv-tile.ts.  TVM: python/tvm/topi/x86/conv2d.py
import { first } from "../../support/assert.ts";
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { ConvFacts } from "../topi/conv.ts";
import { scheduleConvolution } from "./conv-tile.ts";

export const conv2d: ScheduleRecipe = (schedule, _outs, cx) =>
  scheduleConvolution(
    schedule,
    cx,
    (first(cx.anchor, "anchor").op.attrs as unknown as Partial<ConvFacts>).conv ?? null,
  );
