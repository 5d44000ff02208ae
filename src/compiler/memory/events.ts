// What happens to the tensors between calls, in order: the one input of every planner that stands in the
// memory map. Steps are calls of the runner, or operator nodes of the graph. Who has a plan makes them
// (executor/memory-events.ts); tensors are numbers here.
import { at } from "../../support/assert.ts";

export type MemoryEvent =
  | {
      readonly kind: "allocate";
      readonly tensor: number;
      readonly bytes: number;
      readonly step: number;
      readonly device: number;
    }
  | { readonly kind: "touch"; readonly tensor: number; readonly step: number }
  /** `tensor` is the same bytes as `of` from here on. */
  | {
      readonly kind: "alias";
      readonly tensor: number;
      readonly of: number;
      readonly bytes: number;
      readonly step: number;
    }
  /** The last step at which the tensor is needed. */
  | { readonly kind: "free"; readonly tensor: number; readonly step: number };

/**
 * One allocate (or alias) at the first use, touches, and a free at the last; `kept` are never freed before
 * the last step.
 */
export function lifeEvents(
  uses: readonly (readonly number[])[],
  start: (tensor: number, step: number) => MemoryEvent,
  kept: ReadonlySet<number>,
): MemoryEvent[] {
  const last = new Map<number, number>();
  uses.forEach((tensors, step) => {
    for (const tensor of tensors) last.set(tensor, kept.has(tensor) ? uses.length - 1 : step);
  });
  const frees: number[][] = uses.map(() => []);
  for (const [tensor, step] of last) at(frees, step, "step").push(tensor);
  const born = new Set<number>();
  return uses.flatMap((tensors, step) => {
    const events = [...new Set(tensors)].map((tensor): MemoryEvent => {
      if (born.has(tensor)) return { kind: "touch", tensor, step };
      born.add(tensor);
      return start(tensor, step);
    });
    return [
      ...events,
      ...at(frees, step, "step").map((tensor): MemoryEvent => ({ kind: "free", tensor, step })),
    ];
  });
}
