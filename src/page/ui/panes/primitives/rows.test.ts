import { describe, expect, it } from "vitest";
import { chainFixture } from "../../../../testing/fixtures/chain-views.ts";
import { lenetFixture } from "../../../../testing/fixtures/lenet-views.ts";
import { cLineCount, primitiveRows, sortRows } from "./rows.ts";

describe("primitiveRows", () => {
  it("adds up the times of all call sites", () => {
    const { summary, callMicros } = chainFixture(40);
    const rows = primitiveRows(summary, callMicros);
    expect(rows[3]!.micros).toBe(callMicros[3]! + callMicros[23]!);
    expect(primitiveRows(summary, null)[3]!.micros).toBeNull();
  });

  it("sorts by amount, equal rows in order of first call", () => {
    const { summary } = lenetFixture();
    const rows = primitiveRows(summary, null);
    expect(sortRows(rows, { key: "workspace", descending: true }).map((r) => r.primitive.index)).toEqual([
      5, 2, 0, 6, 3, 7, 1, 4,
    ]);
    expect(sortRows(rows, { key: "name", descending: false })[0]!.primitive.index).toBe(3);
    expect(rows[3]!.remarks.map((r) => r.kind)).toEqual(["fuse.refused"]);
    expect(cLineCount(rows[2]!.primitive)).toBe(22);
  });
});
