import type { Compilation } from "../compiler/compilation.ts";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../node/engine.ts";
import { compile } from "../compiler/compile.ts";
import { CompileError } from "../compiler/ir/diagnostic.ts";
import { parseDType } from "../compiler/ir/dtype.ts";
import { fillTensor } from "../compiler/ir/fill-rule.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../compiler/ir/type.ts";
import type { Example } from "../compiler/ops/define.ts";
import { ops } from "../compiler/ops/index.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { runCall } from "../testing/harness/op-runner.ts";
import { evaluateShapes, runDynamic, type DynamicProgram } from "./dynamic-run.ts";
import { interpretPrimitive } from "./interp-run.ts";
import { runPrimitive } from "./jit.ts";
import { runModel } from "./run.ts";

async function compiled(text: string, patch: Partial<Options> = {}): Promise<Compilation> {
  return compile({ kind: "relay", text, name: "test" }, { ...defaultOptions, ...patch }, nodeHost);
}

async function program(text: string, patch: Partial<Options> = {}): Promise<DynamicProgram> {
  const done = await compiled(text, patch);
  expect(done.diagnostics.filter((found) => found.severity === "error")).toEqual([]);
  if (done.reached !== "dynamic") throw new Error("not dynamic");
  return { plan: done.dynamic, te: done.teCompiler };
}

function tensor(
  dtype: string,
  shape: readonly number[],
  values: readonly number[] | null = null,
  name = "x",
): TensorData {
  const type = parseDType(dtype)!;
  if (values === null) return fillTensor(name, { kind: "tensor-type", shape, dtype: type });
  const data = allocateArray(type, elementCount(shape));
  values.forEach((value, i) => {
    data[i] = data instanceof BigInt64Array ? BigInt(value) : value;
  });
  return tensorData(type, shape, data);
}

/** [shape, values] of each output, the same by both engines. */
function run(of: DynamicProgram, inputs: Readonly<Record<string, TensorData>>) {
  const given = new Map(Object.entries(inputs));
  const shown = (values: readonly TensorData[]) =>
    values.map(({ shape, data }) => [shape, Array.from(data as ArrayLike<number | bigint>, Number)] as const);
  const found = shown(runDynamic(of, given, interpretPrimitive).values);
  const byWasm = shown(runDynamic(of, given, runPrimitive).values);
  expect(byWasm.map(([shape]) => shape)).toEqual(found.map(([shape]) => shape));
  byWasm.forEach(([, values], i) =>
    values.forEach((value, k) => expect(value).toBeCloseTo(found[i]![1][k]!, 4)),
  );
  return found;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CompileError) return `${error.diagnostic.code} ${error.diagnostic.got}`;
    throw error;
  }
  return "accepted";
}

describe("operators whose shapes depend on values", () => {
  const cases = [...ops.values()].flatMap((op) =>
    op.examples
      .filter((example) => example.results !== undefined)
      .map((example) => [`${op.name}: ${example.name}`, op.name, example] as const),
  );
  it.each(cases)("%s", async (_, name, example: Example) => {
    const params = example.args.map((type, i) => `%x${i}: ${type}`).join(", ");
    // Numbers that a dyn.* operator takes as arguments are attributes too, which mean nothing.
    const unused = Object.entries(ops.get(name)!.attrs)
      .filter(([, field]) => field.kind === "float" && !("default" in field))
      .map(([key]) => [key, 1] as const);
    const attrs = Object.entries({ ...Object.fromEntries(unused), ...example.attrs })
      .map(([key, value]) => `, ${key}=${JSON.stringify(value)}`)
      .join("");
    const of = await program(
      `def @main(${params}) { ${name}(${example.args.map((__, i) => `%x${i}`).join(", ")}${attrs}) }`,
    );
    const reference = runCall(name, example, { schedule: "plain" });
    const inputs = Object.fromEntries(
      of.plan.flow.params.map((param, i) => {
        const type = param.type as TensorType;
        return [param.name, tensor(type.dtype.name, staticShape(type)!, reference.ins[i]!.values)];
      }),
    );
    const outputs = run(of, inputs);
    expect(outputs.map(([shape]) => shape)).toEqual(reference.outs.map((out) => out.shape));
    outputs.forEach(([, values], i) =>
      values.forEach((value, k) => expect(value).toBeCloseTo(reference.outs[i]!.values[k]!, 4)),
    );
  });
});

describe("whole programs", () => {
  it("shapes made of shapes: nothing but shapes decides them", async () => {
    const of = await program(`def @main(%x: Tensor[(?, 4), float32]) {
  %0 = shape_of(%x, dtype="int64");
  %1 = take(%0, 0);
  %2 = multiply(%1, 2i64);
  %3 = expand_dims(%2, axis=0);
  %4 = dyn.full(1f, %3, dtype="float32");
  concatenate((%4, %4))
}`);
    expect(run(of, { x: tensor("float32", [3, 4]) })).toEqual([[[12], Array.from({ length: 12 }, () => 1)]]);
    const shapes = evaluateShapes(of, new Map([["x", [5, 4]]]), interpretPrimitive);
    expect([
      shapes.outputs.map((type) => type.shape),
      shapes.calls.map((call) => call.fromValues).flat(),
    ]).toEqual([[[20]], []]);
  });

  it("shapes from values, carried on", async () => {
    const of = await program(`def @main(%c: Tensor[(?, ?), float32]) {
  %0 = argwhere(greater(%c, 0f));
  %1 = transpose(%0);
  (%1, sum(cast(%0, dtype="float32"), axis=[0]))
}`);
    expect(run(of, { c: tensor("float32", [2, 3], [1, -1, 2, -2, 3, 0]) })).toEqual([
      [
        [2, 3],
        [0, 0, 1, 0, 2, 1],
      ],
      [[2], [1, 3]],
    ]);
    const shapes = evaluateShapes(of, new Map([["c", [2, 3]]]), runPrimitive);
    expect(shapes.calls.map((call) => call.fromValues)).toEqual([[], ["c"], ["c"], ["c"]]);
  });

  it("a branch is taken by its condition; both may differ in shape", async () => {
    const of = await program(`def @main(%c: bool, %x: Tensor[(?, 2), float32]) -> Tensor[(?, 2), float32] {
  if (%c) { concatenate((%x, %x)) } else { negative(%x) }
}`);
    expect(run(of, { c: tensor("bool", [], [1]), x: tensor("float32", [1, 2], [1, 2]) })).toEqual([
      [
        [2, 2],
        [1, 2, 1, 2],
      ],
    ]);
    expect(run(of, { c: tensor("bool", [], [0]), x: tensor("float32", [1, 2], [1, 2]) })).toEqual([
      [
        [1, 2],
        [-1, -2],
      ],
    ]);
  });

  it("a primitive gives back what it was given, unread", async () => {
    const text = `def @main(%a: Tensor[(?), int32], %b: Tensor[(?), float32]) {
  %0 = (%b, maximum(%a, %a));
  %0.0
}
`;
    for (const optLevel of [0, 1, 3] as const)
      expect(
        run(await program(text, { optLevel }), {
          a: tensor("int32", [2], [1, 2]),
          b: tensor("float32", [1], [7]),
        }),
      ).toEqual([[[1], [7]]]);
  });

  it("at every level, with let, tuples, constants and a result that is an input", async () => {
    const text = `def @main(%x: Tensor[(?, 2), float32], %y: Tensor[(2), float32]) {
  let %a = add(%x, %y);
  let %s = split(%a, indices_or_sections=2, axis=1);
  (%x, (%s.0, multiply(%s.1, 2f)))
}`;
    for (const optLevel of [0, 1, 2, 3, 4] as const) {
      const of = await program(text, { optLevel });
      expect(
        run(of, { x: tensor("float32", [2, 2], [1, 2, 3, 4]), y: tensor("float32", [2], [10, 20]) }),
      ).toEqual([
        [
          [2, 2],
          [1, 2, 3, 4],
        ],
        [
          [2, 1],
          [11, 13],
        ],
        [
          [2, 1],
          [44, 48],
        ],
      ]);
    }
  });

  it("convolution and dense over a batch of none", async () => {
    const of =
      await program(`def @main(%x: Tensor[(?, 1, ?, ?), float32], %w: Tensor[(2, 1, 3, 3), float32]) {
  nn.relu(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=2, kernel_size=[3, 3]))
}`);
    expect(run(of, { x: tensor("float32", [0, 1, 4, 5]), w: tensor("float32", [2, 1, 3, 3]) })).toEqual([
      [[0, 2, 4, 5], []],
    ]);
    expect(
      run(of, { x: tensor("float32", [2, 1, 3, 4]), w: tensor("float32", [2, 1, 3, 3], null, "w") })[0]![0],
    ).toEqual([2, 2, 3, 4]);
  });

  it("a chain of 10,000 calls", async () => {
    const lines = Array.from(
      { length: 9_999 },
      (_, i) => `  %${i + 1} = annotation.stop_fusion(tanh(%${i}));`,
    );
    const of = await program(
      `def @main(%x: Tensor[(?), float32]) {\n  %0 = tanh(%x);\n${lines.join("\n")}\n  %9999\n}`,
    );
    expect(evaluateShapes(of, new Map([["x", [3]]]), interpretPrimitive).outputs[0]!.shape).toEqual([3]);
  }, 60_000);
});

describe("refusals", () => {
  const text = "def @main(%x: Tensor[(?, 4), float32], %y: Tensor[(?), float32]) { add(%x, %y) }";

  it("a shape that the data cannot be broadcast to is refused", async () => {
    const of = await program(
      "def @main(%x: Tensor[(3), float32], %s: Tensor[(2), int64]) { dyn.broadcast_to(%x, %s) }",
    );
    const x = tensor("float32", [3], [1, 5, 2]);
    const act = (...values: number[]): string =>
      refusal(() =>
        runDynamic(
          of,
          new Map([
            ["x", x],
            ["s", tensor("int64", [2], values)],
          ]),
          runPrimitive,
        ),
      );
    expect(act(2, 5)).toBe("RS2103 (3) and (2, 5)");
    expect(run(of, { x, s: tensor("int64", [2], [1, 3]) })).toEqual([
      [
        [1, 3],
        [1, 5, 2],
      ],
    ]);
  });

  it("a reshape by a vector of no elements has a known shape and is computed", async () => {
    const done = await compiled(
      "def @main(%x: Tensor[(1), float32], %s: Tensor[(0), int64]) { negative(dyn.reshape(%x, %s)) }",
      { optLevel: 0 },
    );
    const given = new Map([
      ["x", tensor("float32", [1], [3])],
      ["s", tensor("int64", [0], [])],
    ]);
    for (const executor of ["aot", "graph"] as const)
      expect([...runModel(done, given, { executor, repeats: 0 }).outputs[0]!.data]).toEqual([-3]);
  });

  it("topk gives no more than there are", async () => {
    const text =
      'def @main(%x: Tensor[(2), float32], %k: int64) { dyn.topk(%x, %k, ret_type="indices", dtype="int32") }';
    const of = await program(text);
    const x = tensor("float32", [2], [1, 5]);
    expect(run(of, { x, k: tensor("int64", [], [5]) })).toEqual([[[2], [1, 0]]]);
    expect(run(of, { x, k: tensor("int64", [], [1]) })).toEqual([[[1], [1]]]);
  });

  it("refuse a shape that values make negative or too large", async () => {
    const of = await program('def @main(%s: Tensor[(2), int64]) { dyn.zeros(%s, dtype="float32") }');
    const act = (...values: number[]): string =>
      refusal(() => runDynamic(of, new Map([["s", tensor("int64", [2], values)]]), runPrimitive));
    expect(act(-5, -3)).toBe("RS1032 a negative dimension");
    expect(act(2 ** 20, 2 ** 20)).toBe(`RS1032 ${2 ** 42} bytes`);
    expect(run(of, { s: tensor("int64", [2], [0, 2]) })).toEqual([[[0, 2], []]]);
  });

  it("refuse an axis to squeeze that is not 1, and a shape of other elements, alone and fused", async () => {
    const squeezed = (text: string) =>
      program(`def @main(%x: Tensor[(1, 3), float32], %a: Tensor[(1), int64]) { ${text} }`);
    for (const of of [await squeezed("dyn.squeeze(%x, %a)"), await squeezed("sqrt(dyn.squeeze(%x, %a))")]) {
      const act = (axis: number): string =>
        refusal(() =>
          runDynamic(
            of,
            new Map([
              ["x", tensor("float32", [1, 3])],
              ["a", tensor("int64", [1], [axis])],
            ]),
            runPrimitive,
          ),
        );
      expect(act(1)).toBe("RS6507 (1)");
      expect(act(0)).toBe("accepted");
    }
  });

  it("names what is missing or does not fit", async () => {
    const of = await program(text);
    const act = (inputs: Readonly<Record<string, TensorData>>) =>
      refusal(() => runDynamic(of, new Map(Object.entries(inputs)), runPrimitive));
    expect(act({ x: tensor("float32", [2, 4]) })).toBe("RS6502 nothing");
    expect(act({ x: tensor("float32", [2, 5]), y: tensor("float32", [4]) })).toBe("RS6503 (2, 5)");
    expect(act({ x: tensor("float64", [2, 4]), y: tensor("float32", [4]) })).toBe(
      "RS6503 float64 of shape (2, 4)",
    );
    expect(act({ x: tensor("float32", [2, 4]), y: tensor("float32", [3]) })).toBe("RS2103 (2, 4) and (3)");
  });

  it("an operator without a shape function", async () => {
    const done = await compiled(
      "def @main(%x: Tensor[(1, 4, ?, 6), float32]) { vision.yolo_reorg(%x, stride=2) }",
    );
    expect([done.stoppedAt, done.diagnostics.map(({ code, severity }) => [code, severity])]).toEqual([
      "lower",
      [
        ["RS5002", "warning"],
        ["RS4115", "error"],
      ],
    ]);
  });
});
