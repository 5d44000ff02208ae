// Programs as deep as anyone may write them end in no stack overflow: they compile and give the same on every
// back end, or are refused with the place.
import { describe, expect, it } from "vitest";
import { aotPlan } from "../compiler/compilation.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { ops } from "../compiler/ops/index.ts";
import { printType } from "../compiler/ir/type.ts";
import { printModule } from "../compiler/relay/text/print.ts";
import { at } from "../support/assert.ts";
import { compileText, filledInputs, type CompiledText } from "../node/engine.ts";
import { runC } from "../node/run-c.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { parseText } from "./harness/relay-text.ts";

const tensor = "Tensor[(2), float32]";

/** `n` lines, each given its number and the name of the value before. */
function chain(n: number, line: (before: string, i: number) => string, first = "%x"): string {
  return Array.from({ length: n }, (_, i) => line(i === 0 ? first : `%${i - 1}`, i)).join("\n");
}

const optionsOf = (maxDepth: number): Options => ({
  ...defaultOptions,
  config: { ...defaultOptions.config, "relay.FuseOps.max_depth": String(maxDepth) },
});

async function compiled(text: string, maxDepth = 256): Promise<CompiledText> {
  const all = await compileText(text, optionsOf(maxDepth), "deep");
  expect(all.diagnostics).toEqual([]);
  expect(all.compilation.reached).toBe("wasm");
  return all;
}

type Engine = "interpreter" | "C";

/** First output of `text` by WASM, checked to be that of the others. */
async function outputsOf(
  text: string,
  maxDepth = 256,
  others: readonly Engine[] = ["interpreter", "C"],
): Promise<readonly number[]> {
  const { compilation } = await compiled(text, maxDepth);
  const inputs = filledInputs(compilation);
  const plan = aotPlan(compilation);
  if (plan === null || compilation.reached !== "wasm") throw new Error("no plan");
  const values = (outputs: ReturnType<typeof runC>): readonly number[] =>
    Array.from(at(outputs, 0, "output").data, Number);
  const wasm = values(runModel(compilation, inputs).outputs);
  for (const other of others) {
    const found = values(
      other === "C" ? runC(compilation, inputs) : interpretModel(plan, compilation.primitives, inputs),
    );
    expect(found).toHaveLength(wasm.length);
    found.forEach((value, i) => {
      expect(value).toBeCloseTo(at(wasm, i, "value"), 5);
    });
  }
  return wasm;
}

describe("calls in one group, some of whose values are read twice", () => {
  const calls = [
    "nn.relu(P)",
    "add(P, P)",
    "multiply(P, P)",
    "nn.leaky_relu(P, alpha=0.1f)",
    "clip(P, a_min=-6f, a_max=6f)",
    "sigmoid(P)",
  ];
  const program = (n: number): string => `def @main(%x: Tensor[(16), float32]) {
${chain(n, (before, i) => `%${i} = ${at(calls, i % calls.length, "call").replaceAll("P", before)};`)}
%${n - 1}
}`;

  it("10,000 on WASM and the interpreter", async () => {
    expect(await outputsOf(program(10_000), -1, ["interpreter"])).toHaveLength(16);
  });

  it("400 in C too", async () => {
    expect(await outputsOf(program(400), -1)).toHaveLength(16);
  });
});

it("300 of tanh, reshape, relu and transpose: indices that multiply with each reshape", async () => {
  const text = `def @main(%x: Tensor[(4, 4), float32]) {
${chain(300, (from, i) => {
  const shape = i % 8 < 4 ? "2, 8" : "4, 4";
  const calls = [
    `tanh(${from})`,
    `reshape(${from}, newshape=[${shape}])`,
    `nn.relu(${from})`,
    `transpose(${from}, axes=[1, 0])`,
  ];
  return `%${i} = ${at(calls, i % 4, "call")};`;
})}
%299
}`;
  expect(await outputsOf(text, -1)).toHaveLength(16);
});

it("400 dynamic reshapes and joins in one group give what static ones do", async () => {
  const program = (rows: string): string => `def @main(%x: Tensor[(${rows}, 2), float32]) {
${chain(400, (from, i) => {
  const values = [
    `reshape(${from}, newshape=[2, -1])`,
    `reshape(${from}, newshape=[-1, 2])`,
    `(${from}, %x)`,
    `concatenate(${from})`,
  ];
  return `%${i} = ${at(values, i % 4, "value")};`;
})}
%399
}`;
  const { compilation } = await compiled(program("4"), -1);
  const inputs = filledInputs(compilation);
  const dynamic = await compileText(program("?"), optionsOf(-1), "deep");
  expect(dynamic.compilation.reached).toBe("dynamic");
  const [found, expected] = [dynamic.compilation, compilation].map(
    (each) => runModel(each, inputs, { repeats: 0 }).outputs[0],
  );
  expect(found?.shape).toEqual([404, 2]);
  expect(found?.data).toEqual(expected?.data);
});

describe("many tensors", () => {
  const fields = (n: number): string => Array.from({ length: n }, (_, i) => (i % 2 ? "%0" : "%x")).join(", ");

  it("a stack of 3,000", async () => {
    await compiled(`def @main(%x: ${tensor}) {
%0 = negative(%x);
%1 = (${fields(3_000)});
stack(%1, axis=0)
}`);
  });

  it("a tuple of 10,000 as the result", async () => {
    await compiled(`def @main(%x: ${tensor}) {
%0 = negative(%x);
(${fields(10_000)})
}`);
  });
});

describe("3,000 nested tuples", () => {
  const depth = 3_000;
  const type = `${"(".repeat(depth)}${tensor}${",)".repeat(depth)}`;
  const last = `%${depth - 1}`;
  const wrapped = chain(depth, (from, i) => `%${i} = (${from},);`);

  it("as a value and as the result, whose type and text are printed and read back", async () => {
    const text = `def @main(%x: ${tensor}) {\n${wrapped}\n${last}\n}`;
    expect(await outputsOf(text)).toHaveLength(2);
    const { module } = parseText(`def @main(%x: ${tensor}) -> ${type} {\n${wrapped}\n${last}\n}`);
    const printed = printModule(module, { ops, showMeta: false }).text;
    expect(printed).toContain(type);
    const again = parseText(printed);
    expect(again.diagnostics).toEqual([]);
    expect(printModule(again.module, { ops, showMeta: false }).text).toBe(printed);
  });

  it("as a parameter, through a call and a branch", async () => {
    const text = `def @main(%p: ${type}, %c: bool) {
  let %f = fn (%q: ${type}) -> ${type} { %q };
  %0 = if (%c) { %f(%p) } else { %p };
  nn.relu(%0${".0".repeat(depth)})
}`;
    expect(await outputsOf(text, 256, ["interpreter"])).toHaveLength(2);
  });

  it("written as a type, and as a value inside itself", () => {
    const { module, diagnostics } = parseText(
      `def @main(%x: ${type}, %y: ${tensor}) { ${"(".repeat(depth)}%y${",)".repeat(depth)} }`,
    );
    expect(diagnostics).toEqual([]);
    const main = module.functions.get("main");
    expect(printType(at(main?.params ?? [], 0, "parameter").annotation!)).toBe(type);
    let nested = 0;
    let value = main?.body;
    for (; value?.kind === "tuple"; value = value.fields[0]) nested++;
    expect(nested).toBe(depth);
  });
});

describe("deep text compiles", () => {
  const deep = 1_000;
  const programs: Readonly<Record<string, string>> = {
    parentheses: `def @main(%x: ${tensor}) { ${"(".repeat(deep)}nn.relu(%x)${")".repeat(deep)} }`,
    sums: `def @main(%x: ${tensor}) { %x${" + %x".repeat(deep)} }`,
    "lets, each a branch": `def @main(%x: ${tensor}, %c: bool) {
let %v0 = %x;
${Array.from({ length: 200 }, (_, i) => `let %v${i + 1} = if (%c) { negative(%v${i}) } else { abs(%v${i}) };`).join("\n")}
%v200
}`,
    "branches, each the condition of the next": `def @main(%c: bool) {
${chain(300, (before, i) => `%${i} = if (${before}) { %c } else { logical_not(%c) };`, "%c")}
%299
}`,
    "a branch in which much is stored": `def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(2, 2), float32], %c: bool) {
if (%c) {
${chain(500, (before, i) => `%${i} = nn.dense(${before}, %w, units=2);`)}
%499
} else { %x }
}`,
    "functions, each calling the one before": `def @main(%x: ${tensor}) {
let %f0 = fn (%y: ${tensor}) { negative(%y) };
${Array.from({ length: 500 }, (_, i) => `let %f${i + 1} = fn (%y${i}: ${tensor}) { %f${i}(%y${i}) };`).join("\n")}
%f500(%x)
}`,
    references: `def @main(%x: ${tensor}) {
${chain(300, (before, i) => `%${i} = ref(${before});`)}
let %r = %299;
nn.relu(%x)
}`,
  };
  for (const [name, text] of Object.entries(programs))
    it(name, async () => {
      await compiled(text);
    });
});

describe("deeper text is refused with its place", () => {
  const deep = 3_000;
  const many = (part: string): string => part.repeat(deep);
  const list = "type List[A] { Cons(A, List[A]), Nil, }\n";
  const main = (body: string): string => `def @main(%x: ${tensor}, %c: bool) { ${body} }`;
  const nested = "Nested more than 256 deep.";
  const scopes = "Branches and bodies of functions nest more than 240 deep.";
  const rows: readonly (readonly [name: string, text: string, message: string])[] = [
    ["branches", main(`${many("if (%c) { ")}%x${many(" } else { %x }")}`), nested],
    ["other branches", main(`${many("if (%c) { %x } else { ")}%x${many(" }")}`), nested],
    ["functions", main(`let %f = ${many("fn () { ")}%x${many(" }")}; %x`), nested],
    ["calls", main(`${many("negative(")}%x${many(")")}`), nested],
    ["references", main(`${many("ref(")}%x${many(")")}`), nested],
    ["lists", main(`reshape(%x, newshape=${many("[")}2${many("]")})`), nested],
    ["blocks", main(`${many("{ ")}%x${many(" }")}`), nested],
    ["data", `${list}${main(`let %l = ${many("Cons(%x, ")}Nil${many(")")}; %x`)}`, nested],
    [
      "patterns",
      `${list}${main(`match (Cons(%x, Nil)) { ${many("Cons(_, ")}_${many(")")} => %x, _ => %x }`)}`,
      nested,
    ],
    ["types of functions", `def @main(%f: ${many("fn (")}bool${many(") -> bool")}) { 1f }`, nested],
    ["parentheses", main(`${many("((")}%x${many("))")}`), "Nested more than 4096 deep."],
    [
      "branches through values",
      main(
        `${chain(deep, (before, i) => `%${i} = if (%c) { negative(${before}) } else { %x };`)} %${deep - 1}`,
      ),
      scopes,
    ],
    [
      "functions through values",
      main(
        `%0 = fn () { %x }; ${Array.from({ length: deep }, (_, i) => `%${i + 1} = fn () { %${i}() };`).join("\n")} %${deep}()`,
      ),
      scopes,
    ],
  ];
  for (const [name, text, message] of rows)
    it(name, async () => {
      const { diagnostics } = await compileText(text, defaultOptions, "deep");
      const found = at(diagnostics, 0, "diagnostic");
      expect([found.code, found.message]).toEqual(["RS1005", message]);
      expect(found.span).not.toBeNull();
    });
});
