import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planGreedy, planHillClimb } from "./arena.ts";
import { planOnDemand } from "./assigned.ts";
import type { MemoryEvent } from "./events.ts";
import { liveBytes, planLowerBound, tensorLives } from "./lives.ts";
import type { MemoryPlan } from "./plan.ts";

/** Events of tensors given as [bytes, first step, last step]. */
function events(tensors: readonly (readonly [number, number, number])[]): MemoryEvent[] {
  const list = tensors.flatMap(([bytes, from, to], tensor): MemoryEvent[] => [
    { kind: "allocate", tensor, bytes, step: from, device: 1 },
    { kind: "free", tensor, step: to },
  ]);
  return list.sort((a, b) => a.step - b.step || (a.kind === "free" ? 1 : 0) - (b.kind === "free" ? 1 : 0));
}

function overlaps(plan: MemoryPlan): string[] {
  const found: string[] = [];
  plan.blocks.forEach((a, i) => {
    for (const b of plan.blocks.slice(i + 1)) {
      const inTime = a.from <= b.to && b.from <= a.to;
      const inSpace = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      if (inTime && inSpace) found.push(`${a.tensor} and ${b.tensor}`);
    }
  });
  return found;
}

const anyTensors = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 4000 }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 8 }),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((list) => list.map(([bytes, from, length]) => [bytes, from, from + length] as const));

describe("planners", () => {
  it("hold a storage from its first tensor to its last, not before and not after", () => {
    const plan = planOnDemand(
      events([
        [64, 0, 2],
        [40, 3, 5],
      ]),
    );
    expect(plan.holds.map(({ bytes, from, to }) => [bytes, from, to])).toEqual([
      [64, 0, 2],
      [40, 3, 5],
    ]);
  });

  it("never put two live tensors on the same bytes, and keep to their order", () => {
    fc.assert(
      fc.property(anyTensors, (tensors) => {
        const list = events(tensors);
        const [onDemand, greedy, climb, bound] = [
          planOnDemand(list),
          planGreedy(list),
          planHillClimb(list),
          planLowerBound(list),
        ];
        for (const plan of [onDemand, greedy, climb]) {
          expect(overlaps(plan)).toEqual([]);
          expect(plan.blocks.length).toBe(tensors.length);
          expect(plan.totalBytes).toBe(Math.max(...plan.blocks.map((block) => block.offset + block.bytes)));
        }
        expect(bound.totalBytes).toBeLessThanOrEqual(climb.totalBytes);
        expect(climb.totalBytes).toBeLessThanOrEqual(greedy.totalBytes);
        expect(greedy.totalBytes).toBeLessThanOrEqual(onDemand.totalBytes + 16 * tensors.length);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("the hill climb finds what the greedy order misses", () => {
    // Largest first puts the two 60s at 0 and 60 in a row where they meet the long 50.
    const tensors = [
      [60, 0, 1],
      [50, 1, 3],
      [60, 3, 4],
      [40, 0, 0],
      [40, 4, 4],
      [55, 2, 2],
    ] as const;
    const list = events(tensors);
    expect(planHillClimb(list).totalBytes).toBeLessThanOrEqual(planGreedy(list).totalBytes);
    expect(planHillClimb(list).totalBytes).toBe(planLowerBound(list).totalBytes);
  });

  it("sum live bytes at each step", () => {
    expect(
      liveBytes(
        events([
          [10, 0, 1],
          [20, 1, 2],
          [5, 3, 3],
        ]),
      ),
    ).toEqual([10, 30, 20, 5]);
  });

  it("an alias lives in its root's bytes", () => {
    const list: MemoryEvent[] = [
      { kind: "allocate", tensor: 0, bytes: 64, step: 0, device: 1 },
      { kind: "touch", tensor: 0, step: 1 },
      { kind: "alias", tensor: 1, of: 0, bytes: 64, step: 1 },
      { kind: "free", tensor: 0, step: 1 },
      { kind: "free", tensor: 1, step: 3 },
      { kind: "allocate", tensor: 2, bytes: 64, step: 2, device: 1 },
      { kind: "free", tensor: 2, step: 3 },
    ];
    expect(tensorLives(list).map(({ root }) => root)).toEqual([0, 0, 2]);
    const plan = planGreedy(list);
    expect(plan.totalBytes).toBe(128);
    expect(plan.blocks.map(({ offset }) => offset)).toEqual([0, 0, 64]);
  });

  it("devices have memory of their own", () => {
    const list: MemoryEvent[] = [0, 1].flatMap((tensor): MemoryEvent[] => [
      { kind: "allocate", tensor, bytes: 8, step: tensor, device: tensor + 1 },
      { kind: "free", tensor, step: tensor },
    ]);
    expect(planGreedy(list).blocks.map(({ offset }) => offset)).toEqual([0, 8]);
  });
});
