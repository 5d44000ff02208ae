// External functions end to end: the text through the whole compiler, run by every way of running, and every
// refusal.
import { aotPlan, cModule } from "../../compilation.ts";
import { describe, expect, it } from "vitest";
import { compileText, filledInputs } from "../../../node/engine.ts";
import { defaultOptions, type Options } from "../../options.ts";
import { runC } from "../../../node/run-c.ts";
import { interpretModel } from "../../../runtime/interp-run.ts";
import { runModel } from "../../../runtime/run.ts";
import type { TensorData } from "../../ir/tensor-data.ts";

const packed: Partial<Options> = { unpackedApi: false, interfaceApi: "packed" };

/** `fn (params) -> result { body }` as an external function called on main's parameters of the same names. */
function external(
  params: string,
  args: string,
  body: string,
  after = "%r",
  attrs = 'Compiler="ccompiler", global_symbol="ext_0"',
): string {
  return `#[version = "0.0.5"]\ndef @main(${params}) {\n  %f = fn (${params}, Primitive=1, Inline=1, ${attrs}) { ${body} };\n  %r = %f(${args});\n  ${after}\n}`
    .replaceAll("%f", "%0")
    .replaceAll("%r", "%1");
}

async function refusal(text: string, options: Partial<Options> = {}) {
  const done = await compileText(text, { ...defaultOptions, ...options }, "test");
  return done.diagnostics.find((found) => found.severity === "error");
}

function values(outputs: readonly TensorData[]): readonly (readonly number[])[] {
  return outputs.map(({ data }) => [...data].map(Number));
}

/** The program without the attributes that send it elsewhere. */
function ours(text: string): string {
  return text.replaceAll(/, Primitive=1, Inline=1, Compiler="ccompiler", global_symbol="\w+"/g, "");
}

const f = (shape: string, dtype = "float32"): string => `Tensor[(${shape}), ${dtype}]`;

const programs: readonly (readonly [string, string])[] = [
  [
    "a chain on matrices",
    external(
      `%a: ${f("3, 4")}, %b: ${f("3, 4")}`,
      "%a, %b",
      "%2 = add(%a, %b); %3 = multiply(%2, %a); subtract(%3, %b)",
      "exp(%r)",
    ),
  ],
  [
    "rows, columns and scalars that broadcast",
    external(
      `%a: ${f("2, 3, 4")}, %b: ${f("4")}, %c: ${f("3, 1")}`,
      "%a, %b, %c",
      "%2 = add(%a, %b); %3 = multiply(%2, %c); subtract(2f, %3)",
    ),
  ],
  [
    "vectors, rank 0 and rank 4",
    external(
      `%a: ${f("5")}, %b: float32, %c: ${f("2, 1, 2, 2")}`,
      "%a, %b, %c",
      "%2 = add(%a, %a); %3 = multiply(%b, %b); %4 = subtract(%c, %c); (%2, %3, %4)",
    ),
  ],
  [
    "int32 that overflows",
    external(`%a: ${f("4", "int32")}`, "%a", "%2 = multiply(%a, 2000000000); add(%2, %2)"),
  ],
  [
    "int8 and uint8",
    external(
      `%a: ${f("4", "int8")}, %b: ${f("4", "uint8")}`,
      "%a, %b",
      "%2 = multiply(%a, %a); %3 = multiply(%2, %a); %4 = subtract(%b, add(%b, %b)); (%3, %4)",
    ),
  ],
  [
    "int64 and float64",
    external(
      `%a: ${f("4", "int64")}, %b: ${f("4", "float64")}`,
      "%a, %b",
      "%2 = multiply(%a, 9007199254740993); %3 = add(%b, %b); (%2, %3)",
    ),
  ],
  [
    "a result that is a parameter, and one twice",
    external(`%a: ${f("4")}, %b: ${f("4")}`, "%a, %b", "%2 = add(%a, %b); (%2, %a, %2)"),
  ],
  ["a parameter that nothing reads", external(`%a: ${f("4")}, %b: ${f("4")}`, "%a, %b", "add(%a, %a)")],
  [
    "names that the generator uses itself",
    external(
      `%buf_0: ${f("4")}, %out0: ${f("4")}, %ready: ${f("4")}`,
      "%buf_0, %out0, %ready",
      "%2 = add(%buf_0, %out0); multiply(%2, %ready)",
    ),
  ],
  [
    "lets and projections",
    external(`%a: ${f("4")}`, "%a", "let %t = add(%a, %a); %2 = (%t, %a); %3 = %2.0; multiply(%3, %2.1)"),
  ],
  [
    "constants",
    external(
      `%a: ${f("2, 2")}`,
      "%a",
      `%2 = add(%a, meta[relay.Constant][0] /* ty=${f("2, 2")} */); multiply(%2, meta[relay.Constant][1] /* ty=${f("2")} */)`,
      `%4 = multiply(%r, meta[relay.Constant][0] /* ty=${f("2, 2")} */); exp(%4)`,
    ),
  ],
];

describe("ccompiler", () => {
  it.each(programs)(
    "%s: C in both conventions, WebAssembly by both executors and the interpreter agree with our own lowering",
    async (_, text) => {
      const want = await compileText(ours(text), defaultOptions, "ours");
      expect(want.diagnostics.filter((found) => found.severity === "error")).toEqual([]);
      const inputs = filledInputs(want.compilation);
      const expected = values(runModel(want.compilation, inputs).outputs);
      const near = (got: readonly TensorData[]): void =>
        values(got).forEach((row, i) =>
          row.forEach((value, k) => expect(value).toBeCloseTo(expected[i]![k]!, 4)),
        );
      for (const options of [{ ...defaultOptions }, { ...defaultOptions, ...packed }]) {
        const { compilation } = await compileText(text, options, "external");
        expect(compilation.primitives.filter((primitive) => primitive.external !== null)).toHaveLength(1);
        near(runModel(compilation, inputs, { executor: "aot" }).outputs);
        near(runModel(compilation, inputs, { executor: "graph" }).outputs);
        near(runC(compilation, inputs));
        const plan = aotPlan(compilation);
        if (plan !== null) near(interpretModel(plan, compilation.primitives, inputs));
      }
    },
    60_000,
  );

  it("writes a file of its own with one function a call", async () => {
    const { compilation } = await compileText(programs[0]![1], defaultOptions, "external");
    const text = cModule(compilation)!.files.get("default_lib2.c")!.text;
    expect(text.match(/CSOURCE_BINARY_OP_2D\(ext_0_\d, [-+*], 3, 4, float, float\)/g)).toHaveLength(3);
    expect(text).toContain("TVM_DLL int32_t ext_0(void* arg0, void* arg1, void* ret0) {");
    expect(cModule(compilation)!.symbols).toEqual([
      "ext_0",
      "tvmgen_default_fused_exp",
      "tvmgen_default_run_model",
    ]);
    expect([...cModule(compilation)!.externalLibraries]).toEqual([["ext_0", 2]]);
  });

  it("lifts constants by TVM's names and numbers main's after them", async () => {
    const { compilation, json } = await compileText(programs[10]![1], defaultOptions, "external");
    const plan = aotPlan(compilation);
    expect([...plan!.externalParams.keys()]).toEqual(["ext_0_const_0", "ext_0_const_1"]);
    expect([...plan!.params.keys()]).toEqual(["p2"]);
    expect(plan!.calls[0]!.args).toHaveLength(2);
    expect(json.memory?.functions.main[0]?.constants_size_bytes).toBe(16);
    expect(json.memory?.functions.operator_functions[0]).toEqual({ function_name: "ext_0", workspace: [] });
  });
});

describe("symbols", () => {
  const one = `%a: ${f("4")}`;

  it("equal functions of one symbol are one; the symbol takes part in the module's names", async () => {
    const fn = (symbol: string): string =>
      `fn (${one}, Primitive=1, Compiler="ccompiler", global_symbol="${symbol}") { add(%a, %a) }`;
    const twice = await compileText(
      `#[version = "0.0.5"]\ndef @main(${one}) { %0 = ${fn("e")}; %1 = ${fn("e")}; %1(%0(%a)) }`,
      defaultOptions,
      "twice",
    );
    expect(twice.compilation.primitives.map(({ symbol, callSites }) => [symbol, callSites])).toEqual([
      ["e", 2],
    ]);
    const taken = await compileText(
      `#[version = "0.0.5"]\ndef @main(${one}) { %0 = ${fn("tvmgen_default_fused_exp")}; exp(%0(%a)) }`,
      defaultOptions,
      "taken",
    );
    expect(taken.compilation.primitives.map(({ symbol }) => symbol)).toEqual([
      "tvmgen_default_fused_exp",
      "tvmgen_default_fused_exp_1",
    ]);
    expect(taken.compilation.primitives[0]!.name).toBe("fused_exp");
  });
});

describe("refusals", () => {
  const one = `%a: ${f("4")}`;

  it("a generator that is not there: the function and the generator are named, the place is the function", async () => {
    const text = external(one, "%a", "add(%a, %a)", "%r", 'Compiler="dnnl", global_symbol="dnnl_0"');
    const found = await refusal(text);
    expect(found).toMatchObject({
      code: "RS4111",
      message: "there is no code generator relay.ext.dnnl for the external function dnnl_0",
      got: 'Compiler="dnnl"',
    });
    expect(text.slice(found!.span!.start, found!.span!.end)).toMatch(/^fn /);
  });

  it("a missing symbol, and one that is no C name", async () => {
    expect(await refusal(external(one, "%a", "add(%a, %a)", "%r", 'Compiler="ccompiler"'))).toMatchObject({
      code: "RS4112",
      message: 'an external function of "ccompiler" has no symbol',
    });
    expect(
      await refusal(external(one, "%a", "add(%a, %a)", "%r", 'Compiler="ccompiler", global_symbol="a b"')),
    ).toMatchObject({ code: "RS4112", message: '"a b" cannot be the symbol of an external function' });
  });

  it("one symbol for two functions: both places", async () => {
    const fn = (body: string): string =>
      `fn (${one}, Primitive=1, Compiler="ccompiler", global_symbol="same") { ${body} }`;
    const found = await refusal(
      `#[version = "0.0.5"]\ndef @main(${one}) { %0 = ${fn("add(%a, %a)")}; %1 = ${fn("multiply(%a, %a)")}; %1(%0(%a)) }`,
    );
    expect(found).toMatchObject({
      code: "RS4113",
      message: "two external functions are called same",
      related: [{ text: "the first same" }],
    });
  });

  it("a call that the generator does not take, and a body without calls", async () => {
    const found = await refusal(external(one, "%a", "exp(add(%a, %a))"));
    expect(found).toMatchObject({
      code: "RS4114",
      message: "ccompiler cannot compile exp in the external function ext_0",
    });
    expect((await refusal(external("%a: Tensor[(4), float16]", "%a", "add(%a, %a)")))?.got).toContain(
      "no C type for float16",
    );
    expect(await refusal(external(one, "%a", "%a"))).toMatchObject({ code: "RS4108" });
  });
});
