// How long each tensor stays, how many bytes are live at each step, and the least that any plan can need.
import { get } from "../../support/assert.ts";
import type { MemoryEvent } from "./events.ts";
import type { MemoryPlan } from "./plan.ts";

/** A tensor's stay: steps are inclusive. */
export interface TensorLife {
  readonly tensor: number;
  /** The tensor whose bytes these are: itself, or the one that it is an alias of. */
  readonly root: number;
  readonly bytes: number;
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

/** The stay of each tensor, in order of birth. A tensor without a free lives to its last touch. */
export function tensorLives(events: readonly MemoryEvent[]): readonly TensorLife[] {
  const lives = new Map<
    number,
    { tensor: number; root: number; bytes: number; device: number; from: number; to: number }
  >();
  for (const event of events) {
    if (event.kind === "allocate") {
      lives.set(event.tensor, {
        tensor: event.tensor,
        root: event.tensor,
        bytes: event.bytes,
        device: event.device,
        from: event.step,
        to: event.step,
      });
    } else if (event.kind === "alias") {
      const of = get(lives, event.of, "tensor");
      lives.set(event.tensor, {
        tensor: event.tensor,
        root: of.root,
        bytes: event.bytes,
        device: of.device,
        from: event.step,
        to: event.step,
      });
    } else {
      const life = get(lives, event.tensor, "tensor");
      life.to = Math.max(life.to, event.step);
    }
  }
  return [...lives.values()];
}

/** Lives of the bytes: an alias prolongs its root's life and may need more bytes. */
export function rootLives(lives: readonly TensorLife[]): readonly TensorLife[] {
  const roots = new Map<number, TensorLife>();
  for (const life of lives) {
    const known = roots.get(life.root);
    roots.set(
      life.root,
      known === undefined
        ? life
        : { ...known, bytes: Math.max(known.bytes, life.bytes), to: Math.max(known.to, life.to) },
    );
  }
  return [...roots.values()];
}

/** Live tensor bytes at each step; aliases count once. */
export function liveBytes(events: readonly MemoryEvent[]): readonly number[] {
  return liveAt(rootLives(tensorLives(events)));
}

/** Bytes of `lives` at each step. */
function liveAt(lives: readonly TensorLife[]): readonly number[] {
  const steps = lives.reduce((n, life) => Math.max(n, life.to + 1), 0);
  const change = new Array<number>(steps + 1).fill(0);
  for (const life of lives) {
    change[life.from]! += life.bytes;
    change[life.to + 1]! -= life.bytes;
  }
  let sum = 0;
  return change.slice(0, steps).map((by) => (sum += by));
}

/** The largest sum of live bytes at one step, all devices together: no plan can need less. */
export function planLowerBound(events: readonly MemoryEvent[]): MemoryPlan {
  return {
    planner: "lower-bound",
    totalBytes: peakBytes(rootLives(tensorLives(events))),
    blocks: [],
    holds: [],
  };
}

/** The largest sum of bytes at one step. */
export function peakBytes(lives: readonly TensorLife[]): number {
  return liveAt(lives).reduce((a, b) => Math.max(a, b), 0);
}
