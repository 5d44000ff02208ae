// Plans that say which storage each tensor is in: on demand, StorageRewrite's, GraphPlanMemory's. Storages
// lie one after the other.
import { get } from "../../support/assert.ts";
import type { MemoryEvent } from "./events.ts";
import { tensorLives } from "./lives.ts";
import type { MemoryBlock, MemoryHold, MemoryPlan, PlannerName } from "./plan.ts";

/** Every tensor in storage of its own: the AOT main before StorageRewrite. */
export function planOnDemand(events: readonly MemoryEvent[]): MemoryPlan {
  return planAssigned("on-demand", events, (tensor) => tensor);
}

/** `storageOf`: the storage id of a tensor that is no alias. Storages stand in order of first use. */
export function planAssigned(
  planner: PlannerName,
  events: readonly MemoryEvent[],
  storageOf: (tensor: number) => number,
): MemoryPlan {
  const lives = tensorLives(events);
  // A storage is held from its first tensor's birth to its last one's end: before and after, nobody needs the
  // bytes.
  const holds = new Map<number, { -readonly [Field in keyof MemoryHold]: MemoryHold[Field] }>();
  for (const { root, bytes, from, to } of lives) {
    const sid = storageOf(root);
    const known = holds.get(sid);
    if (known === undefined) holds.set(sid, { sid, offset: 0, bytes, from, to });
    else {
      known.bytes = Math.max(known.bytes, bytes);
      known.from = Math.min(known.from, from);
      known.to = Math.max(known.to, to);
    }
  }
  let total = 0;
  for (const hold of holds.values()) {
    hold.offset = total;
    total += hold.bytes;
  }
  const blocks = lives.map(({ tensor, root, bytes, from, to }): MemoryBlock => {
    const { sid, offset, bytes: held } = get(holds, storageOf(root), "storage");
    return { tensor, sid, offset, bytes, held, from, to };
  });
  return { planner, totalBytes: total, blocks, holds: [...holds.values()] };
}
