import fc from "fast-check";
import { expect, test } from "vitest";
import { findAll, layRows, rowAt, rowOfLine, rowTops } from "./rows.ts";

const fold = (from: number, to: number) => ({ from, to, count: to - from + 1, key: `${from}`, label: "" });

test("a closed fold is one row, and its lines are found in it", () => {
  const rows = layRows(10, [fold(6, 7), fold(2, 4)]);
  expect(rows.map((row) => row.line)).toEqual([0, 1, 2, 5, 6, 8, 9]);
  expect(rows.map((row) => row.fold !== null)).toEqual([false, false, true, false, true, false, false]);
  expect([0, 2, 3, 4, 5, 7, 9].map((line) => rows[rowOfLine(rows, line)]!.line)).toEqual([
    0, 2, 2, 2, 5, 6, 9,
  ]);
});

test("a fold beyond the text is ignored", () => {
  expect(layRows(3, [fold(1, 9)]).map((row) => row.line)).toEqual([0, 1, 2]);
});

test("wrapped lines are as high as their columns ask", () => {
  const lines = ["", "12345", "1234567890a"];
  const tops = rowTops(layRows(3, []), lines, 5);
  expect([...tops]).toEqual([0, 1, 2, 5]);
  expect([0, 1, 2, 3, 4, 99].map((at) => rowAt(tops, at))).toEqual([0, 1, 2, 2, 2, 2]);
});

test("every line is in exactly one row", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.array(fc.nat(60), { maxLength: 12 }), (count, cuts) => {
      const places = [...new Set(cuts)].sort((a, b) => a - b);
      const folds = places.flatMap((from, index) =>
        index % 2 === 0 && places[index + 1] !== undefined ? [fold(from, places[index + 1]! - 1)] : [],
      );
      const rows = layRows(count, folds);
      const covered = rows.flatMap((row) =>
        Array.from({ length: row.fold ? row.fold.to - row.fold.from + 1 : 1 }, (_, at) => row.line + at),
      );
      expect(covered).toEqual(Array.from({ length: count }, (_, line) => line));
    }),
  );
});

test("search ignores letter case, does not overlap, and stops at its limit", () => {
  expect(findAll(["Aaa", "b", "aa"], "AA")).toEqual([
    { line: 0, start: 0, end: 2 },
    { line: 2, start: 0, end: 2 },
  ]);
  expect(findAll(["aaaa"], "a", 2)).toHaveLength(2);
  expect(findAll(["a"], "")).toEqual([]);
});
