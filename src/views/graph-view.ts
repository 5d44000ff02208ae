// The fused graph for the graph pane: nodes of the graph JSON with what the summary knows of them, then laid out.
import type { GraphView } from "../protocol/views.ts";
import type { Summary } from "../protocol/compile.ts";
import type { Compilation } from "../compiler/compile.ts";
import type { GraphPlan } from "../compiler/executor/plan.ts";
import { byteSize, parseDType } from "../compiler/ir/dtype.ts";
import { elementCount } from "../compiler/ir/tensor-data.ts";
import { layoutGraph, type UnplacedEdge, type UnplacedNode } from "./layout/graph-layout.ts";
import { sourcesOf, type OriginCache } from "./owners.ts";

interface EntryFacts {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly storage: number;
  readonly device: number;
}

function entries(plan: GraphPlan): EntryFacts[] {
  const list = (key: string): readonly unknown[] => plan.json.attrs[key]?.[1] ?? [];
  const shapes = list("shape") as readonly (readonly number[])[];
  const dtypes = list("dltype") as readonly string[];
  const storage = list("storage_id") as readonly number[];
  const devices = list("device_index") as readonly number[];
  return shapes.map((shape, i) => ({
    shape,
    dtype: dtypes[i] ?? "",
    storage: storage[i] ?? -1,
    device: devices[i] ?? -1,
  }));
}

function bytesOf(entry: EntryFacts): number {
  const dtype = parseDType(entry.dtype);
  return dtype === null ? 0 : elementCount(entry.shape) * byteSize(dtype);
}

function edge(from: number, to: number, entry: EntryFacts): UnplacedEdge {
  return {
    from,
    to,
    shape: entry.shape.length === 0 ? "scalar" : entry.shape.join("×"),
    dtype: entry.dtype,
    bytes: bytesOf(entry),
  };
}

function nodeViews(plan: GraphPlan, summary: Summary, cache: OriginCache): UnplacedNode[] {
  const facts = entries(plan);
  const callOf = new Map(
    summary.calls.filter((call) => call.graphNode >= 0).map((call) => [call.graphNode, call]),
  );
  return plan.json.nodes.map((node, id): UnplacedNode => {
    const primitive = plan.nodePrimitive[id] ?? -1;
    const call = callOf.get(id);
    const written = call === undefined ? undefined : call.args.slice(call.inputCount);
    const sources = sourcesOf(plan.nodeOrigin[id] ?? null, cache);
    const graphSid = facts[plan.json.node_row_ptr[id]!]?.storage ?? -1;
    const storage = written?.join(", ") ?? (primitive >= 0 ? `sid_${graphSid}` : "");
    const view = primitive >= 0 ? summary.primitives[primitive] : undefined;
    return {
      id,
      primitive,
      call: call?.index ?? -1,
      sources,
      storage,
      device: facts[plan.json.node_row_ptr[id]!]?.device ?? -1,
      sid: /^sid_(\d+)/.test(storage) ? Number(storage.slice(4).split(",")[0]) : -1,
      kind: node.op === "tvm_op" ? "call" : plan.params.has(node.name) ? "constant" : "input",
      label: node.op === "tvm_op" ? (view?.name ?? node.name) : node.name,
      ops: (view?.ops ?? []).map((op) => ({
        name: op.name,
        pattern: op.pattern,
        local: localName(summary, op.sources),
      })),
    };
  });
}

function localName(summary: Summary, sources: readonly number[]): string {
  const node = summary.sources[sources[sources.length - 1] ?? -1];
  if (node === undefined) return "";
  return summary.model === null ? node.name : node.local;
}

/** null where the graph executor refused. */
export function graphView(done: Compilation, summary: Summary, cache: OriginCache): GraphView | null {
  if (done.graph?.ok !== true) return null;
  const plan = done.graph.value;
  const facts = entries(plan);
  const nodes = nodeViews(plan, summary, cache);
  const edges = plan.json.nodes.flatMap((node, to) =>
    node.inputs.map(([from, index]) => edge(from, to, facts[plan.json.node_row_ptr[from]! + index]!)),
  );
  plan.json.heads.forEach(([from, index], i) => {
    const id = nodes.length;
    const name = i === 0 ? "output" : `output${i}`;
    nodes.push({
      id,
      kind: "output",
      primitive: -1,
      call: -1,
      label: name,
      storage: "",
      sid: -1,
      device: nodes[from]?.device ?? -1,
      sources: nodes[from]?.sources ?? [],
      ops: [],
    });
    edges.push(edge(from, id, facts[plan.json.node_row_ptr[from]! + index]!));
  });
  return layoutGraph(nodes, edges);
}
