// A recipe makes the schedule of a fused group: the anchor operator's recipe serves the whole primitive
// function.
import type { Schedule } from "./schedule.ts";
import type { Tensor } from "./tensor.ts";

export interface RecipeContext {
  /**
   * What the code is for: recipes may tile for v128 registers on wasm and for the C compiler's vectoriser on
   * c.
   */
  readonly target: "c" | "wasm";
  /** Tensors that the anchor operator computed. */
  readonly anchor: readonly Tensor[];
}

/** Changes `schedule` in place; `outs` are the outputs of the primitive function. */
export type ScheduleRecipe = (schedule: Schedule, outs: readonly Tensor[], cx: RecipeContext) => void;
