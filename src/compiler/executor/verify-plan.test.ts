// The verifier of memory plans finds plans that were spoiled; every planner of the memory map keeps live
// tensors apart on real programs.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileText } from "../../node/engine.ts";
import { present } from "../../support/assert.ts";
import { fusedMain } from "../../testing/harness/fused.ts";
import { aotPlan, graphPlan } from "../compilation.ts";
import { planGreedy, planHillClimb } from "../memory/arena.ts";
import { planAssigned, planOnDemand } from "../memory/assigned.ts";
import type { MemoryEvent } from "../memory/events.ts";
import { tensorLives } from "../memory/lives.ts";
import type { MemoryPlan } from "../memory/plan.ts";
import { defaultOptions } from "../options.ts";
import { planAot } from "./aot-main.ts";
import { planGraph } from "./graph-plan.ts";
import { loweredFlow } from "./main-flow.ts";
import { aotEvents, graphEvents } from "./memory-events.ts";
import type { AotArg, AotPlan } from "./plan.ts";
import { checkAotMemory, checkGraphMemory } from "./verify-plan.ts";

const type = "Tensor[(4), float32]";
const primitives = ["exp", "tanh", "negative"].map(
  (op, i) => `  %${i} = fn (%p0: ${type}, Primitive=1) -> ${type} { ${op}(%p0) };`,
);
const straight = `def @main(%x: ${type}) {
${primitives.join("\n")}
  %3 = %0(%x);
  %4 = %1(%3);
  %5 = %2(%4);
  (%0(%5), %1(%3))
}`;
const branching = `def @main(%c: bool, %x: ${type}) {
${primitives.join("\n")}
  %3 = %0(%x);
  %4 = if (%c) { (%1(%3), %2(%3)) } else { (%3, %2(%1(%3))) };
  (%2(%4.0), %1(%4.1), %0(%3))
}`;

function planned(text: string) {
  const { reading, te } = fusedMain(text);
  const [aot, graph] = [planAot(reading, te, defaultOptions), planGraph(reading, te)];
  if (!aot.ok || !graph.ok) throw new Error("refused");
  return { flow: loweredFlow(reading, te, "AOT executor"), aot: aot.value, graph: graph.value };
}

/** The rows with storage `from` put into `into`. */
function merged({ calls }: AotPlan, from: number, into: number): AotPlan["calls"] {
  const moved = (arg: AotArg): AotArg =>
    arg.kind === "sid" && arg.sid === from ? { kind: "sid", sid: into } : arg;
  return calls.map((row) => ({ ...row, args: row.args.map(moved) }));
}

describe.each([
  ["straight code", straight],
  ["branches", branching],
])("a plan of %s", (_, text) => {
  it("is found wrong where two storages that are needed at once are one", () => {
    const { flow, aot } = planned(text);
    const sids = aot.allocs.map(([sid]) => sid);
    expect(sids.length).toBeGreaterThan(1);
    const pairs = sids.flatMap((from) =>
      sids.filter((sid) => sid !== from).map((into) => [from, into] as const),
    );
    const missed = pairs.filter(([from, into]) => {
      try {
        checkAotMemory(flow, aot, merged(aot, from, into), aot.allocs, "the test");
        return true;
      } catch {
        return false;
      }
    });
    // Storage of one branch and of the other may be one.
    expect(missed.length).toBeLessThan(text === straight ? 1 : pairs.length / 2);
    expect(() => checkAotMemory(flow, aot, aot.calls, aot.allocs, "the test")).not.toThrow();
  });

  it("is found wrong where storage is too small, or rows are swapped", () => {
    const { flow, aot } = planned(text);
    const small = aot.allocs.map(([sid, bytes]) => [sid, bytes - 1] as const);
    expect(() => checkAotMemory(flow, aot, aot.calls, small, "the test")).toThrow(/too small/);
    const [first, second, ...rest] = aot.calls;
    expect(() => checkAotMemory(flow, aot, [second!, first!, ...rest], aot.allocs, "the test")).toThrow(
      /planned/,
    );
  });

  it("of the graph executor is found wrong where an entry lies in another's storage", () => {
    const { graph } = planned(text);
    const found = graph.entries.map((entry, i) => {
      const storage = graph.entries[(i + 1) % graph.entries.length]!.storage;
      const entries = graph.entries.map((other, k) => (k === i ? { ...entry, storage } : other));
      try {
        checkGraphMemory({ ...graph, entries });
        return entry.storage === storage ? "same" : "missed";
      } catch {
        return "found";
      }
    });
    expect(found.filter((one) => one === "found").length).toBeGreaterThan(2);
    expect(() => checkGraphMemory(graph)).not.toThrow();
  });
});

/** Pairs of tensors that live at one time on the same bytes. */
function clashes(plan: MemoryPlan, events: readonly MemoryEvent[]): readonly string[] {
  const roots = new Map(tensorLives(events).map(({ tensor, root }) => [tensor, root]));
  return plan.blocks.flatMap((a, i) =>
    plan.blocks.slice(i + 1).flatMap((b) => {
      const inTime = a.from <= b.to && b.from <= a.to;
      const inSpace = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      return inTime && inSpace && roots.get(a.tensor) !== roots.get(b.tensor)
        ? [`${a.tensor} and ${b.tensor}`]
        : [];
    }),
  );
}

describe("planners of the memory map keep live tensors apart", () => {
  const folder = new URL("../../testing/golden/programs/", import.meta.url);
  const names = readdirSync(folder).filter((name) => !/resnet|vgg|mobilenet|dynamic|symbolic/.test(name));
  it.each(names)("%s", async (name) => {
    const { input } = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as { readonly input: string };
    const { compilation } = await compileText(input, defaultOptions, "planners");
    const [aot, graph] = [aotPlan(compilation), graphPlan(compilation)];
    const plans: [MemoryPlan, readonly MemoryEvent[]][] = [];
    const arenas = (events: readonly MemoryEvent[]): void =>
      void plans.push(
        [planGreedy(events), events],
        [planHillClimb(events), events],
        [planOnDemand(events), events],
      );
    if (aot !== null) {
      const events = aotEvents(aot);
      const sidOf = (tensor: number): number => present(aot.storageOf.get(tensor), "storage");
      arenas(events);
      plans.push([planAssigned("storage-rewrite", events, sidOf), events]);
    }
    if (graph !== null) {
      const events = graphEvents(graph);
      const sidOf = (entry: number): number => present(graph.entries[entry], "entry").storage;
      arenas(events);
      plans.push([planAssigned("graph-plan", events, sidOf), events]);
    }
    for (const [plan, events] of plans) expect(clashes(plan, events), plan.planner).toEqual([]);
  });
});
