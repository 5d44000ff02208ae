// Nodes in the order of the file: inputs are looked up, the entry of the operator table for the opset makes
// Relay, outputs get their names. A graph inside a node is imported the same way, with the names around it in
// sight.
import { diagnostic, fail, type Diagnostic } from "../../ir/diagnostic.ts";
import { sourceOrigin } from "../../ir/origin.ts";
import { constant } from "../../relay/build.ts";
import type { Expr } from "../../relay/expr.ts";
import { importAll } from "../import-model.ts";
import { refuse } from "../import-node.ts";
import {
  codes,
  lookUp,
  openScope,
  placeOf,
  type ImportState,
  type OnnxNode,
  type Scope,
  type Value,
} from "./graph.ts";
import type { AttributeProto, FunctionProto, GraphProto, NodeProto } from "./model-proto.ts";
import { findOp } from "./ops/index.ts";
import { inOrder } from "./node-order.ts";
import { readSparse } from "./sparse.ts";
import { readTensor } from "./tensor.ts";

/** A result of main and what the file calls it. */
interface Result {
  readonly name: string;
  readonly expr: Expr;
}

/** Outputs of the model's own graph, or null after reporting every node that could not be imported. */
export function importTopGraph(
  graph: GraphProto,
  scope: Scope,
  state: ImportState,
  found: Diagnostic[],
): readonly Result[] | null {
  addInitializers(graph, scope, state);
  const lose = (node: NodeProto): void => node.output.forEach((name) => scope.lost.add(name));
  const more = (count: number): Diagnostic =>
    diagnostic("RS1825", `${count} more nodes could not be imported.`);
  const importOne = (node: NodeProto): boolean => importNode(node, scope, state);
  if (!importAll(inOrder(graph.node), { importNode: importOne, lose, more }, found)) return null;
  return graph.output.flatMap(({ name }) => {
    const value = outputOf(name, scope);
    // A sequence gives one output an element.
    return value.kind === "sequence"
      ? value.items.map((expr, i): Result => ({ name: `${name}.${i}`, expr }))
      : [{ name, expr: value }];
  });
}

/** A graph inside a node, its inputs bound to `args` in order. */
function importInner(
  graph: GraphProto,
  args: readonly Value[],
  outer: Scope,
  state: ImportState,
): readonly Value[] {
  const scope = openScope(outer);
  graph.input.forEach(({ name }, i) => {
    if (args[i] !== undefined) scope.values.set(name, args[i]);
  });
  addInitializers(graph, scope, state);
  for (const node of inOrder(graph.node)) importNode(node, scope, state);
  return outputsOf(graph, scope);
}

function addInitializers(graph: GraphProto, scope: Scope, state: ImportState): void {
  for (const proto of graph.initializer) {
    scope.pending.set(proto.name, () => {
      const origin = sourceOrigin(state.nodes.push({ name: proto.name, op: "Initializer" }) - 1);
      return constant(state.cx, readTensor(proto, state.files), origin);
    });
  }
  for (const proto of graph.sparse_initializer) {
    const name = proto.values?.name ?? "";
    scope.pending.set(name, () => {
      const origin = sourceOrigin(state.nodes.push({ name, op: "Initializer" }) - 1);
      return constant(state.cx, readSparse(proto, state.files), origin);
    });
  }
}

function outputsOf(graph: GraphProto, scope: Scope): readonly Value[] {
  return graph.output.map(({ name }) => outputOf(name, scope));
}

function outputOf(name: string, scope: Scope): Value {
  const value = lookUp(scope, name);
  return value === null || value === "lost"
    ? fail("RS1825", `No node makes the output "${name}".`, {
        expected: "a graph that makes all its outputs",
        got: `nothing called "${name}"`,
        hint: "export the model again, or take the output out of it",
      })
    : value;
}

/** False where an input's node had failed. */
function importNode(proto: NodeProto, scope: Scope, state: ImportState): boolean {
  let id = state.nodeIds.get(proto);
  if (id === undefined) {
    id =
      state.nodes.push({
        name: proto.name !== "" ? proto.name : (proto.output[0] ?? ""),
        op: proto.op_type,
      }) - 1;
    state.nodeIds.set(proto, id);
  }
  const origin = sourceOrigin(id);
  const inputs: (Value | null)[] = [];
  for (const name of proto.input) {
    const value = name === "" ? null : lookUp(scope, name);
    if (value === "lost") return false;
    if (value === null && name !== "")
      return fail("RS1825", `${placeOf({ proto })}: nothing makes its input "${name}".`, {
        origin,
        expected: "an input, an initializer or another node's output",
        hint: "the file is damaged, or its nodes depend on each other in a circle: export the model again",
      });
    inputs.push(value);
  }
  const domain = proto.domain === "ai.onnx" ? "" : proto.domain;
  const opset = state.opsets.get(domain) ?? 1;
  const n: OnnxNode = {
    state,
    scope,
    proto,
    opset,
    origin,
    place: placeOf({ proto }),
    codes,
    inputs,
    graph: (graph, args) => importInner(graph, args, scope, state),
  };
  const func = state.functions.get(`${domain}:${proto.op_type}`);
  const results = func === undefined ? runImporter(n, domain) : importFunction(n, func);
  proto.output.forEach((name, i) => {
    const value = results[i] ?? null;
    if (name === "") return;
    if (value === null) refuse(n, `its output ${i} ("${name}") cannot be made`);
    else scope.values.set(name, value);
  });
  return true;
}

function runImporter(n: OnnxNode, domain: string): readonly (Value | null)[] {
  const entry = findOp(domain, n.proto.op_type, n.opset);
  if (entry === null) return refuse(n, `no reading of ${n.proto.op_type} in opset ${n.opset}`, {}, "RS1824");
  const made = entry.importer(n);
  return "kind" in made ? [made] : made;
}

/**
 * A call of a function that the model brings: its body in a scope of its own, attribute references replaced.
 */
function importFunction(n: OnnxNode, func: FunctionProto): readonly Value[] {
  const scope = openScope(null);
  func.input.forEach((name, i) => {
    const value = n.inputs[i] ?? null;
    if (value !== null) scope.values.set(name, value);
  });
  const opsets = new Map([
    ...n.state.opsets,
    ...func.opset_import.map(({ domain, version }) => [domain, version] as const),
  ]);
  const state: ImportState = { ...n.state, opsets };
  // An input that the caller leaves out is left out of the body's nodes too.
  const given = (name: string): string =>
    func.input.includes(name) && lookUp(scope, name) === null ? "" : name;
  for (const node of inOrder(func.node))
    importNode({ ...node, input: node.input.map(given), attribute: resolved(node, n) }, scope, state);
  return func.output.map((name) => {
    const value = lookUp(scope, name);
    return value === null || value === "lost" ? refuse(n, `the function makes no "${name}"`) : value;
  });
}

function resolved(node: NodeProto, caller: OnnxNode): readonly AttributeProto[] {
  return node.attribute.flatMap((attribute) => {
    if (attribute.ref_attr_name === "") return [attribute];
    const given = caller.proto.attribute.find(({ name }) => name === attribute.ref_attr_name);
    return given === undefined ? [] : [{ ...given, name: attribute.name }];
  });
}
