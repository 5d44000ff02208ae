// Tensors and operations of the tensor expression language.  TVM: include/tvm/te/tensor.h, operation.h
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import { invariant } from "../../support/assert.ts";
import type { Buffer, IterVar, PrimExpr, TensorLike } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";

/** One output of an operation. Identity matters: the operation's output(i) is always the same object. */
export interface Tensor {
  readonly kind: "tensor";
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly PrimExpr[];
  readonly op: Operation;
  readonly valueIndex: number;
  /** Element at the given indices (numbers become int32 constants); as many as shape has. */
  readonly at: (...indices: readonly (PrimExpr | number)[]) => PrimExpr;
}

/** What a ProducerLoad of a tensor expression reads: tir knows only what its tensors are like. */
export function teTensor(producer: TensorLike): Tensor {
  invariant(isTensor(producer), "a ProducerLoad reads a tensor of an operation");
  return producer;
}

function isTensor(producer: TensorLike): producer is Tensor {
  return "op" in producer;
}

interface OperationBase {
  readonly name: string;
  /** Free words for schedule recipes: "conv2d_nchw", "broadcast", "injective", … (TVM's tag). */
  readonly tag: string;
  readonly origin: Origin;
  /** Facts that recipes need (strides, layout); never read by lowering. */
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly outputs: readonly Tensor[];
}
export interface PlaceholderOp extends OperationBase {
  readonly kind: "placeholder";
}
export interface ComputeOp extends OperationBase {
  readonly kind: "compute";
  readonly axis: readonly IterVar[];
  readonly reduceAxis: readonly IterVar[];
  /** One body an output; Reduce only at the top of a body. */
  readonly body: readonly PrimExpr[];
}
/** A computation written as TIR (sort, scan, scatter, NMS). */
export interface ExternOp extends OperationBase {
  readonly kind: "extern";
  readonly inputs: readonly Tensor[];
  readonly inputBuffers: readonly Buffer[];
  readonly outputBuffers: readonly Buffer[];
  readonly body: Stmt;
}
export type Operation = PlaceholderOp | ComputeOp | ExternOp;
