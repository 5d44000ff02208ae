import { describe, expect, it } from "vitest";
import { weakTable } from "./weak-table.ts";

/** A turn of the event loop: what was dereferenced in this one stays alive until then. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("weakTable", () => {
  it("gives the same object for the same key", () => {
    const table = weakTable<{ readonly n: number }>();
    const one = table.intern("one", () => ({ n: 1 }));
    expect(table.intern("one", () => ({ n: 2 }))).toBe(one);
    expect(table.intern("two", () => ({ n: 2 })).n).toBe(2);
  });

  it("forgets what nobody holds, and keeps what somebody does", async () => {
    const table = weakTable<{ readonly text: string }>();
    const kept = table.intern("kept", () => ({ text: "kept" }));
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 1000; i++) table.intern(`${round} ${i}`, () => ({ text: "x".repeat(1000) }));
      await turn();
      globalThis.gc?.();
    }
    expect(table.intern("kept", () => ({ text: "another" }))).toBe(kept);
    if (globalThis.gc !== undefined) expect(table.size()).toBeLessThan(10_000);
  });
});
