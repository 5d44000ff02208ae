// Placeholder of the seam until the schedule lands: a Schedule is made by createSchedule(outs).
import type { Tensor } from "./tensor.ts";

export interface Schedule {
  readonly outputs: readonly Tensor[];
}
