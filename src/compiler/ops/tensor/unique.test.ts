// Distinct elements, positions in sorted rows and replaced slices against plain JavaScript.
import { describe, expect, test } from "vitest";
import { at, build, runCall } from "../../../testing/harness/op-runner.ts";

const values = [3, -1, 3, 7, 0, -1, -1, 9, 7];

test.each([true, false])("unique, sorted=%s", (sorted) => {
  const { outs } = runCall(
    "unique",
    { name: "", args: [`Tensor[(${values.length}), int32]`], attrs: { sorted, return_counts: true } },
    { values: new Map([[0, values]]) },
  );
  const distinct = [...new Set(values)];
  if (sorted) distinct.sort((a, b) => a - b);
  const padded = (list: readonly number[], fill: number): readonly number[] =>
    Array.from(values, (_, i) => list[i] ?? fill);
  expect(outs.map((out) => out.values)).toEqual([
    padded(distinct, 0),
    padded(
      distinct.map((value) => values.indexOf(value)),
      values.length,
    ),
    values.map((value) => distinct.indexOf(value)),
    [distinct.length],
    padded(
      distinct.map((value) => values.filter((other) => other === value).length),
      0,
    ),
  ]);
});

test("unique of one element and of none", () => {
  const run = (count: number) =>
    runCall("unique", { name: "", args: [`Tensor[(${count}), float32]`], attrs: { sorted: false } }).outs.map(
      (out) => out.values.length,
    );
  expect([run(1), run(0)]).toEqual([
    [1, 1, 1, 1],
    [0, 0, 0, 1],
  ]);
});

describe.each([1, 2, 5, 8])("searchsorted in %i elements", (n) => {
  test.each([true, false])("right=%s", (right) => {
    const rows = [0, 1].flatMap((row) => Array.from({ length: n }, (_, i) => row + 2 * Math.floor(i / 2)));
    const { ins, outs } = runCall(
      "searchsorted",
      { name: "", args: [`Tensor[(2, ${n}), int32]`, "Tensor[(2, 11), int32]"], attrs: { right } },
      { values: new Map([[0, rows]]) },
    );
    const before = (element: number, value: number): boolean => (right ? element <= value : element < value);
    expect(outs[0]).toEqual(
      build(
        [2, 11],
        ([r, c]) =>
          rows.slice(r! * n, (r! + 1) * n).filter((element) => before(element, at(ins[1]!, r!, c!))).length,
      ),
    );
  });
});

/** The positions that Python's slice begin:end:stride picks of `extent`. */
function picked(extent: number, begin: number, end: number, stride: number): number[] {
  const counted = (position: number): number => (position < 0 ? position + extent : position);
  const [low, high] = stride < 0 ? [-1, extent - 1] : [0, extent];
  const clamp = (position: number): number => Math.min(Math.max(counted(position), low), high);
  const found: number[] = [];
  for (let i = clamp(begin); stride < 0 ? i > clamp(end) : i < clamp(end); i += stride) found.push(i);
  return found;
}

test.each([
  [0, 7, 1],
  [1, -1, 2],
  [-3, 100, 1],
  [-1, 1, -2],
  [6, -100, -3],
  [-100, 3, 1],
  [5, 2, 1],
])("strided_set of %i:%i:%i", (begin, end, stride) => {
  const places = picked(7, begin, end, stride);
  const count = Math.max(places.length, 1);
  const bounds = new Map([
    [2, [begin]],
    [3, [end]],
    [4, [stride]],
  ]);
  const { ins, outs } = runCall(
    "strided_set",
    {
      name: "",
      args: [
        "Tensor[(7, 2), float32]",
        `Tensor[(${count}, 2), float32]`,
        ...Array<string>(3).fill("Tensor[(1), int32]"),
      ],
    },
    { values: bounds },
  );
  expect(outs[0]).toEqual(
    build([7, 2], ([i, j]) =>
      places.includes(i!) ? at(ins[1]!, places.indexOf(i!), j!) : at(ins[0]!, i!, j!),
    ),
  );
});
