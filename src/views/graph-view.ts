// The fused graph for the graph pane: nodes of the graph plan with what the summary knows of them, then laid
// out.
import { at } from "../support/assert.ts";
import { type Compilation, graphPlan } from "../compiler/compilation.ts";
import type { CallArg } from "../protocol/call-arg.ts";
import type { GraphView } from "../protocol/views.ts";
import type { Summary } from "../protocol/compile.ts";
import {
  isOperator,
  primitiveIndex,
  type GraphEntry,
  type GraphPlan,
} from "../compiler/executor/graph-plan.ts";
import { layoutGraph, type UnplacedEdge, type UnplacedNode } from "./layout/graph-layout.ts";
import { sourcesOf, type OriginCache } from "./owners.ts";

function edge(to: number, { node: from, shape, dtype, bytes }: GraphEntry): UnplacedEdge {
  return { from, to, shape: shape.length === 0 ? "scalar" : shape.join("×"), dtype: dtype.name, bytes };
}

function nodeViews(plan: GraphPlan, summary: Summary, cache: OriginCache): UnplacedNode[] {
  const callOf = new Map(
    summary.calls.filter((call) => call.graphNode >= 0).map((call) => [call.graphNode, call]),
  );
  return plan.nodes.map((node, id): UnplacedNode => {
    const primitive = primitiveIndex(node);
    const first = plan.entries[node.outputs[0] ?? -1];
    const call = callOf.get(id);
    const sources = sourcesOf(node.origin, cache);
    const results: readonly CallArg[] =
      call !== undefined
        ? call.args.slice(call.inputCount)
        : primitive >= 0
          ? [{ kind: "sid", sid: first?.storage ?? -1 }]
          : [];
    const view = primitive >= 0 ? summary.primitives[primitive] : undefined;
    return {
      id,
      primitive,
      call: call?.index ?? -1,
      sources,
      results,
      device: first?.device ?? -1,
      sid: results[0]?.kind === "sid" ? results[0].sid : -1,
      kind: node.kind === "branch" ? "call" : node.kind,
      label: isOperator(node) ? (view?.name ?? node.name) : node.name,
      ops: (view?.ops ?? []).map((op) => ({
        name: op.name,
        pattern: op.pattern,
        local: localName(summary, op.sources),
      })),
    };
  });
}

/** The name in Relay of the last of `sources`, also where the source is an imported model; "" without one. */
export function localName(summary: Summary, sources: readonly number[]): string {
  const node = summary.sources[sources[sources.length - 1] ?? -1];
  if (node === undefined) return "";
  return summary.model === null ? node.name : node.local;
}

/** null where the graph executor refused. */
export function graphView(done: Compilation, summary: Summary, cache: OriginCache): GraphView | null {
  const plan = graphPlan(done);
  if (plan === null) return null;
  const nodes = nodeViews(plan, summary, cache);
  const edges = plan.nodes.flatMap((node, to) =>
    node.inputs.map((entry) => edge(to, at(plan.entries, entry, "graph entry"))),
  );
  plan.results.forEach((result, i) => {
    const id = nodes.length;
    const entry = at(plan.entries, result, "graph entry");
    const name = i === 0 ? "output" : `output${i}`;
    nodes.push({
      id,
      kind: "output",
      primitive: -1,
      call: -1,
      label: name,
      results: [],
      sid: -1,
      device: nodes[entry.node]?.device ?? -1,
      sources: nodes[entry.node]?.sources ?? [],
      ops: [],
    });
    edges.push(edge(id, entry));
  });
  return layoutGraph(nodes, edges);
}
