// Sparse tensors against plain JavaScript on their entries.
import { expect, test } from "vitest";
import { runCall, typeOfCall } from "../../../testing/harness/op-runner.ts";

test.each([
  [
    [2, 3, 6],
    [9, -1],
  ],
  [
    [4, 6],
    [2, 3, 4],
  ],
  [
    [2, 3, 4],
    [2, 3, 4],
  ],
  [[12], [3, 4]],
  [[3, 4], [-1]],
])("sparse_reshape from %j to %j", (from, to) => {
  const total = from.reduce((a, b) => a * b);
  const flats = [0, 1, 5, 7, total - 1];
  const unravel = (flat: number, shape: readonly number[]): number[] => {
    const indices: number[] = [];
    let rest = flat;
    for (const dim of shape.toReversed()) {
      indices.unshift(rest % dim);
      rest = Math.floor(rest / dim);
    }
    return indices;
  };
  const known = to.reduce((a, b) => (b < 0 ? a : a * b), 1);
  const after = to.map((dim) => (dim < 0 ? total / known : dim));
  const values = new Map([
    [0, flats.flatMap((flat) => unravel(flat, from))],
    [1, from],
    [2, to],
  ]);
  const { outs } = runCall(
    "sparse_reshape",
    {
      name: "",
      args: [
        `Tensor[(5, ${from.length}), int64]`,
        `Tensor[(${from.length}), int64]`,
        `Tensor[(${to.length}), int32]`,
      ],
    },
    { values },
  );
  expect(outs.map((out) => out.values)).toEqual([flats.flatMap((flat) => unravel(flat, after)), after]);
});

test.each([
  [[0, 1, 0, 3, 2, 0, 3, 1], 5],
  [[1, 0, 2, 2], 3],
  [[4, 4], 6],
  [[], 3],
  [[0, 0, 1, 1, 2, 2], 3],
])("sparse_fill_empty_rows of %j in %i rows", (places, rows) => {
  const count = places.length / 2;
  const values = Array.from({ length: count }, (_, i) => i + 0.5);
  const wanted: (readonly [number, number, number])[] = [];
  const empty: number[] = [];
  for (let row = 0; row < rows; row++) {
    const own = values.flatMap((value, i) =>
      places[2 * i] === row ? [[row, places[2 * i + 1]!, value] as const] : [],
    );
    wanted.push(...(own.length === 0 ? [[row, 0, -1] as const] : own));
    empty.push(own.length === 0 ? 1 : 0);
  }
  const example = {
    name: "",
    args: [`Tensor[(${count}, 2), int64]`, `Tensor[(${count}), float32]`, "Tensor[(2), int64]", "float32"],
    results: [
      `Tensor[(${wanted.length}, 2), int64]`,
      `Tensor[(${wanted.length}), float32]`,
      `Tensor[(${rows}), int64]`,
    ],
  };
  const { outs } = runCall("sparse_fill_empty_rows", example, {
    values: new Map([
      [0, places],
      [1, values],
      [2, [rows, 9]],
      [3, [-1]],
    ]),
  });
  expect(outs.map((out) => out.values)).toEqual([
    wanted.flatMap(([row, column]) => [row, column]),
    wanted.map((entry) => entry[2]),
    empty,
  ]);
});

test("sparse operators refuse parts that do not fit together", () => {
  expect(
    typeOfCall("sparse_reshape", ["Tensor[(5, 3), int64]", "Tensor[(2), int64]", "Tensor[(2), int64]"])
      .diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
  expect(
    typeOfCall("sparse_fill_empty_rows", [
      "Tensor[(5, 3), int64]",
      "Tensor[(4), float32]",
      "Tensor[(3), int64]",
      "float32",
    ]).diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
});
