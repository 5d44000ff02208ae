// The memory map's data: every planner's blocks with what the page needs to draw and link them. Steps are
// calls of the runner.
import { at } from "../support/assert.ts";
import type { CallView, Summary } from "../protocol/compile.ts";
import type { MemoryBlockView, MemoryView, PlanView } from "../protocol/views.ts";
import { type Compilation, aotPlan, graphPlan } from "../compiler/compilation.ts";
import { aotEvents, graphEvents } from "../compiler/executor/memory-events.ts";
import { isOperator, primitiveIndex, type GraphPlan } from "../compiler/executor/graph-plan.ts";
import { printDim, type Dim } from "../compiler/ir/type.ts";
import type { AotPlan, LoweredPrimitive } from "../compiler/executor/plan.ts";
import { planGreedy, planHillClimb } from "../compiler/memory/arena.ts";
import { planAssigned, planOnDemand } from "../compiler/memory/assigned.ts";
import type { MemoryEvent } from "../compiler/memory/events.ts";
import { liveBytes, planLowerBound } from "../compiler/memory/lives.ts";
import type { MemoryPlan, PlannerName } from "../compiler/memory/plan.ts";

const titles: Readonly<Record<PlannerName, string>> = {
  "on-demand": "On-demand",
  "storage-rewrite": "StorageRewrite",
  "graph-plan": "Graph plan",
  greedy: "Greedy arena",
  "hill-climb": "Hill climb",
  "lower-bound": "Lower bound",
};

/** DLDeviceType of the processor. */
const cpu = 1;

/** What a tensor of the events is: who writes it and how it reads. */
interface TensorFacts {
  readonly primitive: number;
  readonly shape: string;
  readonly sources: readonly number[];
  readonly device: number;
}
type FactsOf = (tensor: number) => TensorFacts;

function shapeText(shape: readonly Dim[]): string {
  return shape.length === 0 ? "scalar" : shape.map(printDim).join("×");
}

/** On-demand sids, by the call that writes each: its outputs follow its inputs. */
function aotFacts(plan: AotPlan, summary: Summary, primitives: readonly LoweredPrimitive[]): FactsOf {
  const facts = new Map<number, TensorFacts>();
  plan.onDemandCalls.forEach((call, index) => {
    const view = summary.calls[index]!;
    call.args.forEach((arg, k) => {
      if (k < view.inputCount || arg.kind !== "sid" || facts.has(arg.sid)) return;
      const type = primitives[view.primitive]?.outputTypes[k - view.inputCount];
      facts.set(arg.sid, {
        primitive: view.primitive,
        shape: shapeText(type?.shape ?? []),
        sources: view.sources,
        device: plan.devices.storage.get(arg.sid) ?? cpu,
      });
    });
  });
  return (tensor) =>
    facts.get(tensor) ?? {
      primitive: -1,
      shape: "",
      sources: [],
      device: plan.devices.storage.get(tensor) ?? cpu,
    };
}

/** Entries of the graph, by the node that makes each. */
function graphFacts({ nodes, entries }: GraphPlan, calls: readonly CallView[]): FactsOf {
  const byNode = new Map(calls.map((call) => [call.graphNode, call]));
  return (tensor) => {
    const { node, shape, device } = at(entries, tensor, "graph entry");
    return {
      primitive: primitiveIndex(nodes[node]),
      shape: shape.length === 0 ? "scalar" : shape.join("×"),
      sources: byNode.get(node)?.sources ?? [],
      device,
    };
  };
}

/** Steps of graph events are operator nodes in order; the map's columns are calls of the runner. */
function graphStepToCall(plan: GraphPlan, calls: readonly CallView[]): (step: number) => number {
  const callOfNode = new Map(
    calls.filter((call) => call.graphNode >= 0).map((call) => [call.graphNode, call.index]),
  );
  const operators = plan.nodes.flatMap((node, id) => (isOperator(node) ? [id] : []));
  return (step) => callOfNode.get(at(operators, step, "operator")) ?? step;
}

function planView(plan: MemoryPlan, facts: FactsOf, step: (step: number) => number, last: number): PlanView {
  const clamp = (value: number): number => Math.min(step(value), last);
  const blocks = plan.blocks.map((block): MemoryBlockView => ({
    sid: block.sid,
    offset: block.offset,
    bytes: block.bytes,
    held: block.held,
    from: clamp(block.from),
    to: clamp(block.to),
    ...facts(block.tensor),
  }));
  const holds = plan.holds.map((hold) => ({ ...hold, from: clamp(hold.from), to: clamp(hold.to) }));
  return { planner: plan.planner, title: titles[plan.planner], totalBytes: plan.totalBytes, blocks, holds };
}

/** null where no executor made a plan. */
export function memoryView(done: Compilation, summary: Summary): MemoryView | null {
  const aot = aotPlan(done);
  const graph = graphPlan(done);
  const events: readonly MemoryEvent[] | null =
    aot !== null ? aotEvents(aot) : graph !== null ? graphEvents(graph) : null;
  if (events === null) return null;
  const facts = aot !== null ? aotFacts(aot, summary, done.primitives) : graphFacts(graph!, summary.calls);
  const live = liveBytes(events);
  const steps = Math.max(summary.calls.length, live.length);
  const same = (step: number): number => step;
  const view = (plan: MemoryPlan): PlanView => planView(plan, facts, same, steps - 1);
  const plans: PlanView[] = [];
  if (aot !== null) {
    const into = aot.storageOf;
    plans.push(
      view(planOnDemand(events)),
      view(planAssigned("storage-rewrite", events, (sid) => into.get(sid) ?? sid)),
    );
  }
  if (graph !== null)
    plans.push(
      planView(
        planAssigned(
          "graph-plan",
          graphEvents(graph),
          (entry) => at(graph.entries, entry, "graph entry").storage,
        ),
        graphFacts(graph, summary.calls),
        graphStepToCall(graph, summary.calls),
        steps - 1,
      ),
    );
  plans.push(view(planGreedy(events)), view(planHillClimb(events)), view(planLowerBound(events)));
  const perStep = Uint32Array.from({ length: steps }, (_, step) => live[step] ?? 0);
  return {
    plans,
    steps,
    liveBytes: perStep,
    peakStep: perStep.indexOf(perStep.reduce((a, b) => Math.max(a, b), 0)),
    workspaceBytes: Uint32Array.from(
      { length: steps },
      (_, step) => summary.primitives[summary.calls[step]?.primitive ?? -1]?.workspaceBytes ?? 0,
    ),
  };
}
