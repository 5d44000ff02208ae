import { describe, expect, it } from "vitest";
import { lenetFixture } from "../../../../testing/fixtures/lenet-views.ts";
import {
  addressTicks,
  blockRemarks,
  bytesByDevice,
  callName,
  callSentence,
  figuresAt,
  liveArea,
  moveRange,
  planOf,
  rangeWith,
  shortBytes,
  slackByStep,
  zoomRange,
} from "./model.ts";

const { memory, summary } = lenetFixture();
const plan = planOf(memory, "storage-rewrite")!;

describe("memory figures", () => {
  it("tells live, slack and not held apart, adding up to the arena", () => {
    const at = figuresAt(plan, 2);
    expect([at.live, at.slack, at.notHeld, at.total]).toEqual([11104, 12416, 40, 23560]);
    expect(at.alive.map((b) => b.primitive)).toEqual([1, 2]);
    expect(at.freed.map((b) => b.primitive)).toEqual([1]);
    for (let s = 0; s < memory.steps; s++) {
      const { live, slack, notHeld, total } = figuresAt(plan, s);
      expect(live + slack + notHeld).toBe(total);
      expect(slackByStep(plan, memory.steps)[s]).toBe(slack);
      if (s < 7) expect(live).toBe(memory.liveBytes[s]);
    }
  });

  it("has no slack in an arena", () => {
    const arena = planOf(memory, "greedy")!;
    expect(figuresAt(arena, 2)).toMatchObject({ slack: 0, live: 11104, notHeld: 23520 - 11104 });
    expect(Math.max(...slackByStep(arena, memory.steps))).toBe(0);
  });

  it("falls back to a plan that is there", () => {
    expect(planOf({ ...memory, plans: memory.plans.slice(0, 1) }, "greedy")!.planner).toBe("on-demand");
    expect(planOf({ ...memory, plans: [] }, "greedy")).toBeNull();
  });

  it("names calls in few words", () => {
    expect([callName(summary, 2), callName(summary, 6), callName(summary, 7)]).toEqual([
      "conv2d…relu",
      "dense add",
      "softmax",
    ]);
    expect(callSentence(summary, memory, 2)).toBe("reads p1, writes p2");
    expect(callSentence(summary, memory, 0)).toBe("reads data, writes p0");
  });
});

describe("axes and ranges", () => {
  it("ticks at powers of two that leave room for the total", () => {
    expect(addressTicks(23560, 152)).toEqual([0, 0x1000, 0x2000, 0x3000, 0x4000, 0x5000]);
    expect(addressTicks(0, 152)).toEqual([0]);
    expect(addressTicks(40, 152).at(-1)).toBeLessThan(40);
  });

  it("zooms about a step and stays within the steps", () => {
    const range = zoomRange({ from: 0, to: 100 }, 100, 2, 20);
    expect(range).toEqual({ from: 10, to: 60 });
    expect(zoomRange(range, 100, 0.01, 20)).toEqual({ from: 0, to: 100 });
    expect(zoomRange({ from: 0, to: 8 }, 8, 100, 7.5).to).toBeLessThanOrEqual(8);
    expect(moveRange({ from: 10, to: 20 }, 100, 500)).toEqual({ from: 90, to: 100 });
    expect(rangeWith({ from: 10, to: 20 }, 100, 25)).toEqual({ from: 16, to: 26 });
    const same = { from: 10, to: 20 };
    expect(rangeWith(same, 100, 12)).toBe(same);
  });

  it("keeps the peak in the summed area", () => {
    const live = new Uint32Array(10_000).fill(5);
    live[7777] = 99;
    expect(Math.max(...liveArea(live, { from: 0, to: 10_000 }, 300))).toBe(99);
  });

  it("writes bytes short", () => {
    expect([640, 23560, 4_200_000, 2.5e9].map(shortBytes)).toEqual(["640 B", "23.6 kB", "4.2 MB", "2.50 GB"]);
  });
});

describe("what a person asks of a block", () => {
  it("why it lies there, in the words of the planner that is shown", () => {
    expect(blockRemarks(summary, plan, plan.blocks[4]!)).toEqual([
      "1,600 B reuses sid_16, free since call 3",
    ]);
    expect(blockRemarks(summary, planOf(memory, "greedy")!, plan.blocks[4]!)).toEqual([]);
    expect(blockRemarks(summary, plan, plan.blocks[1]!)).toEqual([]);
  });

  it("how much a device has to hold", () => {
    expect([...bytesByDevice(plan)]).toEqual([[1, 23560]]);
    const blocks = plan.blocks.map((b) => (b.sid === 15 ? { ...b, device: 4 } : b));
    expect([...bytesByDevice({ ...plan, blocks })]).toEqual([
      [1, 18856],
      [4, 4704],
    ]);
    const arena = planOf(memory, "greedy")!;
    expect([
      ...bytesByDevice({
        ...arena,
        blocks: [
          { ...arena.blocks[0]!, offset: 0, bytes: 64 },
          { ...arena.blocks[1]!, device: 4, offset: 64, bytes: 32 },
        ],
      }),
    ]).toEqual([
      [1, 64],
      [4, 32],
    ]);
  });
});
