// What importers see: the node, its inputs as Relay, its attributes, and how to make Relay that carries the
// node's origin.
import { int64, parseDType, type DType } from "../../ir/dtype.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { type TensorData } from "../../ir/tensor-data.ts";
import { staticShape } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import {
  constantOf,
  evaluated,
  dynamicInputs,
  refuse,
  typeOf,
  typedCall,
  type ImportCodes,
  type ImportNode,
  single,
} from "../import-node.ts";
import { numbersOf } from "../values.ts";
import type { FileNode } from "../model-file.ts";
import { foldCall } from "./fold.ts";
import type { AttributeProto, FunctionProto, GraphProto, NodeProto } from "./model-proto.ts";
import { readSparse } from "./sparse.ts";
import { elementType, readTensor, type DataFiles } from "./tensor.ts";

/** A value of the graph that is no tensor: a list of tensors whose length is known. */
export interface Sequence {
  readonly kind: "sequence";
  readonly items: readonly Expr[];
}
export type Value = Expr | Sequence;

/** Names seen by a graph: its own, then those around it. Values are made when first looked at. */
export interface Scope {
  readonly values: Map<string, Value>;
  /** Initializers that nothing has used yet. */
  readonly pending: Map<string, () => Value>;
  /** Names whose node could not be imported: what needs them is left out without another report. */
  readonly lost: Set<string>;
  readonly outer: Scope | null;
}

export function openScope(outer: Scope | null): Scope {
  return { values: new Map(), pending: new Map(), lost: new Set(), outer };
}

/**
 * The value called `name` in `scope` or around it, "lost" where its node failed, null where nobody makes it.
 */
export function lookUp(scope: Scope, name: string): Value | "lost" | null {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const found = at.values.get(name);
    if (found !== undefined) return found;
    if (at.lost.has(name)) return "lost";
    const make = at.pending.get(name);
    if (make === undefined) continue;
    const value = make();
    at.values.set(name, value);
    return value;
  }
  return null;
}

/** State of one import. */
export interface ImportState {
  readonly cx: RelayContext;
  readonly files: DataFiles;
  /** Domain -> opset version. */
  readonly opsets: ReadonlyMap<string, number>;
  /** Functions that the model brings, by "domain:name". */
  readonly functions: ReadonlyMap<string, FunctionProto>;
  readonly nodes: FileNode[];
  /** Nodes of bodies that are imported many times keep their one SourceId. */
  readonly nodeIds: Map<NodeProto, number>;
  /** Values of expressions that were asked for, null where only running tells. */
  readonly evaluated: Map<Expr, TensorData | null>;
}

export interface OnnxNode extends ImportNode {
  readonly state: ImportState;
  readonly scope: Scope;
  readonly proto: NodeProto;
  readonly opset: number;
  /** Absent optional inputs at the end are left out; ones before are null. */
  readonly inputs: readonly (Value | null)[];
  /** Imports a graph attribute with its inputs bound to `args`; gives its outputs. */
  readonly graph: (graph: GraphProto, args: readonly Value[]) => readonly Value[];
}

/** One result, or one per node output in order; null for outputs that are not made. */
export type Importer = (n: OnnxNode) => Value | readonly (Value | null)[];

export const codes: ImportCodes = { refused: "RS1825", unknownOperator: "RS1824", notKnown: "RS1823" };

/** What messages about a node begin with. */
export function placeOf(n: { readonly proto: NodeProto }): string {
  const { op_type, name, output } = n.proto;
  return name !== ""
    ? `${op_type} "${name}"`
    : `${op_type} that makes "${output.find((made) => made !== "") ?? ""}"`;
}

/**
 * A call of Relay operator `name`, typed. Small calls on constants are worked out at once, so that shapes
 * become known.
 */
export function call(n: OnnxNode, name: string, args: readonly Expr[], attrs: Attrs = {}): Expr {
  const made = typedCall(n, name, args, attrs);
  return foldCall(made, n.state.cx) ?? made;
}

export const dtypeOf = (n: OnnxNode, expr: Expr): DType => typeOf(n, expr).dtype;

/** The value of `expr` where it can be worked out now, else null. */
export function known(n: OnnxNode, expr: Expr): TensorData | null {
  if (expr.kind === "constant") return expr.data;
  const { cx, evaluated: seen } = n.state;
  let value = seen.get(expr);
  if (value === undefined) {
    value = evaluated(expr, cx);
    seen.set(expr, value);
  }
  return value;
}

/** The value of `expr`; refuses (RS1823) where only running the model tells. */
export function valueOf(n: OnnxNode, expr: Expr, what: string): TensorData {
  return (
    known(n, expr) ?? refuse(n, `${what} must be known when importing`, dynamicInputs(expr), n.codes.notKnown)
  );
}

/** The one number that `expr` holds. */
export const numberOf = (n: OnnxNode, expr: Expr, what: string): number =>
  single(n, numbersOf(valueOf(n, expr, what)), what);

export const intsOf = (n: OnnxNode, expr: Expr, what: string): number[] => numbersOf(valueOf(n, expr, what));

/** Input `index` as a tensor; refuses where it is missing or a sequence. */
export function input(n: OnnxNode, index: number): Expr {
  return optional(n, index) ?? refuse(n, `input ${index} is missing`);
}

/** Input `index`, or null where the node leaves it out. */
export function optional(n: OnnxNode, index: number): Expr | null {
  const value = n.inputs[index] ?? null;
  return value?.kind === "sequence"
    ? refuse(n, `input ${index} is a sequence`, { expected: "a tensor" })
    : value;
}

/** All inputs, as tensors; refuses a node without any. */
export function allInputs(n: OnnxNode): readonly [Expr, ...Expr[]] {
  return [input(n, 0), ...n.inputs.slice(1).map((_, index) => input(n, index + 1))];
}

/** Kinds of attributes by number.  Source: onnx/onnx.proto (AttributeProto.AttributeType) */
const kindWords: readonly string[] = [
  "nothing",
  "a float",
  "an integer",
  "a text",
  "a tensor",
  "a graph",
  "floats",
  "integers",
  "texts",
  "tensors",
  "graphs",
  "a sparse tensor",
];
const kinds = {
  float: 1,
  int: 2,
  text: 3,
  tensor: 4,
  graph: 5,
  floats: 6,
  ints: 7,
  texts: 8,
  sparse: 11,
} as const;

/**
 * The attribute called `name`, null where the node has none; refuses one of another kind. Old exporters leave
 * the kind out.
 */
function attribute(
  n: OnnxNode,
  name: string,
  ...wanted: readonly (keyof typeof kinds)[]
): AttributeProto | null {
  const found = n.proto.attribute.find((candidate) => candidate.name === name);
  if (found === undefined) return null;
  if (found.type === 0 || wanted.some((kind) => kinds[kind] === found.type)) return found;
  const word = (kind: number): string => kindWords[kind] ?? `kind ${kind}`;
  return refuse(n, `its attribute ${name} is of the wrong kind`, {
    expected: wanted.map((kind) => word(kinds[kind])).join(" or "),
    got: word(found.type),
  });
}

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const has = (n: OnnxNode, name: string): boolean =>
  n.proto.attribute.some((candidate) => candidate.name === name);
export const int = (n: OnnxNode, name: string, otherwise: number): number =>
  attribute(n, name, "int")?.i ?? otherwise;
export const float = (n: OnnxNode, name: string, otherwise: number): number =>
  attribute(n, name, "float")?.f ?? otherwise;
export const ints = (n: OnnxNode, name: string): readonly number[] | null => {
  const found = attribute(n, name, "ints", "int");
  return found === null ? null : found.type === kinds.int ? [found.i] : found.ints;
};
export const floats = (n: OnnxNode, name: string): readonly number[] | null => {
  const found = attribute(n, name, "floats");
  return found === null ? null : Array.from(found.floats);
};
export const text = (n: OnnxNode, name: string, otherwise: string): string => {
  const bytes = attribute(n, name, "text")?.s ?? null;
  return bytes === null ? otherwise : decoded(bytes);
};
export const texts = (n: OnnxNode, name: string): readonly string[] | null =>
  attribute(n, name, "texts")?.strings.map(decoded) ?? null;
export const tensor = (n: OnnxNode, name: string): TensorData | null => {
  const proto = attribute(n, name, "tensor")?.t ?? null;
  return proto === null ? null : readTensor(proto, n.state.files);
};
export const sparseTensor = (n: OnnxNode, name: string): TensorData | null => {
  const proto = attribute(n, name, "sparse")?.sparse_tensor ?? null;
  return proto === null ? null : readSparse(proto, n.state.files);
};
export const graphOf = (n: OnnxNode, name: string): GraphProto =>
  attribute(n, name, "graph")?.g ?? refuse(n, `the graph ${name} is missing`);

/** An attribute of `count` integers, each `otherwise` where the node has none. */
export function intsOfLength(n: OnnxNode, name: string, count: number, otherwise: number): readonly number[] {
  const found = ints(n, name) ?? Array.from({ length: count }, () => otherwise);
  return found.length === count
    ? found
    : refuse(n, `its attribute ${name} has the wrong length`, {
        expected: `${count} numbers`,
        got: String(found.length),
      });
}

/** The dtype that an element type number attribute names, `otherwise` where it is absent. */
export function elementOf(n: OnnxNode, name: string, otherwise: DType): DType {
  const found = attribute(n, name, "int", "text");
  if (found === null) return otherwise;
  if (found.s !== null) return parseDType(decoded(found.s).toLowerCase()) ?? otherwise;
  return (
    elementType(found.i) ??
    refuse(n, `${name} is an element type that this compiler does not have`, { got: String(found.i) })
  );
}

/** `axis` counted from the front. */
export function axisIn(n: OnnxNode, axis: number, rank: number): number {
  const found = axis < 0 ? axis + rank : axis;
  return found >= 0 && found < Math.max(rank, 1)
    ? found
    : refuse(n, "axis out of range", { expected: `${-rank} to ${rank - 1}`, got: String(axis) });
}

/** An int64 vector. */
export function int64sOf(n: OnnxNode, values: readonly number[]): Expr {
  return constantOf(n, {
    dtype: int64,
    shape: [values.length],
    data: BigInt64Array.from(values, BigInt),
    provenance: "folded",
  });
}

export const cast = (n: OnnxNode, expr: Expr, to: DType): Expr =>
  dtypeOf(n, expr) === to ? expr : call(n, "cast", [expr], { dtype: to.name });

/** In Relay's reshape 0 copies a dimension: a tensor without elements is made anew. */
export function reshape(n: OnnxNode, expr: Expr, shape: readonly number[]): Expr {
  const from = staticShape(typeOf(n, expr));
  if (from !== null && from.length === shape.length && from.every((dim, i) => dim === shape[i])) return expr;
  return shape.includes(0)
    ? call(n, "zeros", [], { shape, dtype: dtypeOf(n, expr).name })
    : call(n, "reshape", [expr], { newshape: shape });
}

export function transpose(n: OnnxNode, expr: Expr, axes: readonly number[]): Expr {
  return axes.every((axis, i) => axis === i) ? expr : call(n, "transpose", [expr], { axes });
}

/** `expr` broadcast to `shape`; itself where it has that shape. */
export function broadcastTo(n: OnnxNode, expr: Expr, shape: readonly number[]): Expr {
  const from = staticShape(typeOf(n, expr));
  return from !== null && from.length === shape.length && from.every((dim, i) => dim === shape[i])
    ? expr
    : call(n, "broadcast_to", [expr], { shape });
}
