// Padded and dilated inputs of window operators.
import type { RecipeContext } from "../te/schedule-recipe.ts";
import type { Schedule, Stage } from "../te/schedule.ts";
import { inputTensors } from "../te/stage.ts";

/** Stages that the anchor's reductions read and that are no placeholders: worth memory, since windows overlap. */
export function paddedInputs(schedule: Schedule, cx: RecipeContext): ReadonlySet<Stage> {
  const found = new Set<Stage>();
  for (const tensor of cx.anchor) {
    for (const input of inputTensors(schedule.stage(tensor).op))
      if (input.op.tag.split(",").includes("pad")) found.add(schedule.stage(input));
  }
  return found;
}
