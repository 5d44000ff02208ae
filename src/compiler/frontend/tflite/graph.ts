// What importers see: the operator, its tensors as Relay, its options, and how to make Relay that carries the
// operator's origin.
import { elementsOf } from "../element-types.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { byteSize, type DType } from "../../ir/dtype.ts";
import type { Diagnostic } from "../../ir/diagnostic.ts";
import { sourceOrigin, type Origin } from "../../ir/origin.ts";
import { elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { constant } from "../../relay/build.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { evaluated, refuse, single, typedCall, type ImportCodes, type ImportNode } from "../import-node.ts";
import { numbersOf } from "../values.ts";
import type { FileNode } from "../model-file.ts";
import type { FlatTable } from "./flatbuffer.ts";
import type { TfGraph, TfModel, TfOperator, TfTensor } from "./model.ts";
import { densified } from "./sparse.ts";

/** State of one import. */
export interface ImportState {
  readonly cx: RelayContext;
  readonly model: TfModel;
  /** The graph that is being imported: the model's, or one of its branches. */
  readonly graph: TfGraph;
  readonly nodes: FileNode[];
  /** What has been computed, by tensor number. */
  readonly values: Map<number, Expr>;
  /** Constants that DENSIFY unpacked, by the number of the tensor that it makes. */
  readonly dense: Map<number, TensorData>;
  /** SourceIds of constants, by tensor number. */
  readonly constantIds: Map<number, number>;
  readonly found: Diagnostic[];
  /** Outputs of graph `index` with its inputs bound to `args`. */
  readonly branch: (index: number, args: readonly Expr[]) => readonly Expr[];
}

export interface TfNode extends ImportNode {
  readonly state: ImportState;
  readonly op: TfOperator;
  readonly inputs: readonly (TfTensor | null)[];
  readonly outputs: readonly TfTensor[];
}

/** One result, or one per output in order; null where the operator leaves nothing to compute. */
export type Importer = (n: TfNode) => Expr | readonly Expr[] | null;

export const codes: ImportCodes = { refused: "RS1842", unknownOperator: "RS1841", notKnown: "RS1842" };

/** What messages about an operator begin with. */
export function placeOf(n: { readonly op: TfOperator; readonly outputs: readonly TfTensor[] }): string {
  const [made] = n.outputs;
  if (made === undefined) return `${n.op.op} that makes nothing`;
  // Many converters leave names out.
  return `${n.op.op} that makes ${made.name === "" ? `tensor ${made.index}` : `"${made.name}"`}`;
}

/** A typed call of Relay operator `name`. */
export function call(n: TfNode, name: string, args: readonly Expr[], attrs: Attrs = {}): Call {
  return typedCall(n, name, args, attrs);
}

/** Input `index`; refuses where it is left out. */
export function input(n: TfNode, index: number): TfTensor {
  return n.inputs[index] ?? refuse(n, `input ${index} is missing`);
}

export function output(n: TfNode): TfTensor {
  return n.outputs[0] ?? refuse(n, "it has no output");
}

export function dtypeOf(n: TfNode, tensor: TfTensor): DType {
  return (
    tensor.dtype ??
    refuse(n, `the tensor "${tensor.name}" holds ${tensor.typeName}`, {
      expected: "numbers or booleans",
      got: tensor.typeName,
    })
  );
}

/** Whether the tensor is part of the file, not computed. */
export function isConstant(n: TfNode, tensor: TfTensor): boolean {
  return !n.state.values.has(tensor.index);
}

/** A tensor as Relay. A constant is a new one wherever it is used, as TVM makes them. */
export function exprOf(n: TfNode, tensor: TfTensor): Expr {
  return (
    n.state.values.get(tensor.index) ?? constant(n.state.cx, dataOf(n, tensor), constantOrigin(n, tensor))
  );
}

export function constantOrigin(n: TfNode, tensor: TfTensor): Origin {
  const { constantIds, nodes } = n.state;
  let id = constantIds.get(tensor.index);
  if (id === undefined) {
    id = nodes.push({ name: tensor.name, op: "Constant" }) - 1;
    constantIds.set(tensor.index, id);
  }
  return sourceOrigin(id);
}

/** The value of a tensor of the file: a view on its bytes, or a copy where they are not aligned. */
export function dataOf(n: TfNode, tensor: TfTensor): TensorData {
  const dense = n.state.dense.get(tensor.index);
  if (dense !== undefined) return dense;
  const dtype = dtypeOf(n, tensor);
  if (tensor.bytes === null && elementCount(tensor.shape) > 0)
    return refuse(n, `nothing makes its input "${tensor.name}"`, {
      got: tensor.isVariable ? "a variable that keeps its value between runs" : "a tensor without data",
    });
  const bytes = tensor.bytes ?? new Uint8Array(0);
  if (tensor.sparsity !== null) {
    const found = densified(
      tensor.sparsity,
      tensor.shape,
      dtype,
      elementsOf(dtype, bytes, Math.floor(bytes.length / byteSize(dtype))),
    );
    return typeof found === "string"
      ? refuse(n, `the sparse tensor "${tensor.name}" cannot be read`, { got: found }, "RS1840")
      : found;
  }
  const need = elementCount(tensor.shape) * byteSize(dtype);
  if (bytes.length < need)
    return refuse(
      n,
      `the data of "${tensor.name}" is too short`,
      { expected: `${need} bytes`, got: `${bytes.length}` },
      "RS1840",
    );
  return tensorData(dtype, tensor.shape, elementsOf(dtype, bytes, elementCount(tensor.shape)));
}

/** The value of an input that must be known when importing. */
export function valueOf(n: TfNode, tensor: TfTensor, what: string): TensorData {
  const expr = n.state.values.get(tensor.index);
  if (expr === undefined) return dataOf(n, tensor);
  return (
    evaluated(expr, n.state.cx) ??
    refuse(n, `${what} must be known when importing`, {
      expected: "a constant",
      got: `"${tensor.name}", which is computed from the model's inputs`,
    })
  );
}

/** The elements of an input that holds axes, sizes or a shape. */
export function intsOf(n: TfNode, index: number, what: string): number[] {
  return numbersOf(valueOf(n, input(n, index), what));
}

/** The one element of an input that holds an axis, a size or a count. */
export function intOf(n: TfNode, index: number, what: string): number {
  return single(n, intsOf(n, index, what), what);
}

/** The options table; operators whose options are all defaults may leave it out. */
export function option<T>(
  n: TfNode,
  read: (table: FlatTable, field: number, otherwise?: T) => T,
  at: number,
  otherwise: T,
): T {
  return n.op.options === null ? otherwise : read(n.op.options, at, otherwise);
}
