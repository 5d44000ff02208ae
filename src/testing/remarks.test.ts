// Decisions that a person can ask for: what each pass did to which operator, why operators share a kernel or
// not, which storage was taken over and what was left over. They have a place in the source, and the page
// gets them.
import { describe, expect, it } from "vitest";
import { compileText, type CompiledText } from "../node/engine.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { summarize } from "../views/summarize.ts";

async function compiled(text: string, options: Partial<Options> = {}): Promise<CompiledText> {
  const done = await compileText(text, { ...defaultOptions, optLevel: 4, ...options }, "remarks");
  expect(done.diagnostics).toEqual([]);
  return done;
}

async function texts(text: string, pass: string, options: Partial<Options> = {}): Promise<readonly string[]> {
  return (await compiled(text, options)).compilation.remarks
    .filter((found) => found.pass === pass)
    .map((found) => found.text);
}

const net = `def @main(%x: Tensor[(1, 8, 10, 10), float32], %w: Tensor[(8, 8, 3, 3), float32], %b: Tensor[(8), float32], %mean: Tensor[(8), float32], %var: Tensor[(8), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
  %1 = nn.batch_norm(%0, %b, %b, %mean, %var);
  %2 = nn.bias_add(%1.0, %b);
  %3 = nn.max_pool2d(%2, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0]);
  %4 = exp(%3);
  %5 = exp(%3);
  %6 = nn.batch_flatten(add(%4, %5));
  nn.softmax(%6)
}`;
const bindFill = ["w", "b", "mean", "var"];

describe("remarks", () => {
  it("of every pass that changed the program, with places that reach the page", async () => {
    const { compilation: done } = await compiled(net, { bindFill });
    // These write types, devices and labels; InlineGlobals and normal forms move what is there.
    const quiet = new Set([
      "InferType",
      "PlanDevices",
      "LabelOps",
      "InlineGlobals",
      "ToBasicBlockNormalForm",
    ]);
    const silent = done.trace.steps
      .filter((step) => step.changed && !quiet.has(step.pass) && step.remarks[0] === step.remarks[1])
      .map((step) => step.pass);
    expect(silent).toEqual([]);
    const views = summarize(done, new Map()).remarks;
    expect(views.length).toBe(done.remarks.length);
    expect(
      views.filter((view) => view.sources.length === 0).map((view) => `${view.pass} ${view.text}`),
    ).toEqual([]);
    const seen = new Set(views.map((view) => view.pass));
    for (const pass of [
      "SimplifyInference",
      "FoldConstant",
      "EliminateCommonSubexpr",
      "FoldScaleAxis",
      "CanonicalizeOps",
      "FastMath",
      "FuseOps",
      "StorageRewrite",
      "GraphPlanMemory",
    ])
      expect([...seen]).toContain(pass);
  });

  it("say which rule changed what", async () => {
    expect(await texts(net, "SimplifyInference", { bindFill })).toEqual([
      "nn.batch_norm is written as add, sqrt, divide, multiply, expand_dims, negative",
    ]);
    expect(await texts(net, "EliminateCommonSubexpr", { bindFill })).toEqual([
      "exp is computed once: the same call on the same operands stands before",
    ]);
    expect(await texts(net, "FastMath", { bindFill })).toEqual([
      "exp is written as fast_exp",
      "nn.softmax is written as nn.fast_softmax",
    ]);
    expect(
      await texts(
        "def @main(%x: Tensor[(2, 3), float32]) { transpose(transpose(%x, axes=[1, 0]), axes=[1, 0]) }",
        "SimplifyExpr",
      ),
    ).toHaveLength(1);
    expect(
      await texts(
        "def @f(%x: Tensor[(2), float32]) { exp(%x) }\ndef @main(%x: Tensor[(2), float32]) { exp(%x) }",
        "RemoveUnusedFunctions",
      ),
    ).toEqual(["@f is dropped: @main does not reach it"]);
  });

  it("say why two operators share a kernel or not", async () => {
    const said = await texts(net, "FuseOps", { bindFill });
    expect(said).toContain("nn.conv2d runs in the same kernel as add");
    expect(said.some((text) => /^\S+ stays apart\b.*: /.test(text))).toBe(true);
  });

  it("say which storage was taken over, what was left over, and why none was", async () => {
    const chain =
      "def @main(%x: Tensor[(4, 16), float32]) {\n  %0 = nn.softmax(%x);\n  %1 = nn.softmax(%0);\n  %2 = sum(%1, axis=[1]);\n  %3 = nn.softmax(%2);\n  nn.softmax(%3)\n}";
    const rewrite = await texts(chain, "StorageRewrite", { optLevel: 3 });
    expect(rewrite[0]).toMatch(/^sid_\d+ gets storage of its own, 256 bytes: no storage is free$/);
    expect(
      rewrite.some((text) => /takes over the storage of sid_\d+ \(256 bytes held, 240 slack\)/.test(text)),
    ).toBe(true);
    expect(
      (await texts(chain, "GraphPlanMemory", { optLevel: 3 })).some((text) =>
        /takes over storage \d+ \(256 bytes held, 240 slack\)/.test(text),
      ),
    ).toBe(true);
  });
});
