// Programs as deep as anyone may write them end in no stack overflow, on any back end.
import { describe, expect, it } from "vitest";
import { aotPlan } from "../compiler/compilation.ts";
import { defaultOptions } from "../compiler/options.ts";
import { ops } from "../compiler/ops/index.ts";
import { printType } from "../compiler/ir/type.ts";
import { printModule } from "../compiler/relay/text/print.ts";
import { at } from "../support/assert.ts";
import { compileText, filledInputs } from "../node/engine.ts";
import { runC } from "../node/run-c.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { parseText } from "./harness/relay-text.ts";
import { chainText } from "./networks/chain.ts";

/** First output of `text` by WASM, the interpreter and C; checked to be alike. */
async function outputsOf(text: string, maxDepth = 256): Promise<readonly number[]> {
  const options = {
    ...defaultOptions,
    config: { ...defaultOptions.config, "relay.FuseOps.max_depth": String(maxDepth) },
  };
  const { compilation, diagnostics } = await compileText(text, options, "deep");
  expect(diagnostics).toEqual([]);
  const inputs = filledInputs(compilation);
  const plan = aotPlan(compilation);
  if (plan === null || compilation.reached !== "wasm") throw new Error("no plan");
  const [wasm, interp, c] = [
    runModel(compilation, inputs).outputs,
    interpretModel(plan, compilation.primitives, inputs),
    runC(compilation, inputs),
  ].map((outputs) => Array.from(at(outputs, 0, "output").data, Number));
  wasm!.forEach((value, i) => {
    expect(interp![i]).toBeCloseTo(value, 5);
    expect(c![i]).toBeCloseTo(value, 5);
  });
  return wasm!;
}

describe("10,000 calls in one group", () => {
  it("of floats", async () => {
    const values = await outputsOf(chainText(10_000, ["nn.relu", "negative", "abs", "sigmoid"]), -1);
    expect(values).toHaveLength(16);
  });
});

it("200 of tanh, reshape, relu and transpose: indices that multiply with each reshape", async () => {
  const lines = Array.from({ length: 200 }, (_, i) => {
    const from = i === 0 ? "%x" : `%${i - 1}`;
    const shape = i % 8 < 4 ? "2, 8" : "4, 4";
    return [
      `tanh(${from})`,
      `reshape(${from}, newshape=[${shape}])`,
      `nn.relu(${from})`,
      `transpose(${from}, axes=[1, 0])`,
    ][i % 4]!;
  });
  const text = `def @main(%x: Tensor[(4, 4), float32]) {
${lines.map((call, i) => `%${i} = ${call};`).join("\n")}
%199
}`;
  expect(await outputsOf(text)).toHaveLength(16);
});

it("a stack of 3,000 tensors compiles", async () => {
  const text = `def @main(%x: Tensor[(2), float32]) {
%0 = negative(%x);
%1 = (${Array.from({ length: 3_000 }, (_, i) => (i % 2 === 0 ? "%0" : "%x")).join(", ")});
stack(%1, axis=0)
}`;
  const { compilation, diagnostics } = await compileText(text, defaultOptions, "deep");
  expect(diagnostics).toEqual([]);
  expect(compilation.reached).toBe("wasm");
});

describe("3,000 nested tuples", () => {
  const depth = 3_000;
  const wrapped = (from: string) =>
    Array.from({ length: depth }, (_, i) => `%${i} = (${i === 0 ? from : `%${i - 1}`},);`);
  const tensor = "Tensor[(2), float32]";
  const type = `${"(".repeat(depth)}${tensor}${",)".repeat(depth)}`;
  const last = `%${depth - 1}`;

  it("as a value and as the result, its type inferred or written", async () => {
    const body = `${wrapped("%x").join("\n")}\n${last}`;
    for (const result of ["", ` -> ${type}`])
      expect(await outputsOf(`def @main(%x: ${tensor})${result} {\n${body}\n}`)).toHaveLength(2);
  });

  it("as a parameter, through a call and a branch", async () => {
    const text = `def @main(%p: ${type}, %c: bool) {
  let %f = fn (%q: ${type}) -> ${type} { %q };
  %0 = if (%c) { %f(%p) } else { %p };
  nn.relu(%0${".0".repeat(depth)})
}`;
    expect(await outputsOf(text)).toHaveLength(2);
  });

  it("printed and read back", async () => {
    const text = `def @main(%x: ${tensor}) {\n${wrapped("%x").join("\n")}\nlet %t = ${last};\n%t\n}`;
    const { compilation } = await compileText(text, defaultOptions, "deep");
    const printed = printModule(compilation.trace.steps[0]!.after, { ops, showMeta: false }).text;
    expect(printed).toContain(type);
    expect(parseType(type)).toBe(type);
  });
});

/** `text` as a parameter's type, read and printed. */
function parseType(text: string): string {
  const { module } = parseText(`def @main(%x: ${text}) { %x }`);
  return printType(at([...(module.functions.get("main")?.params ?? [])], 0, "parameter").annotation!);
}
