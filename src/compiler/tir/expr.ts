// TIR's scalar expressions.  TVM: include/tvm/tir/expr.h, include/tvm/tir/var.h
// Also used by te: ProducerLoad and Reduce occur only in te bodies and are gone after ScheduleOps.
import type { DType } from "../ir/dtype.ts";

/** Identity matters. */
export interface TirVar {
  readonly kind: "tir-var";
  readonly name: string;
  readonly dtype: DType;
}
export interface IntImm {
  readonly kind: "int";
  readonly dtype: DType;
  /** A number when it is a safe integer, else bigint. bool is 0 or 1. */
  readonly value: number | bigint;
}
export interface FloatImm {
  readonly kind: "float";
  readonly dtype: DType;
  readonly value: number;
}
export interface StringImm {
  readonly kind: "string";
  readonly dtype: DType;
  readonly value: string;
}
/** div and mod truncate (C); floordiv and floormod round down. Comparisons and and/or have dtype bool. */
export type BinaryOp =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "mod"
  | "floordiv"
  | "floormod"
  | "min"
  | "max"
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "and"
  | "or";
export interface Binary {
  readonly kind: "binary";
  readonly op: BinaryOp;
  readonly dtype: DType;
  readonly a: PrimExpr;
  readonly b: PrimExpr;
}
export interface Not {
  readonly kind: "not";
  readonly dtype: DType;
  readonly a: PrimExpr;
}
/** Both branches may be evaluated. Use call("tir.if_then_else") where only the taken one may be. */
export interface Select {
  readonly kind: "select";
  readonly dtype: DType;
  readonly condition: PrimExpr;
  readonly then: PrimExpr;
  readonly otherwise: PrimExpr;
}
/**
 * Float to integer truncates toward zero, out of range saturates in our back ends (TVM leaves it undefined).
 */
export interface Cast {
  readonly kind: "cast";
  readonly dtype: DType;
  readonly value: PrimExpr;
}
/** lanes values base, base+stride, … */
export interface Ramp {
  readonly kind: "ramp";
  readonly dtype: DType;
  readonly base: PrimExpr;
  readonly stride: PrimExpr;
  readonly lanes: number;
}
export interface Broadcast {
  readonly kind: "broadcast";
  readonly dtype: DType;
  readonly value: PrimExpr;
  readonly lanes: number;
}
export interface TirLet {
  readonly kind: "tir-let";
  readonly dtype: DType;
  readonly variable: TirVar;
  readonly value: PrimExpr;
  readonly body: PrimExpr;
}
/**
 * Intrinsics by TVM's names ("tir.exp", "tir.if_then_else", "tir.isnan", "tir.shift_left", …), and calls of
 * other functions, whose first argument is the name: "tir.call_extern" with plain pointers,
 * "tir.tvm_call_cpacked" with packed arguments.
 */
export interface TirCall {
  readonly kind: "tir-call";
  readonly dtype: DType;
  readonly op: string;
  readonly args: readonly PrimExpr[];
  /** Of a call of a lowered primitive (in the AOT main) that one's index; -1 of all other calls. */
  readonly primitive: number;
}
export interface BufferLoad {
  readonly kind: "load";
  readonly dtype: DType;
  readonly buffer: Buffer;
  /** One per dimension of buffer.shape; exactly one after FlattenBuffer (element index). */
  readonly indices: readonly PrimExpr[];
}
/** The address of a buffer, as an argument of a call. */
export interface BufferRef {
  readonly kind: "buffer-ref";
  readonly dtype: DType;
  readonly buffer: Buffer;
}
/** te only: an element of another tensor. `producer` is a te Tensor (typed there; tir does not import te). */
export interface ProducerLoad {
  readonly kind: "producer-load";
  readonly dtype: DType;
  readonly producer: TensorLike;
  readonly indices: readonly PrimExpr[];
}
/** te only: a reduction. Several sources share axes and condition; valueIndex says which result this is. */
export interface Reduce {
  readonly kind: "reduce";
  readonly dtype: DType;
  readonly combiner: Combiner;
  readonly sources: readonly PrimExpr[];
  readonly axes: readonly IterVar[];
  /** true where the element takes part. */
  readonly condition: PrimExpr;
  readonly valueIndex: number;
}
export type PrimExpr =
  | TirVar
  | IntImm
  | FloatImm
  | StringImm
  | Binary
  | Not
  | Select
  | Cast
  | Ramp
  | Broadcast
  | TirLet
  | TirCall
  | BufferLoad
  | BufferRef
  | ProducerLoad
  | Reduce;

/** What tir needs to know of a te Tensor. */
export interface TensorLike {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly PrimExpr[];
}

/** CommReducer: result_i = identity_i, then combine(result, source). */
export interface Combiner {
  readonly name: string;
  readonly lhs: readonly TirVar[];
  readonly rhs: readonly TirVar[];
  readonly result: readonly PrimExpr[];
  readonly identity: readonly PrimExpr[];
}

/** A loop axis of a te compute. Identity matters. */
export interface IterVar {
  readonly kind: "data-par" | "reduce" | "opaque";
  readonly variable: TirVar;
  /** Iterates min … min+extent-1; unset only while a schedule derives it. */
  readonly min: PrimExpr;
  readonly extent: PrimExpr;
}

/**
 * "global" = heap/arena or parameter; "local" = registers or small stack array of one kernel; "param" =
 * parameter of the PrimFunc.
 */
export type StorageScope = "global" | "local" | "param" | "constant";

/** Memory between the calls of the AOT main. */
export interface Storage {
  readonly sid: number;
  /** DLDeviceType. */
  readonly device: number;
}

/**
 * Typed memory view. Identity matters. Row-major, contiguous. A "constant" has the name of its linked
 * parameter.
 */
export interface Buffer {
  readonly kind: "buffer";
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly PrimExpr[];
  readonly scope: StorageScope;
  /** Only of allocations of the AOT main. */
  readonly storage: Storage | null;
}
