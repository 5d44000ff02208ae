import { type Compilation, aotPlan, wasmModule } from "../compiler/compilation.ts";
import { present } from "../support/assert.ts";
import { describe, expect, test } from "vitest";
import { nodeHost, filledInputs } from "../node/engine.ts";
import { emitWasm } from "../compiler/codegen/wasm/module.ts";
import { compile } from "../compiler/compile.ts";
import { float32 } from "../compiler/ir/dtype.ts";
import { tensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions } from "../compiler/options.ts";
import { makeBundle, runBundle, runBundleOnce, startBundle } from "./bundle.ts";
import { hasRelaxedSimd } from "./features.ts";
import { interpretModel } from "./interp-run.ts";
import { runModel } from "./run.ts";

/**
 * Two kernels, a constant, a reshape that the graph executor does not run, and an output that is an input of
 * another.
 */
const text = `#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 10, 10), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]);
  %1 = nn.relu(%0);
  %2 = reshape(%1, newshape=[4, 100]);
  %3 = nn.softmax(%2);
  (%3, %1)
}
`;

async function model(options = defaultOptions): Promise<Compilation> {
  const weight = tensorData(
    float32,
    [4, 3, 3, 3],
    Float32Array.from({ length: 108 }, (_, i) => Math.sin(i)),
  );
  const done = await compile(
    { kind: "relay", text, name: "test" },
    options,
    nodeHost,
    new Map([["w", weight]]),
  );
  expect(done.diagnostics.filter((found) => found.severity === "error")).toEqual([]);
  return done;
}

function expectClose(
  got: readonly { readonly data: ArrayLike<number | bigint> }[],
  want: readonly { readonly data: ArrayLike<number | bigint> }[],
): void {
  expect(got.length).toBe(want.length);
  got.forEach(({ data }, i) => {
    expect(data.length).toBe(want[i]!.data.length);
    for (let at = 0; at < data.length; at++)
      expect(Number(data[at])).toBeCloseTo(Number(want[i]!.data[at]), 5);
  });
}

describe("a model with a constant, two outputs and a reshape", () => {
  test("AOT, graph executor and interpreter agree; each call is timed", async () => {
    const done = await model();
    const inputs = filledInputs(done);
    const aot = runModel(done, inputs, { executor: "aot", repeats: 2, steps: true });
    const graph = runModel(done, inputs, { executor: "graph" });
    const plan = present(aotPlan(done), "AOT plan");
    expectClose(aot.outputs, interpretModel(plan, done.primitives, inputs));
    expectClose(graph.outputs, aot.outputs);
    expect(aot.callMicros).toHaveLength(plan.calls.length);
    expect(Math.max(...aot.callMicros)).toBeLessThan(Infinity);
  });

  test("without vectors where the option says so", async () => {
    const done = await model();
    const plain = await model({ ...defaultOptions, config: { "tir.disable_vectorize": "true" } });
    const wat = (of: Compilation): string => present(wasmModule(of), "WASM").wat().text;
    expect(wat(done)).toContain("v128");
    expect(wat(plain)).not.toContain("v128");
    expectClose(runModel(plain, filledInputs(plain)).outputs, runModel(done, filledInputs(done)).outputs);
  });

  test("a bundle is plain data and runs elsewhere", async () => {
    const done = await model();
    const bundle = structuredClone(runBundle(done)!);
    const result = runBundleOnce(bundle, "graph", filledInputs(done), 1, () => 0);
    expectClose(result.outputs, runModel(done, filledInputs(done)).outputs);
  });

  test("constants left for the driver, arena offsets from a planner, relaxed madd", async () => {
    const done = await model();
    const plan = present(aotPlan(done), "AOT plan");
    const inputs = filledInputs(done);
    const want = runModel(done, inputs).outputs;
    const apart = emitWasm(done.primitives, plan, null, { embedConstants: false });
    expect(apart.bytes.length).toBeLessThan(wasmModule(done)!.bytes.length - 400);
    expectClose(runBundleOnce(makeBundle(apart, plan, null), "aot", inputs, 0, () => 0).outputs, want);
    let offset = 64;
    const arenaOffsets = new Map(
      plan.allocs.map(([sid, bytes]) => {
        const at = offset;
        offset += Math.ceil(bytes / 16) * 16;
        return [sid, at];
      }),
    );
    const placed = emitWasm(done.primitives, plan, null, { arenaOffsets });
    for (const [sid, at] of arenaOffsets)
      expect(placed.layout.arenaBlocks.get(sid)!.offset - placed.layout.arena.offset).toBe(at);
    expectClose(runBundleOnce(makeBundle(placed, plan, null), "aot", inputs, 0, () => 0).outputs, want);
    expect(hasRelaxedSimd()).toBe(true);
    const relaxed = emitWasm(done.primitives, plan, null, { relaxedMadd: true });
    expectClose(runBundleOnce(makeBundle(relaxed, plan, null), "aot", inputs, 0, () => 0).outputs, want);
  });

  test("blocks of the layout do not overlap", async () => {
    const done = await model();
    const { layout } = wasmModule(done)!;
    const blocks = [
      ...layout.constants,
      ...layout.arenaBlocks.values(),
      ...layout.inputs,
      ...layout.outputs,
      layout.workspace,
    ].filter((block) => block.bytes > 0);
    const ordered = [...blocks].sort((a, b) => a.offset - b.offset);
    for (const [i, block] of ordered.entries()) {
      expect(block.offset % 16).toBe(0);
      if (i > 0) expect(block.offset).toBeGreaterThanOrEqual(ordered[i - 1]!.offset + ordered[i - 1]!.bytes);
    }
  });

  test("a missing input and one of another type are said by name", async () => {
    const done = await model();
    const running = startBundle(runBundle(done)!);
    expect(running.instance.functions.has("run_model")).toBe(true);
    expect(() => runModel(done, new Map())).toThrow("no value was given for input x");
    const wrong = tensorData(float32, [2], new Float32Array(2));
    expect(() => runModel(done, new Map([["x", wrong]]))).toThrow(
      "input x is (1, 3, 10, 10) float32, got (2) float32",
    );
  });

  test("every line of the listing of a kernel knows its primitive, and of the runner its call", async () => {
    const done = await model();
    const { text: wat, owners } = wasmModule(done)!.wat();
    const lines = wat.split("\n");
    const start = lines.findIndex((line) => line.includes(`(func $${done.primitives[0]!.symbol}`));
    const end = lines.findIndex((line, i) => i > start && line === "  )");
    const own = owners.slice(start, end);
    expect(own.every((owner) => owner?.primitive === 0 && owner.origin !== null)).toBe(true);
    const runner = lines.findIndex((line) => line.includes('(export "run_model")'));
    const calls = new Set(
      owners
        .slice(runner + 1)
        .map((owner) => owner?.call)
        .filter((call) => call !== undefined && call >= 0),
    );
    expect(calls.size).toBe(aotPlan(done)?.calls.length);
  });
});

test("more tensors than a WebAssembly function can take: refused with the place, thousands of them without a hang", async () => {
  const fields = Array.from({ length: 1200 }, () => "%x").join(", ");
  const many = `def @main(%x: Tensor[(4), float32]) {\n  concatenate((${fields}), axis=0)\n}\n`;
  const done = await compile(
    { kind: "relay", text: many, name: "many" },
    { ...defaultOptions, optLevel: 0, targets: [{ device: 1, kind: "wasm" }] },
    nodeHost,
    new Map(),
  );
  expect(done.stoppedAt).toBe("wasm");
  expect(done.diagnostics.map(({ code, got, span }) => [code, got, span !== null])).toEqual([
    ["RS6106", "1201", true],
  ]);
  const fused = await compile(
    { kind: "relay", text: many, name: "many" },
    defaultOptions,
    nodeHost,
    new Map(),
  );
  const x = tensorData(float32, [4], new Float32Array([1, 2, 3, 4]));
  expectClose(runModel(fused, new Map([["x", x]])).outputs, [
    { data: Float32Array.from({ length: 4800 }, (_, i) => (i % 4) + 1) },
  ]);
});
