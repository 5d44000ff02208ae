// The graph executor's plan: parameters, constants and calls as nodes, what each makes and where it lies.
// graph-json.ts prints it.
// TVM: src/relay/backend/graph_executor_codegen.cc
import { at, invariant } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { staticShape } from "../ir/type.ts";
import type { LoweredPrimitive } from "../lower/lowered.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import { planGraphMemory, type Storage, type StorageStep } from "../memory/graph-plan-memory.ts";
import type { Constant } from "../relay/expr.ts";
import {
  branchReads,
  loweredFlow,
  tensorTypeBytes,
  type FlowBranch,
  type LoweredCall,
  type LoweredFlow,
  type MainReading,
  type Producer,
  type Value,
} from "./main-flow.ts";
import type { Outcome } from "./plan.ts";
import { asOutcome } from "./refusals.ts";
import { checkGraphMemory } from "./verify-plan.ts";

/** One tensor of the graph: result `output` of `node`. */
export interface GraphEntry {
  readonly node: number;
  readonly output: number;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: number;
  /** Storage id. */
  readonly storage: number;
  /** DLDeviceType. */
  readonly device: number;
}

interface NodeFacts {
  readonly name: string;
  /** Entries that it reads. */
  readonly inputs: readonly number[];
  /** Entries that it makes, one behind the other. */
  readonly outputs: readonly number[];
  readonly origin: Origin;
}

export type GraphNode =
  | (NodeFacts & { readonly kind: "input" })
  | (NodeFacts & { readonly kind: "constant"; readonly data: TensorData })
  | (NodeFacts & {
      readonly kind: "call";
      readonly primitive: LoweredPrimitive;
      /** Nothing is to be run: the result is the argument's bytes. */
      readonly reshapeOnly: boolean;
      /** Labels of the function, as the JSON shows them. */
      readonly labels: readonly (readonly [string, string])[];
    })
  /**
   * An if, behind the nodes of both branches. It reads its condition, the results of the first branch, the
   * results of the second. Nodes [thenBegin, elseBegin) run if the condition holds, nodes [elseBegin, this
   * one) if not; then the results of what ran are copied to its outputs. Ranges nest.
   */
  | (NodeFacts & { readonly kind: "branch"; readonly thenBegin: number; readonly elseBegin: number });

export interface GraphPlan {
  /** Parameters in order, then constants (p0, p1, …), calls and ifs, what is read first. */
  readonly nodes: readonly GraphNode[];
  /** Entries of all nodes, in order. */
  readonly entries: readonly GraphEntry[];
  /** Entries that main returns. */
  readonly results: readonly number[];
  /** By storage id. */
  readonly storages: readonly Storage[];
  readonly params: ReadonlyMap<string, TensorData>;
  readonly externalParams: ReadonlyMap<string, TensorData>;
}

/** The primitive that `node` calls, -1 for none. */
export function primitiveIndex(node: GraphNode | undefined): number {
  return node?.kind === "call" ? node.primitive.index : -1;
}

/** Whether `node` is an operator of the graph: neither a parameter nor a constant. */
export function isOperator(node: GraphNode): node is GraphNode & { readonly kind: "call" | "branch" } {
  return node.kind === "call" || node.kind === "branch";
}

interface Builder {
  readonly flow: LoweredFlow;
  readonly nodes: GraphNode[];
  readonly entries: Omit<GraphEntry, "storage">[];
  /** First entry of each producer. */
  readonly entryOf: Map<Producer, number>;
  readonly params: Map<string, TensorData>;
  /** How often a node name was asked for. */
  readonly names: Map<string, number>;
}

/** Plans main for the graph executor. Refused: what loweredFlow refuses. */
export function planGraph(reading: MainReading, te: TeCompiler): Outcome<GraphPlan> {
  return asOutcome(() => {
    const flow = loweredFlow(reading, te, "graph executor");
    const builder = buildNodes(flow);
    const { nodes, entries, params } = builder;
    const results = flow.results.map((value) => entryOf(builder, value));
    const memory = planGraphMemory(storageSteps(builder), results, te.cx.remarks);
    const plan: GraphPlan = {
      nodes,
      entries: entries.map((entry, i) => ({ ...entry, storage: memory.storageOf[i]! })),
      results,
      storages: memory.storages,
      params,
      externalParams: flow.externalParams,
    };
    if (te.cx.verify !== "never") checkGraphMemory(plan);
    return plan;
  });
}

function buildNodes(flow: LoweredFlow): Builder {
  const builder: Builder = {
    flow,
    nodes: [],
    entries: [],
    entryOf: new Map(),
    params: new Map(),
    names: new Map(),
  };
  for (const param of flow.params)
    builder.nodes.push({ kind: "input", ...facts(builder, param, param.name, []) });
  const firstNode: number[] = [];
  for (const producer of flow.left) {
    firstNode.push(builder.nodes.length);
    if (producer.kind === "constant") builder.nodes.push(constantNode(builder, producer));
    else if (producer.kind === "call") builder.nodes.push(callNode(builder, flow.calls.get(producer)!));
    else if (producer.kind === "if")
      builder.nodes.push(branchNode(builder, flow.branches.get(producer)!, firstNode));
  }
  return builder;
}

/** The facts of the next node; its entries are added. */
function facts(
  { flow, nodes, entries, entryOf }: Builder,
  producer: Producer,
  name: string,
  inputs: readonly number[],
): NodeFacts {
  entryOf.set(producer, entries.length);
  const outputs = flow.types.get(producer)!.map((type, output) => {
    const shape = staticShape(type);
    invariant(shape !== null, "an entry of dynamic shape");
    const device = flow.deviceOf(producer);
    const bytes = tensorTypeBytes(type);
    return entries.push({ node: nodes.length, output, dtype: type.dtype, shape, bytes, device }) - 1;
  });
  return { name, inputs, outputs, origin: producer.origin };
}

function constantNode(builder: Builder, constant: Constant): GraphNode {
  const name = `p${builder.flow.externalParams.size + builder.params.size}`;
  builder.params.set(name, constant.data);
  return { kind: "constant", ...facts(builder, constant, name, []), data: constant.data };
}

function callNode(builder: Builder, { call, func, primitive, args, reshapeOnly }: LoweredCall): GraphNode {
  const inputs = args.map((arg) => entryOf(builder, arg));
  // A call of an external function has none of its function's labels left when TVM writes the node.
  const labels =
    primitive.external !== null
      ? []
      : Object.entries(func.attrs).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const name = reshapeOnly ? "reshape_nop" : nodeName(builder, primitive.symbol);
  return { kind: "call", ...facts(builder, call, name, inputs), primitive, reshapeOnly, labels };
}

/** `firstNode`: the node that follows each position of the flow so far. */
function branchNode(builder: Builder, branch: FlowBranch, firstNode: readonly number[]): GraphNode {
  const inputs = branchReads(branch).map((value) => entryOf(builder, value));
  return {
    kind: "branch",
    ...facts(builder, branch.expr, nodeName(builder, "if"), inputs),
    thenBegin: firstNode[branch.then]!,
    elseBegin: firstNode[branch.otherwise]!,
  };
}

function entryOf(builder: Builder, { producer, index }: Value): number {
  const firstEntry = builder.entryOf.get(producer);
  invariant(firstEntry !== undefined, `a ${producer.kind} is read before it has a node`);
  return firstEntry + index;
}

/**
 * The first `f` is `f`; then `f1`, `f2`, …; a made name that is taken is extended in turn, as TVM's
 * _GetUniqueName does.
 */
function nodeName(builder: Builder, base: string): string {
  let name = base;
  for (;;) {
    const count = builder.names.get(name);
    builder.names.set(name, (count ?? 0) + 1);
    if (count === undefined) return name;
    name = `${name}${count}`;
  }
}

/** Nodes as GraphPlanMemory sees them. */
function storageSteps({ nodes, entries }: Builder): readonly StorageStep[] {
  return nodes.map((node): StorageStep => ({
    kind: !isOperator(node) ? "keep" : node.kind === "call" && node.reshapeOnly ? "alias" : "compute",
    name: node.kind === "call" ? node.primitive.name : node.kind === "branch" ? "if" : node.name,
    origin: node.origin,
    reads: node.inputs,
    makes: node.outputs.map((entry) => at(entries, entry, "graph entry")),
  }));
}
