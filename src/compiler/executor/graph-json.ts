// The graph executor's plan: TVM's graph JSON, key for key, and the parameters that go with it.
// TVM: src/relay/backend/graph_executor_codegen.cc
import type { Origin } from "../ir/origin.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import type { Func } from "../relay/expr.ts";
import {
  asOutcome,
  branchReads,
  readMain,
  type FlowBranch,
  type FlowCall,
  type MainFlow,
  type Producer,
  type Value,
} from "./main-flow.ts";
import { planMemory, type GraphMemory } from "./plan-memory.ts";
import type { GraphJson, GraphNodeJson, GraphPlan, Outcome } from "./plan.ts";

interface Builder {
  readonly flow: MainFlow;
  readonly memory: GraphMemory;
  readonly nodes: GraphNodeJson[];
  readonly nodePrimitive: number[];
  readonly nodeOrigin: Origin[];
  readonly numberOf: Map<Producer, number>;
  readonly params: Map<string, TensorData>;
  /** How often a node name was asked for. */
  readonly names: Map<string, number>;
}

/** The function name of an if, beside TVM's own `__nop` and `__copy`. */
export const branchFunction = "__if";

/**
 * Plans `main` (after FuseOps and LabelOps) for the graph executor. Nodes are parameters in order, then constants (p0, p1, …)
 * and calls, arguments first. A reshape-only call is a `__nop` node: it keeps its primitive index, and nothing is to be run.
 *
 * An if, which TVM's format has not, is a node too: a tvm_op with func_name `__if` behind the nodes of both branches. Its inputs
 * are the condition, the results of the first branch, the results of the second; its attributes `then_begin` and `else_begin` are
 * node numbers. Nodes [then_begin, else_begin) run if the condition holds, nodes [else_begin, the if) if not; then the if copies
 * the results of what ran to its outputs. Ranges nest. A runtime that does not know `__if` refuses to load the graph.
 */
export function planGraph(main: Func, te: TeCompiler): Outcome<GraphPlan> {
  return asOutcome(() => {
    const flow = readMain(main, te, "graph executor");
    const memory = planMemory(flow, te.cx.remarks);
    const builder: Builder = {
      flow,
      memory,
      nodes: [],
      nodePrimitive: [],
      nodeOrigin: [],
      numberOf: new Map(),
      params: new Map(),
      names: new Map(),
    };
    for (const param of flow.params)
      addNode(builder, param, { op: "null", name: param.name, inputs: [] }, -1);
    const firstNode: number[] = [];
    for (const producer of flow.left) {
      firstNode.push(builder.nodes.length);
      if (producer.kind === "constant") addConstant(builder, producer);
      else if (producer.kind === "call") addCall(builder, flow.calls.get(producer)!);
      else if (producer.kind === "if") addBranch(builder, flow.branches.get(producer)!, firstNode);
    }
    return {
      json: graphJson(builder),
      params: builder.params,
      externalParams: flow.externalParams,
      nodePrimitive: builder.nodePrimitive,
      nodeOrigin: builder.nodeOrigin,
      storageBytes: memory.storageBytes,
    };
  });
}

function addNode(builder: Builder, producer: Producer, node: GraphNodeJson, primitive: number): void {
  builder.numberOf.set(producer, builder.nodes.length);
  builder.nodes.push(node);
  builder.nodePrimitive.push(primitive);
  builder.nodeOrigin.push(producer.origin);
}

function addConstant(builder: Builder, constant: Producer & { readonly kind: "constant" }): void {
  const name = `p${builder.flow.externalParams.size + builder.params.size}`;
  builder.params.set(name, constant.data);
  addNode(builder, constant, { op: "null", name, inputs: [] }, -1);
}

function addCall(builder: Builder, { call, func, primitive, args, reshapeOnly }: FlowCall): void {
  const inputs = args.map((arg) => entry(builder, arg));
  const funcName = reshapeOnly ? "__nop" : primitive.symbol;
  // A call of an external function has none of its function's labels left when TVM writes the node.
  const labels =
    primitive.external !== null
      ? []
      : Object.entries(func.attrs).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const attrs: Record<string, string> = {
    num_outputs: String(builder.flow.types.get(call)!.length),
    num_inputs: String(inputs.length),
    flatten_data: "0",
    func_name: funcName,
  };
  for (const [key, value] of labels) attrs[key] ??= value;
  addNode(
    builder,
    call,
    { op: "tvm_op", name: reshapeOnly ? "reshape_nop" : nodeName(builder, primitive.symbol), attrs, inputs },
    primitive.index,
  );
}

/** `firstNode`: the node that follows each position of the flow so far. */
function addBranch(builder: Builder, branch: FlowBranch, firstNode: readonly number[]): void {
  const inputs = branchReads(branch).map((value) => entry(builder, value));
  const attrs: Record<string, string> = {
    num_outputs: String(branch.thenResults.length),
    num_inputs: String(inputs.length),
    flatten_data: "0",
    func_name: branchFunction,
    then_begin: String(firstNode[branch.then]!),
    else_begin: String(firstNode[branch.otherwise]!),
  };
  addNode(builder, branch.expr, { op: "tvm_op", name: nodeName(builder, "if"), attrs, inputs }, -1);
}

function entry(builder: Builder, { producer, index }: Value): readonly [number, number, number] {
  return [builder.numberOf.get(producer)!, index, 0];
}

/** The first `f` is `f`; then `f1`, `f2`, …; a made name that is taken is extended in turn, as TVM's _GetUniqueName does. */
function nodeName(builder: Builder, base: string): string {
  let name = base;
  for (;;) {
    const count = builder.names.get(name);
    builder.names.set(name, (count ?? 0) + 1);
    if (count === undefined) return name;
    name = `${name}${count}`;
  }
}

function graphJson(builder: Builder): GraphJson {
  const { flow, memory, nodes } = builder;
  const shapes: (readonly number[])[] = [];
  const dtypes: string[] = [];
  const sids: number[] = [];
  const devices: number[] = [];
  const rows = [0];
  for (const producer of builder.numberOf.keys()) {
    for (const type of flow.types.get(producer)!) {
      shapes.push(type.shape as readonly number[]);
      // DType2String spells bool by what it is stored as.
      dtypes.push(type.dtype.code === "bool" ? "uint1" : type.dtype.name);
      devices.push(flow.deviceOf(producer));
    }
    sids.push(...memory.sids.get(producer)!);
    rows.push(dtypes.length);
  }
  return {
    nodes,
    arg_nodes: nodes.flatMap((node, i) => (node.op === "null" ? [i] : [])),
    heads: flow.results.map((value) => entry(builder, value)),
    attrs: {
      dltype: ["list_str", dtypes],
      device_index: ["list_int", devices],
      storage_id: ["list_int", sids],
      shape: ["list_shape", shapes],
    },
    node_row_ptr: rows,
  };
}
