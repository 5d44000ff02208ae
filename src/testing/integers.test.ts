// Integers of every dtype at the edges of their range, on the interpreter, WebAssembly and C (which a
// sanitizer watches), unfused and fused, against bigint.
import { describe, expect, it } from "vitest";
import { aotPlan, cModule } from "../compiler/compilation.ts";
import {
  bool,
  float32,
  int16,
  int32,
  int64,
  int8,
  uint16,
  uint32,
  uint64,
  uint8,
  parseDType,
  type DType,
} from "../compiler/ir/dtype.ts";
import { allocateArray, tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions } from "../compiler/options.ts";
import { compileText } from "../node/engine.ts";
import { runCProgram } from "../node/run-c.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { present } from "../support/assert.ts";
import { arithmetic, comparison, division, edges, wrap, type Oracle } from "./oracles/integers.ts";

type Values = readonly (number | bigint)[];

function tensor(dtype: DType, values: Values, shape: readonly number[] = [values.length]): TensorData {
  const data = allocateArray(dtype, values.length);
  values.forEach((value, i) => {
    data[i] = data instanceof BigInt64Array || data instanceof BigUint64Array ? BigInt(value) : Number(value);
  });
  return tensorData(dtype, shape, data);
}

/** Results of a program by every way of running, which must all be `want`. */
async function expectAll(
  text: string,
  given: Readonly<Record<string, TensorData>>,
  want: readonly (readonly string[])[],
  names: readonly string[] = [],
): Promise<void> {
  for (const optLevel of [0, 3] as const) {
    const { compilation: done } = await compileText(text, { ...defaultOptions, optLevel }, "integers");
    expect(done.diagnostics.filter((found) => found.severity === "error")).toEqual([]);
    const inputs = new Map(Object.entries(given));
    const plan = present(aotPlan(done), "AOT plan");
    const program = { c: present(cModule(done), "C"), plan, options: done.options };
    const flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"];
    const ordered = plan.inputs.map(({ name }) => present(inputs.get(name), name));
    const ways = {
      interpreter: interpretModel(plan, done.primitives, inputs),
      wasm: runModel(done, inputs, { executor: "aot" }).outputs,
      c: runCProgram(program, ordered, { flags }).outputs,
    };
    for (const [way, outputs] of Object.entries(ways))
      outputs.forEach((out, i) =>
        expect(
          Array.from<number | bigint>(out.data).map(String),
          `${names[i] ?? text} on ${way} at level ${optLevel}`,
        ).toEqual(want[i]),
      );
  }
}

const integers = [int8, int16, int32, int64, uint8, uint16, uint32, uint64];

describe.each(integers.map((dtype) => [dtype.name, dtype] as const))("%s", (name, dtype) => {
  const pairs = (divisors: boolean): readonly (readonly [bigint, bigint])[] =>
    edges(dtype).flatMap((a) =>
      edges(dtype).flatMap((b): (readonly [bigint, bigint])[] => (divisors && b === 0n ? [] : [[a, b]])),
    );

  it.each([
    ["arithmetic and comparisons", { ...arithmetic, ...comparison }, false],
    ["division", division, true],
  ] as const)("%s of two tensors", async (_, oracles: Readonly<Record<string, Oracle>>, divisors) => {
    const all = pairs(divisors);
    const names = Object.keys(oracles);
    const type = `Tensor[(${all.length}), ${name}]`;
    await expectAll(
      `def @main(%a: ${type}, %b: ${type}) { (${names.map((op) => `${op}(%a, %b)`).join(", ")}) }`,
      {
        a: tensor(
          dtype,
          all.map(([a]) => a),
        ),
        b: tensor(
          dtype,
          all.map(([, b]) => b),
        ),
      },
      names.map((op) =>
        all.map(([a, b]) =>
          String(wrap(oracles[op]!(a, b, dtype), Object.hasOwn(comparison, op) ? bool : dtype)),
        ),
      ),
      names,
    );
  });
});

describe("rules that hold only without overflow leave data alone", () => {
  const top = 2n ** 31n - 1n;
  const w = (value: bigint): bigint => wrap(value, int32);
  const rows: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
    [`cast(less_equal(%a, ${top}), dtype="int32")`, () => 1n],
    [`cast(greater_equal(%a, -${top}), dtype="int32")`, (a) => (a >= -top ? 1n : 0n)],
    [`cast(less(%a, add(%a, 1)), dtype="int32")`, (a) => (a < w(a + 1n) ? 1n : 0n)],
    [`cast(less_equal(%a, %b), dtype="int32")`, (a, b) => (a <= b ? 1n : 0n)],
    [`maximum(add(%a, 1), %a)`, (a) => (w(a + 1n) > a ? w(a + 1n) : a)],
    [`minimum(subtract(%a, 3), subtract(%a, 1))`, (a) => (w(a - 3n) < w(a - 1n) ? w(a - 3n) : w(a - 1n))],
    [`floor_divide(multiply(%a, 4), 4)`, (a) => division["floor_divide"]!(w(a * 4n), 4n, int32)],
    [`floor_mod(add(multiply(%a, 4), %b), 4)`, (a, b) => division["floor_mod"]!(w(w(a * 4n) + b), 4n, int32)],
    [`divide(multiply(%a, 6), 3)`, (a) => w(a * 6n) / 3n],
    [
      `cast(equal(multiply(%a, 2), multiply(%b, 2)), dtype="int32")`,
      (a, b) => (w(a * 2n) === w(b * 2n) ? 1n : 0n),
    ],
    [`where(less(add(%a, ${top}), 0), %a, %b)`, (a, b) => (w(a + top) < 0n ? a : b)],
    [`sign(negative(%a))`, (a) => (w(-a) > 0n ? 1n : w(-a) < 0n ? -1n : 0n)],
    [`abs(%a)`, (a) => w(a < 0n ? -a : a)],
    [`clip(add(%a, 1), a_min=0f, a_max=9f)`, (a) => (w(a + 1n) < 0n ? 0n : w(a + 1n) > 9n ? 9n : w(a + 1n))],
  ];
  it("at every level, on every back end", async () => {
    const all = edges(int32).flatMap((a) => edges(int32).map((b) => [a, b] as const));
    const type = `Tensor[(${all.length}), int32]`;
    await expectAll(
      `def @main(%a: ${type}, %b: ${type}) { (${rows.map(([text]) => text).join(", ")}) }`,
      {
        a: tensor(
          int32,
          all.map(([a]) => a),
        ),
        b: tensor(
          int32,
          all.map(([, b]) => b),
        ),
      },
      rows.map(([, value]) => all.map(([a, b]) => String(value(a, b)))),
      rows.map(([text]) => text),
    );
  });
});

describe("NaN", () => {
  it("loses on the left of a comparison and wins on the right, as in TVM's generated code, vectors and tails alike", async () => {
    const base = [NaN, 1, -2, 0, Infinity, -Infinity, 7, NaN, 3];
    const a = [...base, ...base];
    const b = [...base.slice(1), NaN, ...base.slice(2), NaN, 5];
    const least = (x: number, y: number): number => (x < y ? x : y);
    const most = (x: number, y: number): number => (x > y ? x : y);
    const rows: readonly (readonly [string, (x: number, y: number) => number])[] = [
      ["maximum(%a, %b)", most],
      ["minimum(%a, %b)", least],
      ["nn.relu(%a)", (x) => most(x, 0)],
      ["clip(%a, a_min=-1f, a_max=6f)", (x) => most(least(x, 6), -1)],
      ["sign(%a)", (x) => (x > 0 ? 1 : x < 0 ? -1 : 0)],
      [`cast(less(%a, %b), dtype="float32")`, (x, y) => (x < y ? 1 : 0)],
      [`cast(not_equal(%a, %a), dtype="float32")`, (x) => (Number.isNaN(x) ? 1 : 0)],
    ];
    for (const dtype of ["float32", "float64"] as const) {
      const make = (values: readonly number[]): TensorData => {
        const data = dtype === "float32" ? Float32Array.from(values) : Float64Array.from(values);
        return tensorData(present(parseDType(dtype), dtype), [values.length], data);
      };
      const type = `Tensor[(${a.length}), ${dtype}]`;
      const text = rows.map(([call]) => call.replaceAll("float32", dtype)).join(", ");
      await expectAll(
        `def @main(%a: ${type}, %b: ${type}) { (${text}) }`,
        { a: make(a), b: make(b) },
        rows.map(([, value]) => a.map((x, i) => String(value(x, b[i]!)))),
        rows.map(([call]) => call),
      );
    }
  });

  it("argmax and argmin, their ties, starts and empty axes; max, sort, argsort and topk", async () => {
    const rows = [
      [NaN, 1, 2],
      [1, NaN, 2],
      [3, 1, NaN],
      [-Infinity, -Infinity, -Infinity],
      [Infinity, Infinity, Infinity],
    ];
    const fold = (better: (x: number, y: number) => boolean) => (row: readonly number[]) => {
      let best = 0;
      for (let i = 1; i < row.length; i++)
        if (!(better(row[best]!, row[i]!) || row[best] === row[i])) best = i;
      return String(best);
    };
    const x = tensorData(float32, [5, 3], Float32Array.from(rows.flat()));
    await expectAll(
      `def @main(%x: Tensor[(5, 3), float32]) { (argmax(%x, axis=[1]), argmin(%x, axis=[1])) }`,
      { x },
      [rows.map(fold((p, q) => p > q)), rows.map(fold((p, q) => p < q))],
    );
    await expectAll(
      `def @main(%x: Tensor[(2, 3), int32], %y: Tensor[(2, 3), uint8], %e: Tensor[(2, 0), int32]) {
  (argmax(%x, axis=[1]), argmax(%y, axis=[1]), argmin(%x, axis=[1]), argmax(%e, axis=[1]), argmax(%x, axis=[1], select_last_index=True))
}`,
      {
        x: tensor(int32, [-(2 ** 31), -(2 ** 31), -(2 ** 31), 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1], [2, 3]),
        y: tensor(uint8, [0, 0, 0, 255, 255, 255], [2, 3]),
        e: tensor(int32, [], [2, 0]),
      },
      [
        ["0", "0"],
        ["0", "0"],
        ["0", "0"],
        ["0", "0"],
        ["2", "2"],
      ],
    );
    const y = tensorData(float32, [6], Float32Array.of(3, NaN, 1, 2, NaN, 0));
    await expectAll(`def @main(%y: Tensor[(6), float32]) { (max(%y), min(%y)) }`, { y }, [["0"], ["0"]]);
  });
});

describe("single findings", () => {
  it("searchsorted behind the greatest integer, scatter_add of bool, fixed point that overflows", async () => {
    const text = `def @main(%s: Tensor[(4), int32], %v: Tensor[(2), int32], %m: Tensor[(3), bool], %i: Tensor[(3), int32],
  %u: Tensor[(3), bool], %x: Tensor[(4), int32]) {
  (searchsorted(%s, %v, right=True, dtype="int32"), scatter_add(%m, %i, %u, axis=0), add(%m, %u),
   fixed_point_multiply(%x, multiplier=2147483647, shift=31), fixed_point_multiply(%x, multiplier=-2147483648, shift=-1))
}`;
    const given = [2 ** 31 - 1, -(2 ** 31), 5, -3];
    const fixed = (x: number, y: bigint, shift: bigint): string => {
      const left = shift > 0n ? shift : 0n;
      const right = 31n - (shift > 0n ? 0n : shift);
      return String(wrap(BigInt.asIntN(64, (BigInt(x) << left) * y + (1n << (right - 1n))) >> right, int32));
    };
    await expectAll(
      text,
      {
        s: tensor(int32, [-5, 0, 2 ** 31 - 1, 2 ** 31 - 1]),
        v: tensor(int32, [2 ** 31 - 1, -(2 ** 31)]),
        m: tensor(bool, [1, 0, 0]),
        i: tensor(int32, [0, 0, 1]),
        u: tensor(bool, [1, 1, 1]),
        x: tensor(int32, given),
      },
      [
        ["4", "0"],
        ["1", "1", "0"],
        ["1", "1", "1"],
        given.map((x) => fixed(x, 2147483647n, 31n)),
        given.map((x) => fixed(x, -2147483648n, -1n)),
      ],
    );
  });
});
