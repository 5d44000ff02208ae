// Arenas: one piece of memory a device, in which each tensor has an offset. They show what else was possible
// beside the plans that the executors follow. An offset suits the tensor's element type: it is a multiple of
// a divisor of its size, up to 16.
import { at, first, get } from "../../support/assert.ts";
import type { MemoryEvent } from "./events.ts";
import { peakBytes, rootLives, tensorLives, type TensorLife } from "./lives.ts";
import type { MemoryBlock, MemoryHold, MemoryPlan, PlannerName } from "./plan.ts";

/** One arena; the largest tensor first, each at the lowest offset that is free for its whole life. */
export function planGreedy(events: readonly MemoryEvent[]): MemoryPlan {
  const lives = tensorLives(events);
  return arenaPlan(
    "greedy",
    lives,
    byDevice(lives).map((roots) => place(roots.toSorted(largestFirst))),
  );
}

/** Work of the hill climb, in comparisons of two tensors: about a quarter of a second. */
const climbBudget = 30_000_000;

/**
 * One arena; starts from the best of several orders and moves tensors at the top of the arena before what
 * they lie on, as long as that lowers the peak or keeps it. Bounded: large programs get fewer attempts. Never
 * above the greedy arena.
 */
export function planHillClimb(events: readonly MemoryEvent[]): MemoryPlan {
  const lives = tensorLives(events);
  return arenaPlan("hill-climb", lives, byDevice(lives).map(climb));
}

function byDevice(lives: readonly TensorLife[]): readonly (readonly TensorLife[])[] {
  const groups = new Map<number, TensorLife[]>();
  for (const root of rootLives(lives)) {
    const group = groups.get(root.device);
    if (group === undefined) groups.set(root.device, [root]);
    else group.push(root);
  }
  return [...groups.values()];
}

interface Placement {
  readonly order: readonly TensorLife[];
  readonly offsets: ReadonlyMap<number, number>;
  readonly total: number;
}

function largestFirst(a: TensorLife, b: TensorLife): number {
  return b.bytes - a.bytes || a.from - b.from || a.tensor - b.tensor;
}

/** First fit in the given order. `placed` is sorted by offset, so the first gap found is the lowest. */
function place(order: readonly TensorLife[]): Placement {
  const placed: { offset: number; end: number; from: number; to: number }[] = [];
  const offsets = new Map<number, number>();
  let total = 0;
  for (const root of order) {
    const align = alignment(root.bytes);
    let offset = 0;
    for (const other of placed) {
      if (other.to < root.from || other.from > root.to) continue;
      if (other.offset >= offset + root.bytes) break;
      if (other.end > offset) offset = Math.ceil(other.end / align) * align;
    }
    offsets.set(root.tensor, offset);
    total = Math.max(total, offset + root.bytes);
    insertByOffset(placed, { offset, end: offset + root.bytes, from: root.from, to: root.to });
  }
  return { order, offsets, total };
}

function insertByOffset(
  placed: { offset: number; end: number; from: number; to: number }[],
  one: { offset: number; end: number; from: number; to: number },
): void {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (placed[mid]!.offset <= one.offset) low = mid + 1;
    else high = mid;
  }
  placed.splice(low, 0, one);
}

/** Largest power of two, at most 16, that divides `bytes`: enough for the element type whatever it is. */
function alignment(bytes: number): number {
  for (const align of [16, 8, 4, 2]) if (bytes % align === 0) return align;
  return 1;
}

function climb(roots: readonly TensorLife[]): Placement {
  const bound = peakBytes(roots);
  const orders = [
    roots.toSorted(largestFirst),
    roots.toSorted((a, b) => (b.to - b.from) * b.bytes - (a.to - a.from) * a.bytes || largestFirst(a, b)),
    roots.toSorted((a, b) => b.to - b.from - (a.to - a.from) || largestFirst(a, b)),
    roots.toSorted((a, b) => a.from - b.from || largestFirst(a, b)),
  ];
  let best = place(first(orders, "order"));
  let left = Math.floor(climbBudget / Math.max(1, roots.length) ** 2);
  for (const order of orders.slice(1)) {
    if (best.total <= bound || left-- <= 0) return best;
    const next = place(order);
    if (next.total < best.total) best = next;
  }
  left = Math.min(left, 2000);
  for (let round = 0; left > 0 && best.total > bound; round++) {
    const next = place(moved(best, round));
    left--;
    if (next.total <= best.total) best = next;
  }
  return best;
}

/**
 * The order of `from` with a tensor that reaches the peak moved before one that it meets in time; `round`
 * picks which.
 */
function moved(from: Placement, round: number): readonly TensorLife[] {
  const { order, offsets, total } = from;
  const tops = order.flatMap((root, i) => (offsets.get(root.tensor)! + root.bytes === total ? [i] : []));
  const top = at(tops, round % tops.length, "top");
  const root = at(order, top, "tensor");
  const below = order.flatMap((other, i) =>
    i < top && other.to >= root.from && other.from <= root.to ? [i] : [],
  );
  // A fixed stride visits all candidates in a scattered order; nothing is random, so plans are reproducible.
  const target =
    below.length === 0 ? (round * 7919) % order.length : at(below, (round * 7919) % below.length, "tensor");
  const next = [...order];
  next.splice(top, 1);
  next.splice(Math.min(target, next.length), 0, root);
  return next;
}

/** Devices have arenas of their own; they are drawn one after the other. */
function arenaPlan(
  planner: PlannerName,
  lives: readonly TensorLife[],
  placements: readonly Placement[],
): MemoryPlan {
  const offsets = new Map<number, number>();
  let base = 0;
  for (const placement of placements) {
    for (const [tensor, offset] of placement.offsets) offsets.set(tensor, base + offset);
    base += placement.total;
  }
  const blocks = lives.map((life): MemoryBlock => ({
    tensor: life.tensor,
    sid: life.root,
    offset: get(offsets, life.root, "tensor"),
    bytes: life.bytes,
    held: life.bytes,
    from: life.from,
    to: life.to,
  }));
  const holds = rootLives(lives).map((root): MemoryHold => ({
    sid: root.root,
    offset: get(offsets, root.tensor, "tensor"),
    bytes: root.bytes,
    from: root.from,
    to: root.to,
  }));
  return { planner, totalBytes: base, blocks, holds };
}
