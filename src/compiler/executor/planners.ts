// Memory planners side by side: each a pure function of the ordered events. The AOT runner uses StorageRewrite's result, the
// graph executor GraphPlanMemory's; the arenas and the lower bound show what else was possible.
// Arenas place each tensor at an offset that its element type can be read at (a divisor of its size, up to 16).
import { tensorLives, type MemoryEvent, type TensorLife } from "./memory-events.ts";
import type { GraphPlan } from "./graph-plan.ts";
import type { AotPlan } from "./plan.ts";

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

/** Live tensor bytes at each step; aliases count once. */
export function liveBytes(events: readonly MemoryEvent[]): readonly number[] {
  return liveAt(rootLives(tensorLives(events)));
}

function liveAt(lives: readonly Root[]): readonly number[] {
  const steps = lives.reduce((n, life) => Math.max(n, life.to + 1), 0);
  const change = new Array<number>(steps + 1).fill(0);
  for (const life of lives) {
    change[life.from]! += life.bytes;
    change[life.to + 1]! -= life.bytes;
  }
  let sum = 0;
  return change.slice(0, steps).map((by) => (sum += by));
}

/** Every tensor in storage of its own: the AOT main before StorageRewrite. */
export function planOnDemand(events: readonly MemoryEvent[]): MemoryPlan {
  return planAssigned("on-demand", events, (tensor) => tensor);
}

/** StorageRewrite's result: which storage each on-demand sid went to, read off the calls before and after. */
export function planStorageRewrite(events: readonly MemoryEvent[], plan: AotPlan): MemoryPlan {
  const into = new Map<number, number>();
  plan.onDemandCalls.forEach((call, i) =>
    call.args.forEach((arg, k) => {
      const after = plan.calls[i]!.args[k]!;
      if (arg.kind === "sid" && after.kind === "sid") into.set(arg.sid, after.sid);
    }),
  );
  return planAssigned("storage-rewrite", events, (tensor) => into.get(tensor) ?? tensor);
}

/** GraphPlanMemory's result; `events` are graphEvents of the same plan. */
export function planGraphMemory(events: readonly MemoryEvent[], plan: GraphPlan): MemoryPlan {
  return planAssigned("graph-plan", events, (tensor) => plan.entries[tensor]!.storage);
}

/** Storages one after the other, in order of first use. */
function planAssigned(
  planner: PlannerName,
  events: readonly MemoryEvent[],
  storageOf: (tensor: number) => number,
): MemoryPlan {
  const lives = tensorLives(events);
  const held = new Map<number, number>();
  for (const life of lives)
    held.set(storageOf(life.root), Math.max(held.get(storageOf(life.root)) ?? 0, life.bytes));
  let total = 0;
  const offsets = new Map<number, number>();
  for (const [sid, bytes] of held) {
    offsets.set(sid, total);
    total += bytes;
  }
  /** From the first tensor's birth to the last one's end: before and after, nobody needs the bytes. */
  const stays = new Map<number, { from: number; to: number }>();
  const blocks = lives.map((life): MemoryBlock => {
    const sid = storageOf(life.root);
    const stay = stays.get(sid);
    stays.set(sid, {
      from: Math.min(stay?.from ?? life.from, life.from),
      to: Math.max(stay?.to ?? life.to, life.to),
    });
    return {
      tensor: life.tensor,
      sid,
      offset: offsets.get(sid)!,
      bytes: life.bytes,
      held: held.get(sid)!,
      from: life.from,
      to: life.to,
    };
  });
  const holds = [...held].map(([sid, bytes]): MemoryHold => {
    const stay = stays.get(sid)!;
    return { sid, offset: offsets.get(sid)!, bytes, from: stay.from, to: stay.to };
  });
  return { planner, totalBytes: total, blocks, holds };
}

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
 * One arena; starts from the best of several orders and moves tensors at the top of the arena before what they lie on, as
 * long as that lowers the peak or keeps it. Bounded: large programs get fewer attempts. Never above the greedy arena.
 */
export function planHillClimb(events: readonly MemoryEvent[]): MemoryPlan {
  const lives = tensorLives(events);
  return arenaPlan("hill-climb", lives, byDevice(lives).map(climb));
}

/** The largest sum of live bytes at one step, all devices together: no plan can need less. */
export function planLowerBound(events: readonly MemoryEvent[]): MemoryPlan {
  return { planner: "lower-bound", totalBytes: largest(liveBytes(events)), blocks: [], holds: [] };
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}

type Root = TensorLife;

/** Lives of the bytes: an alias prolongs its root's life and may need more bytes. */
function rootLives(lives: readonly TensorLife[]): readonly Root[] {
  const roots = new Map<number, Root>();
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

function byDevice(lives: readonly TensorLife[]): readonly (readonly Root[])[] {
  const groups = new Map<number, Root[]>();
  for (const root of rootLives(lives)) {
    const group = groups.get(root.device);
    if (group === undefined) groups.set(root.device, [root]);
    else group.push(root);
  }
  return [...groups.values()];
}

interface Placement {
  readonly order: readonly Root[];
  readonly offsets: ReadonlyMap<number, number>;
  readonly total: number;
}

function largestFirst(a: Root, b: Root): number {
  return b.bytes - a.bytes || a.from - b.from || a.tensor - b.tensor;
}

/** First fit in the given order. `placed` is sorted by offset, so the first gap found is the lowest. */
function place(order: readonly Root[]): Placement {
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

function climb(roots: readonly Root[]): Placement {
  const bound = largest(liveAt(roots));
  const orders = [
    roots.toSorted(largestFirst),
    roots.toSorted((a, b) => (b.to - b.from) * b.bytes - (a.to - a.from) * a.bytes || largestFirst(a, b)),
    roots.toSorted((a, b) => b.to - b.from - (a.to - a.from) || largestFirst(a, b)),
    roots.toSorted((a, b) => a.from - b.from || largestFirst(a, b)),
  ];
  let best = place(orders[0]!);
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

/** The order of `from` with a tensor that reaches the peak moved before one that it meets in time; `round` picks which. */
function moved(from: Placement, round: number): readonly Root[] {
  const { order, offsets, total } = from;
  const tops = order.flatMap((root, i) => (offsets.get(root.tensor)! + root.bytes === total ? [i] : []));
  const top = tops[round % tops.length]!;
  const root = order[top]!;
  const below = order.flatMap((other, i) =>
    i < top && other.to >= root.from && other.from <= root.to ? [i] : [],
  );
  // A fixed stride visits all candidates in a scattered order; nothing is random, so plans are reproducible.
  const target = below.length === 0 ? (round * 7919) % order.length : below[(round * 7919) % below.length]!;
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
    offset: offsets.get(life.root)!,
    bytes: life.bytes,
    held: life.bytes,
    from: life.from,
    to: life.to,
  }));
  const holds = rootLives(lives).map((root): MemoryHold => ({
    sid: root.root,
    offset: offsets.get(root.tensor)!,
    bytes: root.bytes,
    from: root.from,
    to: root.to,
  }));
  return { planner, totalBytes: base, blocks, holds };
}
