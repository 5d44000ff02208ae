import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, foldSame, withoutNames, withoutNumbers } from "./line-diff.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 40 });

test("the rows rebuild both texts", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = diffLines(before, after);
      expect(rows.filter((row) => row.kind !== "added").map((row) => before[row.before])).toEqual(before);
      expect(rows.filter((row) => row.kind !== "removed").map((row) => after[row.after])).toEqual(after);
      for (const row of rows) if (row.kind === "same") expect(before[row.before]).toBe(after[row.after]);
    }),
  );
});

test("the script is as short as the longest common subsequence allows", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const same = diffLines(before, after).filter((row) => row.kind === "same").length;
      const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
      for (let i = 1; i <= before.length; i++) {
        for (let j = 1; j <= after.length; j++) {
          table[i]![j] =
            before[i - 1] === after[j - 1]
              ? table[i - 1]![j - 1]! + 1
              : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
        }
      }
      expect(same).toBe(table[before.length]![after.length]);
    }),
    { numRuns: 200 },
  );
});

test("renumbered locals are the same line", () => {
  const rows = diffLines(
    ["%3 = nn.relu(%2);", "%4 = add(%3, %p1)"],
    ["%1 = expand_dims(%b);", "%5 = nn.relu(%4);", "%6 = add(%5, %p12)"],
    withoutNumbers,
  );
  expect(rows.map((row) => row.kind)).toEqual(["added", "same", "same"]);
});

test("what a function wraps around lines is all that changes", () => {
  const rows = diffLines(
    ["  %0 = nn.conv2d(%data, %w);", "  %1 = nn.relu(%0);"],
    [
      "  %1 = fn (%p0: T, %p1: T) {",
      "    %0 = nn.conv2d(%p0, %p1);",
      "    nn.relu(%0)",
      "  };",
      "  %1(%data, %w)",
    ],
    withoutNames,
  );
  expect(rows.map((row) => row.kind)).toEqual(["added", "same", "same", "added", "added"]);
});

test("unchanged stretches fold to one item", () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const items = foldSame(diffLines(before, before.with(15, "other")));
  expect(items.map((item) => item.kind)).toEqual([
    "skipped",
    "same",
    "same",
    "same",
    "removed",
    "added",
    "same",
    "same",
    "same",
    "skipped",
  ]);
});

test("two texts with nothing in common end in time", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`);
  const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`);
  expect(diffLines(before, after)).toHaveLength(40_000);
});
