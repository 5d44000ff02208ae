// The passes against what TVM 0.8 recorded: the module after every pass, and the fused module at three
// levels.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bindParameters } from "../../frontend/bind.ts";
import { ops } from "../../ops/index.ts";
import { defaultOptions, type Options } from "../../options.ts";
import { comparePasses, compareRelay, type PassStep } from "../../../testing/harness/relay-compare.ts";
import { withJit } from "../../../testing/harness/relay-run.ts";
import { typedModule } from "../../../testing/harness/relay-text.ts";
import { inferType } from "./infer-type/infer-type.ts";
import type { IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { runRelayPrefix } from "../pass-list.ts";
import { printModule } from "../text/print.ts";

interface GoldenRecord {
  readonly input: string;
  readonly bound_params?: readonly string[];
  readonly passes?: readonly PassStep[];
  readonly o3?: { readonly fused?: unknown };
  readonly o2?: { readonly fused?: unknown };
  readonly o0?: { readonly fused?: unknown };
}

const passesFolder = new URL("../../../testing/golden/passes/", import.meta.url);
const fusedFolder = new URL("../../../testing/golden/programs/", import.meta.url);
/** Their parameters are hundreds of megabytes; the conformance run covers them. */
const tooBig: ReadonlySet<string> = new Set([
  "vgg11.json",
  "resnet3d18.json",
  "resnet18.json",
  "resnet18_cifar.json",
]);

function records(folder: URL): [string, GoldenRecord][] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json") && !tooBig.has(name))
    .sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8")) as GoldenRecord]);
}

function text(module: IRModule): string {
  return printModule(module, { ops, showMeta: false }).text;
}

function load(
  record: GoldenRecord,
  optLevel: Options["optLevel"],
): { readonly module: IRModule; readonly cx: RelayContext } {
  const { module, cx } = typedModule(record.input);
  const options: Options = { ...defaultOptions, optLevel, bindFill: record.bound_params ?? [] };
  const withOptions = withJit({ ...cx, options });
  const bound = bindParameters(module, new Map(), withOptions);
  return { module: bound === module ? module : inferType.run(bound, withOptions), cx: withOptions };
}

describe("after every pass, as TVM", () => {
  it.each(records(passesFolder))("%s", (name, record) => {
    const { module, cx } = load(record, 3);
    const steps: PassStep[] = [];
    runRelayPrefix(module, cx, (pass, before, after) =>
      steps.push([pass.name, before === after ? null : text(after)]),
    );
    expect(
      comparePasses(
        record.passes!,
        { input: text(module), passes: steps },
        { roundedScales: name === "kws_int8.json" },
      ),
    ).toEqual([]);
    // What changed nothing for TVM gives the same object here.
    const idle = record.passes!.flatMap(([name, after], i) =>
      after === null && steps[i]![0] === name && steps[i]![1] !== null ? [`${i} ${name}`] : [],
    );
    expect(idle).toEqual([]);
  });
});

describe("fused, as TVM", () => {
  it.each(records(fusedFolder))("%s", (_name, record) => {
    let compared = 0;
    for (const [level, golden] of [
      [3, record.o3],
      [2, record.o2],
      [0, record.o0],
    ] as const) {
      if (typeof golden?.fused !== "string") continue;
      const { module, cx } = load(record, level);
      expect(
        compareRelay(golden.fused, text(runRelayPrefix(module, cx)), { types: true }),
        `opt level ${level}`,
      ).toBeNull();
      compared++;
    }
    expect(compared).toBeGreaterThan(0);
  });
});
