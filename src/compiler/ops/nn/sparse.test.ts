// Sparse matrices against dense ones in plain JavaScript.
import { describe, expect, test } from "vitest";
import {
  at,
  build,
  disagreement,
  runCall,
  total,
  typeOfCall,
  type Nd,
} from "../../../testing/harness/op-runner.ts";

/** Where blocks stand: block column of each entry, and where block rows start. */
interface Places {
  readonly columns: readonly number[];
  readonly starts: readonly number[];
}

const places: Places = { columns: [2, 0, 1, 3, 0], starts: [0, 2, 2, 5] };

/** Element (row, column) of the matrix with blocks of `high` x `wide`. */
function element(
  data: Nd,
  { columns, starts }: Places,
  [high, wide]: readonly [number, number],
  row: number,
  column: number,
): number {
  const r = Math.floor(row / high);
  let sum = 0;
  for (let e = starts[r]!; e < starts[r + 1]!; e++) {
    if (columns[e] !== Math.floor(column / wide)) continue;
    const inner = [row % high, column % wide];
    sum += at(data, e, ...inner.slice(0, data.shape.length - 1));
  }
  return sum;
}

const values = new Map([
  [2, places.columns],
  [3, places.starts],
]);
const indices = ["Tensor[(5), int32]", "Tensor[(4), int32]"];

describe.each([
  [1, 1],
  [2, 3],
  [3, 1],
] as const)("blocks of %i x %i", (high, wide) => {
  const [rows, width] = [3 * high, 4 * wide];
  const data = high * wide === 1 ? "Tensor[(5), float32]" : `Tensor[(5, ${high}, ${wide}), float32]`;

  test.each([false, true])("sparse_dense, sparse_lhs=%s", (left) => {
    const { ins, outs } = runCall(
      "nn.sparse_dense",
      { name: "", args: [`Tensor[(2, ${width}), float32]`, data, ...indices], attrs: { sparse_lhs: left } },
      { values },
    );
    const product = (i: number, row: number): number =>
      total(width, (k) => at(ins[0]!, i, k) * element(ins[1]!, places, [high, wide], row, k));
    expect(
      disagreement(
        outs[0]!,
        left
          ? build([rows, 2], ([row, i]) => product(i!, row!))
          : build([2, rows], ([i, row]) => product(i!, row!)),
      ),
    ).toBeNull();
  });
});

test("sparse_add and sparse_transpose", () => {
  const sum = runCall(
    "nn.sparse_add",
    { name: "", args: ["Tensor[(3, 4), float32]", "Tensor[(5), float32]", ...indices] },
    { values },
  );
  expect(
    disagreement(
      sum.outs[0]!,
      build([3, 4], ([r, c]) => at(sum.ins[0]!, r!, c!) + element(sum.ins[1]!, places, [1, 1], r!, c!)),
    ),
  ).toBeNull();
  const square: Places = { columns: [0, 2, 1, 3, 0, 2], starts: [0, 2, 3, 3, 6] };
  const turned = runCall(
    "nn.sparse_transpose",
    { name: "", args: ["Tensor[(6), float32]", "Tensor[(6), int32]", "Tensor[(5), int32]"] },
    {
      values: new Map([
        [1, square.columns],
        [2, square.starts],
      ]),
    },
  );
  const [data, columns, starts] = turned.outs as [Nd, Nd, Nd];
  const matrix = build([4, 4], ([r, c]) =>
    element(data, { columns: columns.values, starts: starts.values }, [1, 1], r!, c!),
  );
  expect(matrix).toEqual(build([4, 4], ([r, c]) => element(turned.ins[0]!, square, [1, 1], c!, r!)));
  expect(starts.values).toEqual([0, 2, 3, 5, 6]);
});

describe.each([
  ["NHWC", 1],
  ["NCHW", 1],
  ["NHWC", 3],
  ["NCHW", 3],
] as const)("sparse_conv2d, %s, %i", (layout, window) => {
  test.each([2, 1])("blocks of 2 x %i", (wide) => {
    const [h, w, c] = [3, 2, wide * 4];
    const last = layout === "NHWC";
    const data = wide === 1 ? "Tensor[(5, 2), float32]" : `Tensor[(5, 2, ${wide}), float32]`;
    const spots: Places = {
      columns: window === 1 ? places.columns : [17, 5, 35, 0, 22],
      starts: places.starts,
    };
    const { ins, outs } = runCall(
      "nn.sparse_conv2d",
      {
        name: "",
        args: [
          last ? `Tensor[(2, ${h}, ${w}, ${c}), float32]` : `Tensor[(2, ${c}, ${h}, ${w}), float32]`,
          data,
          ...indices,
        ],
        attrs: { layout, kernel_size: [window, window] },
      },
      {
        values: new Map([
          [2, spots.columns],
          [3, spots.starts],
        ]),
      },
    );
    const pixel = (n: number, y: number, x: number, channel: number): number =>
      y < 0 || x < 0 || y >= h || x >= w
        ? 0
        : last
          ? at(ins[0]!, n, y, x, channel)
          : at(ins[0]!, n, channel, y, x);
    const sum = (n: number, y: number, x: number, out: number): number =>
      total(window, (ky) =>
        total(window, (kx) =>
          total(c, (channel) => {
            const column = last
              ? (ky * window + kx) * c + channel
              : channel * window * window + ky * window + kx;
            return (
              pixel(n, y + ky - (window - 1) / 2, x + kx - (window - 1) / 2, channel) *
              element(ins[1]!, spots, [2, wide], out, column)
            );
          }),
        ),
      );
    const wanted = last
      ? build([2, h, w, 6], ([n, y, x, o]) => sum(n!, y!, x!, o!))
      : build([2, 6, h, w], ([n, o, y, x]) => sum(n!, y!, x!, o!));
    expect(disagreement(outs[0]!, wanted)).toBeNull();
  });
});

test("positions out of range are left out, parts that do not fit are refused", () => {
  const wild = runCall(
    "nn.sparse_dense",
    { name: "", args: ["Tensor[(1, 4), float32]", "Tensor[(5), float32]", ...indices] },
    {
      values: new Map([
        [2, [9, -1, 1, 4, 0]],
        [3, [-2, 2, 1, 99]],
      ]),
    },
  );
  expect(wild.outs[0]!.values.every(Number.isFinite)).toBe(true);
  expect(
    typeOfCall("nn.sparse_dense", [
      "Tensor[(1, 4), float32]",
      "Tensor[(5), float32]",
      "Tensor[(4), int32]",
      "Tensor[(4), int32]",
    ]).diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
  expect(
    typeOfCall("nn.sparse_conv2d", ["Tensor[(1, 2, 2, 4), float32]", "Tensor[(5, 2), float32]", ...indices], {
      kernel_size: [5, 5],
    }).diagnostics,
  ).toMatchObject([{ code: "RS2108" }]);
});
