// The plans of both executors against the records of TVM 0.8.0, from the recorded fused text: independent of
// our passes.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultOptions } from "../options.ts";
import { fusedMain } from "../../testing/harness/fused.ts";
import { planAot } from "./aot-main.ts";
import { argName } from "./arg-name.ts";
import { graphJson, type GraphJson } from "./graph-json.ts";
import { planGraph } from "./graph-plan.ts";
import type { AotPlan } from "./plan.ts";

interface Level {
  readonly fused: string | { readonly error: string };
  readonly graph: {
    readonly json?: GraphJson;
    readonly params?: Readonly<Record<string, readonly [readonly number[], string]>>;
    readonly error?: string;
  };
  readonly aot_unpacked?: {
    readonly entry: string;
    readonly parameters: readonly string[];
    readonly allocs: unknown;
    readonly calls: unknown;
    readonly symbols: readonly string[];
    readonly error?: string;
  };
}
interface GoldenRecord {
  readonly name: string;
  readonly group: string;
  readonly departures?: readonly string[];
  readonly o3?: Level;
  readonly o2?: Level;
  readonly o0?: Level;
}

const folder = join(import.meta.dirname, "../../testing/golden/programs");
const records = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as GoldenRecord);

function plans(fused: string) {
  const { reading, te } = fusedMain(fused);
  return { aot: planAot(reading, te, defaultOptions), graph: planGraph(reading, te), te };
}

function withoutHash(json: GraphJson): unknown {
  return {
    ...json,
    nodes: json.nodes.map(({ attrs, ...node }) => {
      const { hash: _hash, ...rest } = attrs ?? {};
      return attrs === undefined ? node : { ...node, attrs: rest };
    }),
  };
}

function aotFacts(plan: AotPlan) {
  return {
    entry: plan.entry,
    parameters: plan.parameters,
    allocs: plan.allocs.map(([sid, bytes]) => [`sid_${sid}`, bytes]),
    calls: plan.calls
      .filter((call) => call.kind === "call")
      .map((call) => [call.symbol, ...call.args.map((arg) => argName(arg, plan))]),
  };
}

for (const record of records.filter((found) => found.group !== "refusal")) {
  describe(record.name, () => {
    for (const name of ["o3", "o2", "o0"] as const) {
      const level = record[name];
      if (level === undefined || typeof level.fused !== "string") continue;
      const { fused, graph, aot_unpacked: aot } = level;
      it(`${name}: graph JSON and AOT plan`, () => {
        const ours = plans(fused);
        // lstm_net calls a function that is not a primitive one: both executors refuse it, as TVM does.
        if (record.name === "lstm_net") {
          expect([ours.graph, ours.aot]).toMatchObject([
            { ok: false, diagnostic: { code: "RS5006" } },
            { ok: false },
          ]);
          return;
        }
        expect(ours.graph).toMatchObject({ ok: true });
        if (ours.graph.ok && graph.json !== undefined) {
          expect(withoutHash(graphJson(ours.graph.value))).toEqual(withoutHash(graph.json));
          const params = [...ours.graph.value.params].map(([param, data]) => [
            param,
            [data.shape, data.dtype.name],
          ]);
          expect(Object.fromEntries(params)).toEqual(graph.params);
        }
        expect(ours.aot).toMatchObject({ ok: true });
        if (ours.aot.ok && aot !== undefined && aot.error === undefined) {
          const { entry, parameters, allocs, calls } = aot;
          expect(aotFacts(ours.aot.value)).toEqual({ entry, parameters, allocs, calls });
          expect(
            [...ours.te.items().map((item) => item.symbol), entry].sort((a, b) => (a < b ? -1 : 1)),
          ).toEqual(aot.symbols);
        }
      });
    }
  });
}
