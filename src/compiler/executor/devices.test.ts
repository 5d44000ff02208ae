// Programs for two devices through the whole compiler: plans against TVM's records, memory per device,
// functions per target, values.
import { aotPlan, cModule, graphPlan } from "../compilation.ts";
import { present } from "../../support/assert.ts";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileText, filledInputs } from "../../node/engine.ts";
import { defaultOptions, type Options } from "../options.ts";
import { compareGraph } from "../../testing/harness/compare-plans.ts";
import { runC } from "../../node/run-c.ts";
import { interpretModel } from "../../runtime/interp-run.ts";
import { runModel } from "../../runtime/run.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { planGreedy } from "../memory/arena.ts";
import { tensorLives } from "../memory/lives.ts";
import { aotEvents } from "./memory-events.ts";

const two: Options = {
  ...defaultOptions,
  targets: [
    { device: 1, kind: "c" },
    { device: 4, kind: "opencl" },
  ],
};
const folder = new URL("../../testing/golden/devices/", import.meta.url);

interface DeviceRecord {
  readonly name: string;
  readonly input: string;
  readonly graph?: unknown;
  readonly error?: string;
}

const records = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as DeviceRecord);

async function compiled(text: string, options: Options = two) {
  const done = await compileText(text, options, "test");
  expect(done.diagnostics.filter((found) => found.severity === "error")).toEqual([]);
  const plan = present(aotPlan(done.compilation), "AOT plan");
  return { ...done, plan, graphPlan: present(graphPlan(done.compilation), "graph plan") };
}

function values(outputs: readonly TensorData[]): readonly (readonly number[])[] {
  return outputs.map(({ data }) => [...data].map(Number));
}

describe("golden/devices", () => {
  it.each(records.filter((record) => record.error === undefined))(
    "$name: graph JSON with device_index",
    async ({ input, graph }) => {
      const { json } = await compiled(input);
      expect(compareGraph(json.graph, graph)).toBeNull();
    },
  );

  it.each(records)(
    "$name: every way of running gives what one device gives",
    async ({ input }) => {
      const one = await compiled(input, defaultOptions);
      const inputs = filledInputs(one.compilation);
      const plain = input
        .replaceAll(/\bon_device\((%\d+)[^)]*\)/g, "$1")
        .replaceAll(/device_copy\((%\d+)[^)]*\)/g, "$1")
        .replaceAll(/(%\d+) = (%\d+) \/\*/g, "$1 = multiply($2, 1f) /*");
      const expected = values(runModel((await compiled(plain, defaultOptions)).compilation, inputs).outputs);
      const { compilation, plan } = await compiled(input);
      const ways = [
        runModel(compilation, inputs, { executor: "aot" }).outputs,
        runModel(compilation, inputs, { executor: "graph" }).outputs,
        interpretModel(plan, compilation.primitives, inputs),
        runC(compilation, inputs),
        runModel(one.compilation, inputs).outputs,
      ];
      for (const got of ways)
        values(got).forEach((row, i) =>
          row.forEach((value, k) => expect(value).toBeCloseTo(expected[i]![k]!, 4)),
        );
    },
    60_000,
  );
});

const x = "%x: Tensor[(8, 8), float32]";

describe("memory", () => {
  const chain = `#[version = "0.0.5"]\ndef @main(${x}) {
  %0 = on_device(nn.softmax(%x), device_type=4);
  %1 = on_device(nn.softmax(%0), device_type=1);
  %2 = on_device(nn.softmax(%1), device_type=4);
  %3 = on_device(nn.softmax(%2), device_type=1);
  on_device(nn.softmax(%3), device_type=4)
}`;

  it("is never shared between devices: StorageRewrite, GraphPlanMemory and the arenas keep them apart", async () => {
    const { plan, graphPlan, json } = await compiled(chain);
    const writers = new Map(
      plan.calls.flatMap((call) =>
        call.args
          .filter((arg) => arg.kind === "sid")
          .map((arg) => [arg.sid, plan.devices.storage.get(arg.sid)]),
      ),
    );
    expect(new Set(writers.values())).toEqual(new Set([1, 4]));
    expect([...plan.storageOf.keys()].sort((a, b) => a - b)).toEqual(plan.onDemand.map(([sid]) => sid));
    for (const [sid, after] of plan.storageOf)
      expect(plan.devices.storage.get(after)).toBe(plan.devices.storage.get(sid));
    expect(plan.allocs.length).toBeLessThan(plan.onDemand.length);
    for (const entry of graphPlan.entries)
      expect(graphPlan.storages[entry.storage]!.device).toBe(entry.device);
    const greedy = planGreedy(aotEvents(plan));
    const deviceOf = new Map(tensorLives(aotEvents(plan)).map((life) => [life.tensor, life.device]));
    for (const a of greedy.blocks) {
      for (const b of greedy.blocks) {
        if (deviceOf.get(a.tensor) !== deviceOf.get(b.tensor))
          expect(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset).toBe(true);
      }
    }
    const aot = json.aot as {
      readonly allocs: readonly (readonly [string, number, number])[];
      readonly calls: readonly (readonly string[])[];
    };
    expect(new Set(aot.allocs.map(([, , device]) => device))).toEqual(new Set([1, 4]));
    expect(aot.calls.filter(([symbol]) => symbol === "__copy")).toHaveLength(4);
    expect(json.memory?.functions.main.map(({ device }) => device)).toEqual([1, 4]);
  });
});

describe("functions", () => {
  const both = `#[version = "0.0.5"]\ndef @main(${x}) { %0 = on_device(exp(%x), device_type=4); on_device(exp(%0), device_type=1) }`;

  it("are lowered once a target; copies are all called __copy", async () => {
    const { compilation } = await compiled(both);
    expect(compilation.primitives.map(({ symbol, device }) => [symbol, device])).toEqual([
      ["tvmgen_default_fused_exp", 4],
      ["__copy", 1],
      ["tvmgen_default_fused_exp_1", 1],
    ]);
    expect(cModule(compilation)!.symbols).not.toContain("__copy");
    const same = await compiled(both, {
      ...two,
      targets: [
        { device: 1, kind: "c" },
        { device: 4, kind: "c" },
      ],
    });
    expect(same.compilation.primitives.filter(({ isCopy }) => !isCopy)).toHaveLength(1);
  });

  it("say that there is one CPU", async () => {
    const { diagnostics } = await compiled(both);
    expect(diagnostics).toMatchObject([
      { code: "RS3009", severity: "info", message: "device 4 (opencl) runs on the same CPU as device 1" },
    ]);
    expect((await compiled(both, defaultOptions)).diagnostics).toEqual([]);
  });

  it("case 45: a value that two devices read is copied once", async () => {
    const t = "Tensor[(2, 2), float32]";
    const text = `#[version = "0.0.5"]\ndef @main(%a: ${t}, %b: ${t}, %c: ${t}) {
  %0 = on_device(add(%a, %b), device_type=1);
  %1 = on_device(add(%b, %c), device_type=2);
  subtract(%0, %1)
}`;
    const { plan, diagnostics } = await compiled(text, {
      ...two,
      targets: [
        { device: 1, kind: "c" },
        { device: 2, kind: "c" },
      ],
      config: { "relay.fallback_device_type": "2" },
    });
    const copies = plan.calls.filter((call) => call.symbol === "__copy");
    expect(copies.filter((call) => call.args[0]!.kind === "input")).toHaveLength(1);
    expect(copies).toHaveLength(2);
    expect(diagnostics.find((found) => found.code === "RS3014")).toMatchObject({
      severity: "info",
      message: "%b is needed on device 1 and on device 2: it is copied from 1 to 2",
      related: [{}, {}],
    });
  });
});
