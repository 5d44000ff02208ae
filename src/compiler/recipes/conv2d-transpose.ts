// Transposed convolutions: convolutions of the spread and padded input, stride 1; see conv-tile.ts.
// TVM: python/tvm/topi/x86/conv2d_transpose.py
import { first } from "../../support/assert.ts";
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { ConvTransposeSpec } from "../topi/conv-transpose.ts";
import { scheduleConvolution } from "./conv-tile.ts";

export const conv2dTranspose: ScheduleRecipe = (schedule, _outs, cx) => {
  const spec = first(cx.anchor, "anchor").op.attrs["convTranspose"] as ConvTransposeSpec | undefined;
  scheduleConvolution(
    schedule,
    cx,
    spec === undefined ? null : { ...spec, strides: spec.spatial.split("").map(() => 1) },
  );
};
