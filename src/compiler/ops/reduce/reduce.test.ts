// Reductions over all, some and all but some axes, against plain loops.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, runCall, typeOfCall, type Nd } from "../../../testing/harness/op-runner.ts";

interface Attrs {
  readonly axis?: readonly number[];
  readonly keepdims?: boolean;
  readonly exclude?: boolean;
}

/** For every index of the result the combined elements in row-major order of the combined axes. */
function groups(
  x: Nd,
  attrs: Attrs,
): { readonly shape: number[]; readonly of: (index: readonly number[]) => number[] } {
  const rank = x.shape.length;
  const named = (attrs.axis ?? x.shape.map((_, i) => i)).map((axis) => (axis + rank) % rank);
  const axes = x.shape.map((_, i) => i).filter((i) => named.includes(i) !== (attrs.exclude === true));
  const shape = x.shape.flatMap((dim, i) =>
    axes.includes(i) ? (attrs.keepdims === true ? [1] : []) : [dim],
  );
  return {
    shape,
    of: (index) => {
      const fixed = attrs.keepdims === true ? index.filter((_, i) => !axes.includes(i)) : index;
      const found: number[] = [];
      build(x.shape, (source) => {
        const outer = source.filter((_, i) => !axes.includes(i));
        if (outer.every((v, i) => v === fixed[i])) found.push(at(x, ...source));
        return 0;
      });
      return found;
    },
  };
}

const first = (values: readonly number[], better: (a: number, b: number) => boolean): number =>
  values.reduce((best, v, i) => (better(v, values[best]!) ? i : best), 0);
const average = (v: readonly number[]): number => v.reduce((a, b) => a + b, 0) / v.length;

const reducers: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (v) => v.reduce((a, b) => a + b, 0),
  prod: (v) => v.reduce((a, b) => a * b, 1),
  max: (v) => Math.max(...v),
  min: (v) => Math.min(...v),
  mean: average,
  argmax: (v) => first(v, (a, b) => a > b),
  argmin: (v) => first(v, (a, b) => a < b),
};

const cases: readonly Attrs[] = [
  {},
  { keepdims: true },
  { axis: [1] },
  { axis: [-1], keepdims: true },
  { axis: [0, 2] },
  { axis: [2, 0], keepdims: true },
  { axis: [1], exclude: true },
  { axis: [0, 1], exclude: true, keepdims: true },
];

describe.each(Object.entries(reducers))("%s", (name, f) => {
  test.each(cases)("%o", (attrs) => {
    for (const dtype of name === "mean" || name === "prod" ? ["float32"] : ["float32", "int32"]) {
      const { ins, outs } = runCall(name, {
        name: "",
        args: [`Tensor[(3, 4, 5), ${dtype}]`],
        attrs: { ...attrs },
      });
      const { shape, of } = groups(ins[0]!, attrs);
      expect(
        disagreement(
          outs[0]!,
          build(shape, (index) => f(of(index))),
        ),
      ).toBeNull();
    }
  });
});

test.each([
  ["all", (v: readonly number[]) => Number(v.every((x) => x === 1))],
  ["any", (v: readonly number[]) => Number(v.includes(1))],
] as const)("%s", (name, f) => {
  for (const attrs of cases) {
    const { ins, outs } = runCall(name, { name: "", args: ["Tensor[(3, 2, 2), bool]"], attrs: { ...attrs } });
    const { shape, of } = groups(ins[0]!, attrs);
    expect(
      disagreement(
        outs[0]!,
        build(shape, (index) => f(of(index))),
      ),
    ).toBeNull();
  }
});

test("argmax takes the first of equals, or the last", () => {
  const values = new Map([[0, [1, 5, 2, 5, 5, 0]]]);
  const run = (last: boolean): readonly number[] =>
    runCall(
      "argmax",
      { name: "", args: ["Tensor[(6), int8]"], attrs: { select_last_index: last } },
      { values },
    ).outs[0]!.values;
  expect([run(false), run(true)]).toEqual([[1], [4]]);
});

test.each([false, true])("variance, unbiased=%s", (unbiased) => {
  const {
    ins: [x, m],
    outs,
  } = runCall("variance", {
    name: "",
    args: ["Tensor[(2, 3, 4), float32]", "Tensor[(2, 1, 4), float32]"],
    attrs: { axis: [1], unbiased },
  });
  const wanted = build(
    [2, 4],
    ([a, c]) =>
      [0, 1, 2].reduce((sum, b) => sum + (at(x!, a!, b, c!) - at(m!, a!, 0, c!)) ** 2, 0) /
      (unbiased ? 2 : 3),
  );
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});

test("a scalar has nothing to combine", () => {
  expect(runCall("sum", { name: "", args: ["float32"] }, { values: new Map([[0, [2.5]]]) }).outs[0]).toEqual({
    shape: [],
    values: [2.5],
  });
});

test("collapse_sum_like sums what broadcasting would repeat", () => {
  const {
    ins: [x],
    outs,
  } = runCall("collapse_sum_like", {
    name: "",
    args: ["Tensor[(2, 3, 4), float32]", "Tensor[(3, 1), float32]"],
  });
  const wanted = build([3, 1], ([i]) =>
    [0, 1].reduce((sum, a) => sum + [0, 1, 2, 3].reduce((s, c) => s + at(x!, a, i!, c), 0), 0),
  );
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});

test.each([
  [{ axis: [3] }, "RS2104", "-3 to 2", "3"],
  [{ axis: [0, -3] }, "RS2104", "distinct axes", "[0, -3]"],
  [{ exclude: true }, "RS2112", "axis=[...] beside exclude=True", "axis=None"],
])("bad axes %o are refused", (attrs, code, expected, got) => {
  expect(typeOfCall("sum", ["Tensor[(2, 3, 4), float32]"], attrs).diagnostics).toMatchObject([
    { code, expected, got },
  ]);
});
