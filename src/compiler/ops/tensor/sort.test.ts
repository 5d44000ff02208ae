// Sorting, scans and scatters against plain JavaScript.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, runCall, typeOfCall } from "../../../testing/harness/op-runner.ts";

const run = (
  name: string,
  args: readonly string[],
  attrs = {},
  values: ReadonlyMap<number, readonly number[]> = new Map(),
) => runCall(name, { name: "", args, attrs }, { values });

/** Positions in sorted order, equal elements in their own. */
function order(values: readonly number[], ascending: boolean): number[] {
  return values
    .map((_, i) => i)
    .sort((a, b) => (ascending ? values[a]! - values[b]! : values[b]! - values[a]!) || a - b);
}

describe.each([1, 2, 3, 7, 16, 33])("sorting %i elements", (n) => {
  test.each([true, false])("ascending=%s", (ascending) => {
    const {
      ins: [x],
      outs,
    } = run("argsort", [`Tensor[(2, ${n}), int32]`], { is_ascend: ascending, dtype: "int64" });
    const row = (i: number): number[] => Array.from({ length: n }, (_, k) => at(x!, i, k));
    expect(outs[0]).toEqual(build([2, n], ([i, k]) => order(row(i!), ascending)[k!]!));
    const sorted = run("sort", [`Tensor[(${n}, 2), float32]`], { axis: 0, is_ascend: ascending });
    const column = (j: number): number[] => Array.from({ length: n }, (_, k) => at(sorted.ins[0]!, k, j));
    expect(sorted.outs[0]).toEqual(build([n, 2], ([k, j]) => column(j!)[order(column(j!), ascending)[k!]!]!));
  });
});

test("topk gives values and positions", () => {
  const {
    ins: [x],
    outs,
  } = run("topk", ["Tensor[(3, 9), int8]"], { k: 4, dtype: "int32" });
  const row = (i: number): number[] => Array.from({ length: 9 }, (_, k) => at(x!, i, k));
  expect(outs[1]).toEqual(build([3, 4], ([i, k]) => order(row(i!), false)[k!]!));
  expect(outs[0]).toEqual(build([3, 4], ([i, k]) => row(i!)[order(row(i!), false)[k!]!]!));
  expect(run("topk", ["Tensor[(5), float32]"], { k: 0, ret_type: "values" }).outs[0]!.shape).toEqual([5]);
  expect(typeOfCall("topk", ["Tensor[(5), float32]"], { k: 6 }).diagnostics).toMatchObject([
    { code: "RS2108", expected: "at most 5" },
  ]);
});

test.each([
  ["cumsum", 0, (a: number, b: number) => a + b],
  ["cumprod", 1, (a: number, b: number) => a * b],
] as const)("%s along axes, flattened, exclusive", (name, start, f) => {
  for (const [attrs, shape, line] of [
    [{ axis: 1 }, [2, 3, 2], (i: readonly number[]) => [0, 1, 2].map((k) => [i[0]!, k, i[2]!])],
    [{ axis: -1 }, [2, 3, 2], (i: readonly number[]) => [0, 1].map((k) => [i[0]!, i[1]!, k])],
  ] as const) {
    for (const exclusive of [false, true]) {
      const {
        ins: [x],
        outs,
      } = run(name, ["Tensor[(2, 3, 2), float32]"], { ...attrs, exclusive });
      const axis = attrs.axis === 1 ? 1 : 2;
      const wanted = build(shape, (i) =>
        line(i)
          .slice(0, i[axis]! + (exclusive ? 0 : 1))
          .reduce<number>((a, at_) => f(a, at(x!, ...at_)), start),
      );
      expect(disagreement(outs[0]!, wanted)).toBeNull();
    }
  }
  const flat = run(name, ["Tensor[(2, 3), float32]"], {});
  expect(
    disagreement(
      flat.outs[0]!,
      build([6], ([i]) => flat.ins[0]!.values.slice(0, i! + 1).reduce(f, start)),
    ),
  ).toBeNull();
});

test("cumsum in another dtype does not overflow", () => {
  const { outs } = run(
    "cumsum",
    ["Tensor[(3), int8]"],
    { axis: 0, dtype: "int32" },
    new Map([[0, [100, 100, 100]]]),
  );
  expect(outs[0]!.values).toEqual([100, 200, 300]);
});

test.each([
  ["scatter", (_: number, b: number) => b],
  ["scatter_add", (a: number, b: number) => a + b],
] as const)("%s", (name, f) => {
  const positions = [0, -1, 2, 1, 7, 0];
  const {
    ins: [x, , u],
    outs,
  } = run(
    name,
    ["Tensor[(2, 4), float32]", "Tensor[(2, 3), int32]", "Tensor[(2, 3), float32]"],
    { axis: 1 },
    new Map([[1, positions]]),
  );
  const values = [...x!.values];
  positions.forEach((p, k) => {
    const column = p < 0 ? p + 4 : p;
    const flat = Math.floor(k / 3) * 4 + column;
    if (column < 4) values[flat] = f(values[flat]!, u!.values[k]!);
  });
  expect(disagreement(outs[0]!, { shape: [2, 4], values })).toBeNull();
});

test("scatter_add adds at repeated positions", () => {
  const { outs } = run(
    "scatter_add",
    ["Tensor[(3), int32]", "Tensor[(4), int32]", "Tensor[(4), int32]"],
    {},
    new Map([
      [0, [1, 1, 1]],
      [1, [2, 2, 0, 2]],
      [2, [10, 20, 30, 40]],
    ]),
  );
  expect(outs[0]!.values).toEqual([31, 1, 71]);
});

test("scatter_nd updates elements and adds rows", () => {
  const one = run(
    "scatter_nd",
    ["Tensor[(3, 3), float32]", "Tensor[(2, 2), int32]", "Tensor[(2), float32]"],
    { mode: "update" },
    new Map([[1, [0, 2, 1, 5]]]),
  );
  expect(one.outs[0]).toEqual(
    build([3, 3], ([i, j]) => (i === 0 && j === 1 ? one.ins[2]!.values[0]! : at(one.ins[0]!, i!, j!))),
  );
  const rows = run(
    "scatter_nd",
    ["Tensor[(4, 3), float32]", "Tensor[(1, 2), int32]", "Tensor[(2, 3), float32]"],
    { mode: "add" },
    new Map([[1, [3, 3]]]),
  );
  expect(
    disagreement(
      rows.outs[0]!,
      build(
        [4, 3],
        ([i, j]) =>
          at(rows.ins[0]!, i!, j!) + (i === 3 ? at(rows.ins[2]!, 0, j!) + at(rows.ins[2]!, 1, j!) : 0),
      ),
    ),
  ).toBeNull();
});
