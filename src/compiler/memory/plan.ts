// What a memory planner answers: where each tensor lies, and for how long its storage is held.
export type PlannerName =
  | "on-demand"
  | "storage-rewrite"
  | "graph-plan"
  | "greedy"
  | "hill-climb"
  | "lower-bound";

export interface MemoryBlock {
  /** The tensor, by its id in the events. */
  readonly tensor: number;
  /** Storage that it lies in; arenas are one storage, so there it is the tensor itself. */
  readonly sid: number;
  readonly offset: number;
  readonly bytes: number;
  /** Bytes that its storage holds (>= bytes, the rest is slack). */
  readonly held: number;
  readonly from: number;
  readonly to: number;
}

export interface MemoryHold {
  readonly sid: number;
  readonly offset: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

export interface MemoryPlan {
  readonly planner: PlannerName;
  readonly totalBytes: number;
  /** In order of birth. Empty for the lower bound, which is a number and no plan. */
  readonly blocks: readonly MemoryBlock[];
  readonly holds: readonly MemoryHold[];
}
