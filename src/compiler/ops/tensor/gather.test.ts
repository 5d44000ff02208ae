// Operators that pick, repeat, turn and rearrange elements, against plain loops.
import { expect, test } from "vitest";
import { at, build, disagreement, runCall, typeOfCall } from "../../../testing/harness/op-runner.ts";

const run = (
  name: string,
  args: readonly string[],
  attrs = {},
  values: ReadonlyMap<number, readonly number[]> = new Map(),
) => runCall(name, { name: "", args, attrs }, { values });

test("gather takes the nearest of positions out of range", () => {
  const picks = [0, 3, 2, 1, -4, 9];
  const {
    ins: [x],
    outs,
  } = run("gather", ["Tensor[(3, 4), float32]", "Tensor[(3, 2), int32]"], { axis: 1 }, new Map([[1, picks]]));
  expect(outs[0]).toEqual(
    build([3, 2], ([i, j]) => at(x!, i!, Math.min(Math.max(picks[i! * 2 + j!]!, 0), 3))),
  );
});

test("gather_nd: elements, rows, batches", () => {
  const picks = [0, 1, 2, 0, 2, 3, 2, 1, 0, 3];
  const one = run(
    "gather_nd",
    ["Tensor[(3, 4), float32]", "Tensor[(2, 5), int32]"],
    {},
    new Map([[1, picks]]),
  );
  expect(one.outs[0]).toEqual(build([5], ([k]) => at(one.ins[0]!, picks[k!]!, picks[5 + k!]!)));
  const rows = run(
    "gather_nd",
    ["Tensor[(3, 4), float32]", "Tensor[(1, 2), int32]"],
    {},
    new Map([[1, [2, 0]]]),
  );
  expect(rows.outs[0]).toEqual(build([2, 4], ([k, j]) => at(rows.ins[0]!, [2, 0][k!]!, j!)));
  const batch = run(
    "gather_nd",
    ["Tensor[(2, 3, 4), float32]", "Tensor[(1, 2, 5), int32]"],
    { batch_dims: 1 },
    new Map([[1, picks.map((p) => p % 3)]]),
  );
  expect(batch.outs[0]).toEqual(
    build([2, 5, 4], ([n, k, j]) => at(batch.ins[0]!, n!, picks[n! * 5 + k!]! % 3, j!)),
  );
});

test("one_hot marks positions; others mark nothing", () => {
  const values = new Map([
    [0, [0, 4, 5, -1]],
    [1, [3]],
    [2, [0.5]],
  ]);
  const { outs } = run(
    "one_hot",
    ["Tensor[(4), int32]", "float32", "float32"],
    { depth: 5, dtype: "float32" },
    values,
  );
  expect(outs[0]).toEqual(build([4, 5], ([i, j]) => ([0, 4, 5, -1][i!] === j ? 3 : 0.5)));
  const first = run(
    "one_hot",
    ["Tensor[(2, 3), int32]", "int32", "int32"],
    { depth: 4, axis: 0, dtype: "int32" },
    new Map([
      [0, [0, 1, 2, 3, 0, 1]],
      [1, [1]],
      [2, [0]],
    ]),
  );
  expect(first.outs[0]).toEqual(
    build([4, 2, 3], ([d, i, j]) => Number([0, 1, 2, 3, 0, 1][i! * 3 + j!] === d)),
  );
});

test("repeat, tile, reverse, stack", () => {
  const repeated = run("repeat", ["Tensor[(2, 3), float32]"], { repeats: 2, axis: -1 });
  expect(repeated.outs[0]).toEqual(build([2, 6], ([i, j]) => at(repeated.ins[0]!, i!, Math.floor(j! / 2))));
  const tiled = run("tile", ["Tensor[(2, 3), float32]"], { reps: [2, 1, 3] });
  expect(tiled.outs[0]).toEqual(build([2, 2, 9], ([, i, j]) => at(tiled.ins[0]!, i!, j! % 3)));
  const turned = run("reverse", ["Tensor[(2, 3, 4), float32]"], { axis: 1 });
  expect(turned.outs[0]).toEqual(build([2, 3, 4], ([i, j, k]) => at(turned.ins[0]!, i!, 2 - j!, k!)));
  const stacked = run("stack", ["(Tensor[(2), int32], Tensor[(2), int32], Tensor[(2), int32])"], {
    axis: -1,
  });
  expect(stacked.outs[0]).toEqual(build([2, 3], ([i, k]) => at(stacked.ins[k!]!, i!)));
});

test("reverse_sequence turns the first elements of every batch", () => {
  const lengths = [1, 3, 9];
  const {
    ins: [x],
    outs,
  } = run(
    "reverse_sequence",
    ["Tensor[(4, 3), float32]", "Tensor[(3), int32]"],
    { seq_axis: 0, batch_axis: 1 },
    new Map([[1, lengths]]),
  );
  expect(outs[0]).toEqual(
    build([4, 3], ([s, b]) => {
      const n = Math.min(lengths[b!]!, 4);
      return at(x!, s! < n ? n - 1 - s! : s!, b!);
    }),
  );
});

test("sequence_mask keeps the valid elements", () => {
  const {
    ins: [x],
    outs,
  } = run(
    "sequence_mask",
    ["Tensor[(4, 2, 3), float32]", "Tensor[(2), int32]"],
    { mask_value: -1 },
    new Map([[1, [1, 3]]]),
  );
  expect(outs[0]).toEqual(build([4, 2, 3], ([s, b, k]) => (s! < [1, 3][b!]! ? at(x!, s!, b!, k!) : -1)));
});

test("unravel_index divides by the extents after", () => {
  const { outs } = run(
    "unravel_index",
    ["Tensor[(3), int32]", "Tensor[(2), int32]"],
    {},
    new Map([
      [0, [22, 41, 37]],
      [1, [7, 6]],
    ]),
  );
  expect(outs[0]).toEqual({ shape: [2, 3], values: [3, 6, 6, 4, 5, 1] });
});

test("slice_like, meshgrid, reinterpret", () => {
  const sliced = run("slice_like", ["Tensor[(3, 4), float32]", "Tensor[(2, 3), int8]"]);
  expect(sliced.outs[0]).toEqual(build([2, 3], ([i, j]) => at(sliced.ins[0]!, i!, j!)));
  expect(
    typeOfCall("slice_like", ["Tensor[(3, 4), float32]", "Tensor[(5, 3), int8]"]).diagnostics,
  ).toMatchObject([{ code: "RS2111" }]);
  const grid = run("meshgrid", ["(Tensor[(2), float32], Tensor[(3), float32])"], { indexing: "xy" });
  expect(grid.outs).toEqual([
    build([3, 2], ([, j]) => at(grid.ins[0]!, j!)),
    build([3, 2], ([i]) => at(grid.ins[1]!, i!)),
  ]);
  expect(
    run("reinterpret", ["Tensor[(2), float32]"], { dtype: "int32" }, new Map([[0, [1, -2]]])).outs[0]!.values,
  ).toEqual([0x3f800000, 0xc0000000 | 0]);
});

test("depth_to_space and space_to_depth undo each other", () => {
  const deep = run("nn.depth_to_space", ["Tensor[(1, 8, 3, 2), float32]"], { block_size: 2 });
  expect(deep.outs[0]).toEqual(
    build([1, 2, 6, 4], ([, c, y, x]) =>
      at(deep.ins[0]!, 0, ((y! % 2) * 2 + (x! % 2)) * 2 + c!, Math.floor(y! / 2), Math.floor(x! / 2)),
    ),
  );
  const back = run(
    "nn.space_to_depth",
    ["Tensor[(1, 2, 6, 4), float32]"],
    { block_size: 2 },
    new Map([[0, deep.outs[0]!.values]]),
  );
  expect(back.outs[0]).toEqual(deep.ins[0]);
  const crd = run("nn.depth_to_space", ["Tensor[(1, 8, 3, 2), float32]"], { block_size: 2, mode: "CRD" });
  expect(crd.outs[0]).toEqual(
    build([1, 2, 6, 4], ([, c, y, x]) =>
      at(crd.ins[0]!, 0, c! * 4 + (y! % 2) * 2 + (x! % 2), Math.floor(y! / 2), Math.floor(x! / 2)),
    ),
  );
});

test("space_to_batch_nd and batch_to_space_nd undo each other", () => {
  const attrs = {
    block_shape: [2, 3],
    paddings: [
      [1, 0],
      [0, 1],
    ],
  };
  const spread = run("nn.space_to_batch_nd", ["Tensor[(2, 3, 5), float32]"], { ...attrs, pad_value: 2 });
  const padded = build([2, 4, 6], ([n, y, x]) =>
    y! >= 1 && x! < 5 ? at(spread.ins[0]!, n!, y! - 1, x!) : 2,
  );
  expect(spread.outs[0]).toEqual(
    build([12, 2, 2], ([b, y, x]) => {
      const block = Math.floor(b! / 2);
      return at(padded, b! % 2, y! * 2 + Math.floor(block / 3), x! * 3 + (block % 3));
    }),
  );
  const back = run(
    "nn.batch_to_space_nd",
    ["Tensor[(12, 2, 2), float32]"],
    {
      block_shape: [2, 3],
      crops: [
        [1, 0],
        [0, 1],
      ],
    },
    new Map([[0, spread.outs[0]!.values]]),
  );
  expect(back.outs[0]).toEqual(spread.ins[0]);
});

test("cross entropies", () => {
  const values = new Map([
    [0, [0.1, 0.2, 0.7, 0.5, 0.25, 0.25]],
    [1, [0, 0, 1, 1, 0, 0]],
  ]);
  const wanted = { shape: [], values: [-(Math.log(0.7) + Math.log(0.5)) / 2] };
  expect(
    disagreement(
      run("nn.cross_entropy", ["Tensor[(2, 3), float32]", "Tensor[(2, 3), float32]"], {}, values).outs[0]!,
      wanted,
    ),
  ).toBeNull();
  expect(
    disagreement(
      run("nn.cross_entropy_with_logits", ["Tensor[(2, 3), float32]", "Tensor[(2, 3), float32]"], {}, values)
        .outs[0]!,
      { shape: [], values: [-(0.7 + 0.5) / 2] },
    ),
  ).toBeNull();
});

test("fixed_point_multiply rounds halves up", () => {
  const { outs } = run(
    "fixed_point_multiply",
    ["Tensor[(5), int32]"],
    { multiplier: 1 << 30, shift: 0 },
    new Map([[0, [3, -3, 100, 1, -1]]]),
  );
  expect(outs[0]!.values).toEqual([2, -1, 50, 1, 0]);
});
