// What importers see: the operator, its tensors as Relay, its options, and how to make Relay that carries the operator's origin.
import type { DiagnosticCode } from "../../ir/diagnostic-codes.ts";
import { invariant } from "../../../support/assert.ts";
import { completeAttrs, type Attrs } from "../../ir/attrs.ts";
import { byteSize, type DType } from "../../ir/dtype.ts";
import { fail, type Diagnostic, type DiagnosticParts } from "../../ir/diagnostic.ts";
import type { TypeReporter } from "../../ir/op.ts";
import { sourceOrigin, type Origin } from "../../ir/origin.ts";
import { elementCount, tensorData, viewArray, type TensorData } from "../../ir/tensor-data.ts";
import { printType, sameDim, sameType, staticShape, type TensorType } from "../../ir/type.ts";
import { constant, getItem, scalar, tuple } from "../../relay/build.ts";
import { makeCall, makeFunction, makeOpRef, type Call, type Constant, type Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { foldFunction } from "../../relay/passes/constant-folder.ts";
import { postOrder } from "../../relay/visit.ts";
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

export interface TfNode {
  readonly state: ImportState;
  readonly op: TfOperator;
  readonly inputs: readonly (TfTensor | null)[];
  readonly outputs: readonly TfTensor[];
  readonly origin: Origin;
}

/** One result, or one an output in order; null where the operator leaves nothing to compute. */
export type Importer = (n: TfNode) => Expr | readonly Expr[] | null;

/** Ends the import of this operator with a diagnostic that says where it stands. */
export function refuse(
  n: TfNode,
  message: string,
  parts: DiagnosticParts = {},
  code: DiagnosticCode = "RS1842",
): never {
  return fail(code, `${placeOf(n)}: ${message}`, { origin: n.origin, ...parts });
}

export function placeOf(n: { readonly op: TfOperator; readonly outputs: readonly TfTensor[] }): string {
  return `${n.op.op} that makes "${n.outputs[0]?.name ?? ""}"`;
}

function reporter(n: TfNode): TypeReporter {
  return {
    unify: (a, b) =>
      sameType(a, b) || refuse(n, "types differ", { expected: printType(a), got: printType(b) }),
    dimEqual: (a, b) =>
      sameDim(a, b) ||
      (typeof a !== "number" && a.kind === "any") ||
      (typeof b !== "number" && b.kind === "any"),
    error: (_code, message, parts) => refuse(n, message, parts),
  };
}

/** A typed call of Relay operator `name`. */
export function call(n: TfNode, name: string, args: readonly Expr[], attrs: Attrs = {}): Call {
  const { cx } = n.state;
  const op = cx.ops.get(name);
  if (op === undefined)
    return refuse(n, `it needs the Relay operator ${name}, which this compiler does not have`, {}, "RS1841");
  const complete = completeAttrs(op.attrs, attrs);
  const types = args.map((arg) => {
    invariant(arg.type !== null, `untyped ${arg.kind} for ${name}`);
    return arg.type;
  });
  const type = op.relation(types, complete, reporter(n)) ?? refuse(n, `the type of ${name} is not known`);
  return makeCall(cx.ids, makeOpRef(cx.ids, name, { origin: n.origin }), args, complete, {
    origin: n.origin,
    type,
  });
}

export const fields = (n: TfNode, items: readonly Expr[]): Expr => tuple(n.state.cx, items, n.origin);
export const field = (n: TfNode, of: Expr, index: number): Expr => getItem(n.state.cx, of, index, n.origin);
export const scalarOf = (n: TfNode, dtype: DType, value: number): Constant =>
  scalar(n.state.cx, dtype, value, n.origin);
export const constantOf = (n: TfNode, data: TensorData): Constant => constant(n.state.cx, data, n.origin);

export function typeOf(n: TfNode, expr: Expr): TensorType {
  const { type } = expr;
  return type?.kind === "tensor-type"
    ? type
    : refuse(n, "a tensor is needed", { got: type === null ? "nothing" : printType(type) });
}

/** The shape in numbers. */
export function shapeOf(n: TfNode, expr: Expr): readonly number[] {
  const type = typeOf(n, expr);
  return staticShape(type) ?? refuse(n, "the shape of its input must be known", { got: printType(type) });
}

export const rankOf = (n: TfNode, expr: Expr): number => typeOf(n, expr).shape.length;

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
      typedView(bytes, dtype, Math.floor(bytes.length / byteSize(dtype))),
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
  return tensorData(dtype, tensor.shape, typedView(bytes, dtype, elementCount(tensor.shape)));
}

/** `count` elements at the start of `bytes`, without a copy where they are aligned. */
export function typedView(bytes: Uint8Array, dtype: DType, count: number): TensorData["data"] {
  const size = byteSize(dtype);
  if (bytes.byteOffset % size === 0) return viewArray(dtype, bytes.buffer, bytes.byteOffset, count);
  return viewArray(dtype, bytes.slice(0, count * size).buffer, 0, count);
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

/** The value of `expr` if nothing in it depends on a variable, by running it; null else. */
export function evaluated(expr: Expr, cx: RelayContext): TensorData | null {
  if (expr.kind === "constant") return expr.data;
  if (cx.evaluate === null) return null;
  let open = false;
  postOrder(expr, (inner) => (open ||= inner.kind === "var"));
  if (open) return null;
  const { body } = foldFunction(makeFunction(cx.ids, [], expr, expr.type, {}, { origin: expr.origin }), cx);
  return body.kind === "constant" ? body.data : null;
}

export function numbersOf(data: TensorData): number[] {
  return Array.from(data.data as ArrayLike<number | bigint>, Number);
}

/** The elements of an input that holds axes, sizes or a shape. */
export function intsOf(n: TfNode, index: number, what: string): number[] {
  return numbersOf(valueOf(n, input(n, index), what));
}

/** The one element of an input that holds an axis, a size or a count. */
export function intOf(n: TfNode, index: number, what: string): number {
  const values = intsOf(n, index, what);
  return values.length === 1
    ? values[0]!
    : refuse(n, `${what} must be one number`, { got: `[${values.slice(0, 8).join(", ")}]` });
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
