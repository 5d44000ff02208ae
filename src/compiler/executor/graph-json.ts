// TVM's graph JSON, key for key, printed from the graph executor's plan. Nothing reads it back but other
// runtimes.
// TVM: src/relay/backend/graph_executor_codegen.cc (GetJSON)
// An if, which TVM's format has not, is a node too: a tvm_op with func_name `__if`, whose attributes
// `then_begin` and `else_begin` are node numbers (see graph-plan.ts). A runtime that does not know `__if`
// refuses to load the graph.
import { at } from "../../support/assert.ts";
import type { GraphEntry, GraphNode, GraphPlan } from "./graph-plan.ts";

/** Node, result of that node, version (always 0). */
type EntryJson = readonly [number, number, number];

interface GraphNodeJson {
  readonly op: "null" | "tvm_op";
  readonly name: string;
  readonly attrs?: Readonly<Record<string, string>>;
  readonly inputs: readonly EntryJson[];
}

export interface GraphJson {
  readonly nodes: readonly GraphNodeJson[];
  readonly arg_nodes: readonly number[];
  readonly heads: readonly EntryJson[];
  readonly attrs: {
    readonly dltype: readonly ["list_str", readonly string[]];
    readonly device_index: readonly ["list_int", readonly number[]];
    readonly storage_id: readonly ["list_int", readonly number[]];
    readonly shape: readonly ["list_shape", readonly (readonly number[])[]];
  };
  readonly node_row_ptr: readonly number[];
}

export function graphJson({ nodes, entries, results }: GraphPlan): GraphJson {
  const entryJson = (entry: number): EntryJson => [
    at(entries, entry, "graph entry").node,
    at(entries, entry, "graph entry").output,
    0,
  ];
  const written = nodes.map((node) => nodeJson(node, node.inputs.map(entryJson)));
  const rows = [0];
  for (const node of nodes) rows.push(rows[rows.length - 1]! + node.outputs.length);
  return {
    nodes: written,
    arg_nodes: written.flatMap((node, i) => (node.op === "null" ? [i] : [])),
    heads: results.map(entryJson),
    attrs: {
      dltype: ["list_str", entries.map(dtypeName)],
      device_index: ["list_int", entries.map(({ device }) => device)],
      storage_id: ["list_int", entries.map(({ storage }) => storage)],
      shape: ["list_shape", entries.map(({ shape }) => shape)],
    },
    node_row_ptr: rows,
  };
}

/** DType2String spells bool by what it is stored as. */
function dtypeName({ dtype }: GraphEntry): string {
  return dtype.code === "bool" ? "uint1" : dtype.name;
}

function nodeJson(node: GraphNode, inputs: readonly EntryJson[]): GraphNodeJson {
  const { name } = node;
  if (node.kind === "input" || node.kind === "constant") return { op: "null", name, inputs };
  const attrs: Record<string, string> = {
    num_outputs: String(node.outputs.length),
    num_inputs: String(inputs.length),
    flatten_data: "0",
    func_name: node.kind === "branch" ? "__if" : node.reshapeOnly ? "__nop" : node.primitive.symbol,
  };
  if (node.kind === "call") for (const [key, value] of node.labels) attrs[key] ??= value;
  else {
    attrs["then_begin"] = String(node.thenBegin);
    attrs["else_begin"] = String(node.elseBegin);
  }
  return { op: "tvm_op", name, attrs, inputs };
}
