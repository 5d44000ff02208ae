// Operators that move or make elements, against plain loops.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, opNamed, runCall, typeOfCall } from "../../../testing/harness/op-runner.ts";
import { printType } from "../../ir/type.ts";

const run = (
  name: string,
  args: readonly string[],
  attrs = {},
  values: ReadonlyMap<number, readonly number[]> = new Map(),
) => runCall(name, { name: "", args, attrs }, { values });

describe("reshape", () => {
  test.each([
    ["(2, 3, 4)", [4, 0, 2], "(4, 3, 2)"],
    ["(2, 3, 4)", [2, 0, 0], "(2, 3, 4)"],
    ["(2, 3, 4)", [6, 1, -1], "(6, 1, 4)"],
    ["(2, 3, 4)", [3, -1, 8], "(3, 1, 8)"],
    ["(2, 3, 4)", [-1], "(24)"],
    ["(2, 3, 4)", [-2], "(2, 3, 4)"],
    ["(2, 3, 4)", [2, -2], "(2, 3, 4)"],
    ["(2, 3, 4)", [-2, 1, 1], "(2, 3, 4, 1, 1)"],
    ["(2, 3, 4)", [-3, 4], "(6, 4)"],
    ["(2, 3, 4, 5)", [-3, -3], "(6, 20)"],
    ["(2, 3, 4)", [0, -3], "(2, 12)"],
    ["(2, 3, 4)", [-3, -2], "(6, 4)"],
    ["(2, 3, 4)", [-4, 1, 2, -2], "(1, 2, 3, 4)"],
    ["(2, 3, 4)", [2, -4, -1, 3, -2], "(2, 1, 3, 4)"],
    ["(1, 1)", [], "()"],
    ["()", [1, 1], "(1, 1)"],
    ["(2, 6, 1, 3)", [4, 3, 3], "(4, 3, 3)"],
    ["(0, 4)", [4, 0], null],
    ["(5, 0)", [0, 2, -1], "(5, 2, 0)"],
  ] as const)("%s with newshape=%o is %s", (from, newshape, to) => {
    const typed = typeOfCall("reshape", [`Tensor[${from}, float32]`], { newshape: [...newshape] });
    if (to === null) {
      expect(typed.diagnostics[0]).toMatchObject({ code: "RS2109" });
      return;
    }
    expect(printType(typed.type!)).toBe(to === "()" ? "float32" : `Tensor[${to}, float32]`);
    const { ins, outs } = run("reshape", [`Tensor[${from}, float32]`], { newshape: [...newshape] });
    expect(outs[0]!.values).toEqual(ins[0]!.values);
  });

  test.each([
    [[-1, -1], "more than one -1"],
    [[5, 5], "does not hold the elements"],
    [[-4, -1, -1, -2], "both parts"],
    [[0, 0, 0, 0], "no dimension of `data` left"],
    [[-3, -3], "no dimension of `data` left"],
    [[-5], "holds -5"],
    [[-4, 2], "not followed by two numbers"],
    [[-4, 3, 3, -2], "cannot be split"],
  ])("newshape=%o is refused: %s", (newshape, words) => {
    const typed = typeOfCall("reshape", ["Tensor[(2, 3, 4), float32]"], { newshape });
    expect(typed.type).toBeNull();
    expect(typed.diagnostics[0]).toMatchObject({ code: "RS2109" });
    expect(typed.diagnostics[0]!.message).toContain(words);
  });

  test("a dynamic dimension passes through 0 and is left to -1", () => {
    const type = (newshape: number[]) =>
      printType(typeOfCall("reshape", ["Tensor[(?, 4, 6), float32]"], { newshape }).type!);
    expect([type([0, -1]), type([-1, 24]), type([0, 24]), type([-3, 0])]).toEqual([
      "Tensor[(?, 24), float32]",
      "Tensor[(?, 24), float32]",
      "Tensor[(?, 24), float32]",
      "Tensor[(?, 6), float32]",
    ]);
  });

  test("contrib_reverse_reshape reads from the end, reshape_like takes axes", () => {
    expect(
      printType(
        typeOfCall("contrib_reverse_reshape", ["Tensor[(2, 3, 4), float32]"], { newshape: [-1, 0] }).type!,
      ),
    ).toBe("Tensor[(6, 4), float32]");
    const { ins, outs } = runCall("reshape_like", opNamed("reshape_like").examples[1]!);
    expect(outs[0]).toEqual({ shape: [1, 6, 2, 2], values: ins[0]!.values });
  });
});

test.each([[[2, 0, 1]], [[0, 2, 1]], [[-1, -2, -3]], [null]])("transpose by %o", (axes) => {
  const {
    ins: [x],
    outs,
  } = run("transpose", ["Tensor[(2, 3, 4), float32]"], axes === null ? {} : { axes });
  const order = (axes ?? [2, 1, 0]).map((axis) => (axis + 3) % 3);
  const wanted = build(
    order.map((axis) => x!.shape[axis]!),
    (index) => {
      const source = [0, 0, 0];
      order.forEach((axis, i) => {
        source[axis] = index[i]!;
      });
      return at(x!, ...source);
    },
  );
  expect(outs[0]).toEqual(wanted);
});

test("squeeze and expand_dims keep the elements", () => {
  for (const name of ["squeeze", "expand_dims"]) {
    for (const example of opNamed(name).examples) {
      const { ins, outs } = runCall(name, example);
      expect(outs[0]!.values).toEqual(ins[0]!.values);
    }
  }
  expect(
    printType(typeOfCall("expand_dims", ["Tensor[(3, 4), float32]"], { axis: 1, num_newaxis: 2 }).type!),
  ).toBe("Tensor[(3, 1, 1, 4), float32]");
  expect(printType(typeOfCall("expand_dims", ["Tensor[(3, 4), float32]"], { axis: -2 }).type!)).toBe(
    "Tensor[(3, 1, 4), float32]",
  );
  expect(typeOfCall("squeeze", ["Tensor[(3, 4), float32]"], { axis: [0] }).diagnostics).toMatchObject([
    { code: "RS2105", expected: "extent 1" },
  ]);
});

test.each(opNamed("concatenate").examples.map((example) => [example.name, example] as const))(
  "concatenate: %s",
  (_, example) => {
    const { ins, outs } = runCall("concatenate", example);
    const axis = example.attrs!["axis"] === -1 ? ins[0]!.shape.length - 1 : Number(example.attrs!["axis"]);
    const wanted = build(outs[0]!.shape, (index) => {
      let position = index[axis]!;
      for (const x of ins) {
        if (position < x.shape[axis]!) return at(x, ...index.map((i, d) => (d === axis ? position : i)));
        position -= x.shape[axis]!;
      }
      return NaN;
    });
    expect(outs[0]).toEqual(wanted);
  },
);

test.each([
  [3, [0, 2, 4], 6],
  [[1, 4], [0, 1, 4], 6],
  [[2], [0, 2], 6],
  [1, [0], 6],
])("split by %o", (pieces, begins, size) => {
  const {
    ins: [x],
    outs,
  } = run("split", ["Tensor[(2, 6, 2), float32]"], { indices_or_sections: pieces, axis: -2 });
  expect(outs).toEqual(
    begins.map((begin, i) =>
      build([2, (begins[i + 1] ?? size) - begin, 2], ([a, b, c]) => at(x!, a!, b! + begin, c!)),
    ),
  );
});

test.each([
  [4, "RS2105"],
  [[4, 2], "RS2105"],
  [[0, 3], "RS2105"],
  [[6], "RS2105"],
  [null, "RS2112"],
])("split by %o is refused", (pieces, code) => {
  expect(
    typeOfCall("split", ["Tensor[(6), float32]"], { indices_or_sections: pieces }).diagnostics,
  ).toMatchObject([{ code }]);
});

/** Python's slice of 0 … n-1. */
function pythonSlice(n: number, begin: number, end: number, stride: number): number[] {
  const clamp = (i: number): number =>
    Math.min(Math.max(i < 0 ? i + n : i, stride < 0 ? -1 : 0), stride < 0 ? n - 1 : n);
  const found: number[] = [];
  for (let i = clamp(begin); stride > 0 ? i < clamp(end) : i > clamp(end); i += stride) found.push(i);
  return found;
}

describe("strided_slice", () => {
  test.each([
    [0, 7, 1],
    [1, 6, 2],
    [-3, 100, 1],
    [-1, -6, -1],
    [6, 0, -2],
    [2, -1, 3],
    [5, 5, 1],
    [0, 1, 9],
  ])("begin=%i end=%i stride=%i", (begin, end, stride) => {
    const {
      ins: [x],
      outs,
    } = run("strided_slice", ["Tensor[(7, 2), float32]"], { begin: [begin], end: [end], strides: [stride] });
    const rows = pythonSlice(7, begin, end, stride);
    expect(outs[0]).toEqual(build([rows.length, 2], ([i, j]) => at(x!, rows[i!]!, j!)));
  });

  test("the dimension that is not named stays; sizes; axes", () => {
    const sizes = run("strided_slice", ["Tensor[(4, 6), float32]"], {
      begin: [1, 2],
      end: [2, -1],
      strides: [1, 1],
      slice_mode: "size",
    });
    expect(sizes.outs[0]).toEqual(build([2, 4], ([i, j]) => at(sizes.ins[0]!, i! + 1, j! + 2)));
    const one = run("strided_slice", ["Tensor[(2, 3, 8), float32]"], {
      begin: [2],
      end: [9223372036854775807n],
      strides: [3],
      axes: [-1],
    });
    expect(one.outs[0]).toEqual(build([2, 3, 2], ([i, j, k]) => at(one.ins[0]!, i!, j!, 2 + 3 * k!)));
  });

  test.each([
    [{ begin: [3], end: [1], strides: [1] }, "RS2111"],
    [{ begin: [0], end: [1], strides: [0] }, "RS2108"],
    [{ begin: [0], end: [1] }, "RS2112"],
    [{ begin: [0], end: [1], strides: [1], axes: [2] }, "RS2104"],
    [{ begin: [0, 0], end: [1], strides: [1], axes: [0] }, "RS2108"],
    [{ begin: [0], end: [1], strides: [1], slice_mode: "x" }, "RS2108"],
  ])("%o is refused", (attrs, code) => {
    expect(typeOfCall("strided_slice", ["Tensor[(4, 6), float32]"], attrs).diagnostics).toMatchObject([
      { code },
    ]);
  });
});

describe("take", () => {
  const table = new Map([[1, [-2, 0, 3, 5]]]);
  test.each([
    ["clip", [0, 0, 3, 3]],
    ["wrap", [2, 0, 3, 1]],
  ])("mode %s", (mode, rows) => {
    const {
      ins: [x],
      outs,
    } = run("take", ["Tensor[(4, 3), float32]", "Tensor[(2, 2), int32]"], { axis: 0, mode }, table);
    expect(outs[0]).toEqual(build([2, 2, 3], ([i, j, k]) => at(x!, rows[i! * 2 + j!]!, k!)));
  });

  test("fast takes indices as they are; None counts flattened elements; batch_dims go together", () => {
    const fast = run(
      "take",
      ["Tensor[(2, 4), float32]", "Tensor[(3), int64]"],
      { axis: -1, mode: "fast" },
      new Map([[1, [3, 0, 3]]]),
    );
    expect(fast.outs[0]).toEqual(build([2, 3], ([i, j]) => at(fast.ins[0]!, i!, [3, 0, 3][j!]!)));
    const flat = run(
      "take",
      ["Tensor[(3, 4), float32]", "Tensor[(3), int32]"],
      {},
      new Map([[1, [11, -4, 5]]]),
    );
    expect(flat.outs[0]!.values).toEqual([11, 0, 5].map((i) => flat.ins[0]!.values[i]!));
    const positions = [4, 0, 1, 1, 2, 9, 3, 0];
    const batched = run(
      "take",
      ["Tensor[(2, 5, 3), float32]", "Tensor[(2, 4), int32]"],
      { batch_dims: 1, axis: 1 },
      new Map([[1, positions]]),
    );
    expect(batched.outs[0]).toEqual(
      build([2, 4, 3], ([n, i, c]) => at(batched.ins[0]!, n!, Math.min(positions[n! * 4 + i!]!, 4), c!)),
    );
  });
});

test("where chooses by truth, broadcast", () => {
  const {
    ins: [c, x, y],
    outs,
  } = run(
    "where",
    ["Tensor[(3, 1), int32]", "Tensor[(4), float32]", "float32"],
    {},
    new Map([[0, [0, -2, 5]]]),
  );
  expect(outs[0]).toEqual(build([3, 4], ([i, j]) => (at(c!, i!, 0) !== 0 ? at(x!, j!) : y!.values[0]!)));
});

test("cast drops fractions, keeps signs, asks for not zero", () => {
  const values = new Map([[0, [1.9, -1.9, 0.2, -0.2]]]);
  expect(run("cast", ["Tensor[(4), float32]"], { dtype: "int32" }, values).outs[0]!.values).toEqual([
    1, -1, 0, 0,
  ]);
  expect(
    run("cast", ["Tensor[(4), int32]"], { dtype: "bool" }, new Map([[0, [0, 2, -1, 0]]])).outs[0]!.values,
  ).toEqual([0, 1, 1, 0]);
  expect(typeOfCall("cast", ["float32"], { dtype: "float23" }).diagnostics).toMatchObject([
    { code: "RS2108", got: '"float23"' },
  ]);
});

test("full, zeros and ones fill", () => {
  expect(run("full", ["float32"], { shape: [2, 2], dtype: "int32" }, new Map([[0, [7.6]]])).outs[0]).toEqual({
    shape: [2, 2],
    values: [7, 7, 7, 7],
  });
  expect(run("zeros", [], { shape: [3], dtype: "float32" }).outs[0]!.values).toEqual([0, 0, 0]);
  expect(run("ones", [], { shape: [2], dtype: "int8" }).outs[0]!.values).toEqual([1, 1]);
  expect(typeOfCall("zeros", [], { shape: [2] }).diagnostics).toMatchObject([
    { code: "RS2112", expected: "dtype=..." },
  ]);
});

test("layout_transform there and back", () => {
  const {
    ins: [x],
    outs,
  } = run("layout_transform", ["Tensor[(1, 8, 2, 3), float32]"], {
    src_layout: "NCHW",
    dst_layout: "NCHW4c",
  });
  expect(outs[0]).toEqual(build([1, 2, 2, 3, 4], ([n, c, h, w, i]) => at(x!, n!, c! * 4 + i!, h!, w!)));
  const back = run(
    "layout_transform",
    ["Tensor[(1, 2, 2, 3, 4), float32]"],
    { src_layout: "NCHW4c", dst_layout: "NCHW" },
    new Map([[0, outs[0]!.values]]),
  );
  expect(back.outs[0]).toEqual(x);
});

test("shape_of, ndarray_size, broadcast_to", () => {
  expect(run("shape_of", ["Tensor[(2, 3, 4), float32]"], { dtype: "int64" }).outs[0]).toEqual({
    shape: [3],
    values: [2, 3, 4],
  });
  expect(run("ndarray_size", ["Tensor[(3, 4), float32]"]).outs[0]).toEqual({ shape: [], values: [12] });
  const {
    ins: [x],
    outs,
  } = run("broadcast_to", ["Tensor[(2, 1), float32]"], { shape: [4, 2, 3] });
  expect(outs[0]).toEqual(build([4, 2, 3], ([, i]) => at(x!, i!, 0)));
});

test("nothing is lost of disagreement's strictness", () => {
  expect(disagreement({ shape: [2], values: [1, 2] }, { shape: [2], values: [1, 2.1] })).toContain(
    "element 1",
  );
});
