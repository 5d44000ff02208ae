// Relay's types.  TVM: include/tvm/ir/type.h, include/tvm/ir/tensor_type.h, include/tvm/relay/type.h
import { weakTable } from "../../support/weak-table.ts";
import type { DType } from "./dtype.ts";

/** A dimension that is known only when the program runs; printed `?`. */
export interface AnyDim {
  readonly kind: "any";
}
/** A symbolic dimension bound by a function's type parameters. */
export interface DimVar {
  readonly kind: "dim-var";
  readonly name: string;
}
export type Dim = number | AnyDim | DimVar;
export const anyDim: AnyDim = { kind: "any" };

/** Interned: equal tensor types of static shape are the same object. */
export interface TensorType {
  readonly kind: "tensor-type";
  readonly shape: readonly Dim[];
  readonly dtype: DType;
}
export interface TupleType {
  readonly kind: "tuple-type";
  readonly fields: readonly Type[];
}
export interface FuncType {
  readonly kind: "func-type";
  readonly params: readonly Type[];
  readonly result: Type;
  readonly typeParams: readonly TypeVar[];
}
export interface RefType {
  readonly kind: "ref-type";
  readonly value: Type;
}
/** Identity matters: two type variables of one name are two variables. */
export interface TypeVar {
  readonly kind: "type-var";
  readonly name: string;
}
/** The name of an algebraic data type. */
export interface GlobalTypeVar {
  readonly kind: "global-type-var";
  readonly name: string;
}
/** An algebraic data type applied to arguments, `List[float32]`. */
export interface TypeCall {
  readonly kind: "type-call";
  readonly callee: GlobalTypeVar | TypeVar;
  readonly args: readonly Type[];
}
/** A hole that InferType fills; identity matters. */
export interface IncompleteType {
  readonly kind: "incomplete-type";
}
export type Type =
  | TensorType
  | TupleType
  | FuncType
  | RefType
  | TypeVar
  | GlobalTypeVar
  | TypeCall
  | IncompleteType;

/** Static tensor types that something alive holds. */
const interned = weakTable<TensorType>();

export function tensorType(shape: readonly Dim[], dtype: DType): TensorType {
  if (!shape.every((dim) => typeof dim === "number")) return { kind: "tensor-type", shape, dtype };
  const key = `${dtype.name}:${shape.join(",")}`;
  return interned.intern(key, () => ({ kind: "tensor-type", shape: Object.freeze([...shape]), dtype }));
}

export function scalarType(dtype: DType): TensorType {
  return tensorType([], dtype);
}

export function tupleType(fields: readonly Type[]): TupleType {
  return { kind: "tuple-type", fields };
}

export function funcType(
  params: readonly Type[],
  result: Type,
  typeParams: readonly TypeVar[] = [],
): FuncType {
  return { kind: "func-type", params, result, typeParams };
}

/** The shape as numbers, or null if a dimension is not static. */
export function staticShape(type: TensorType): readonly number[] | null {
  return type.shape.every((dim) => typeof dim === "number") ? (type.shape as readonly number[]) : null;
}

/** Whether a dimension of a tensor in `type` is not known. */
export function hasDynamicShape(type: Type): boolean {
  return flattenTensorTypes(type).some((tensor) => staticShape(tensor) === null);
}

export function sameDim(a: Dim, b: Dim): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  return a.kind === "any" ? b.kind === "any" : a === b;
}

/** Structural equality; variables by identity. Types are shallow, so this recurses. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind === "tensor-type" && b.kind === "tensor-type") {
    return (
      a.dtype === b.dtype &&
      a.shape.length === b.shape.length &&
      a.shape.every((dim, i) => sameDim(dim, b.shape[i]!))
    );
  }
  if (a.kind === "tuple-type" && b.kind === "tuple-type") return sameTypes(a.fields, b.fields);
  if (a.kind === "func-type" && b.kind === "func-type")
    return sameTypes(a.params, b.params) && sameType(a.result, b.result);
  if (a.kind === "ref-type" && b.kind === "ref-type") return sameType(a.value, b.value);
  if (a.kind === "global-type-var" && b.kind === "global-type-var") return a.name === b.name;
  if (a.kind === "type-call" && b.kind === "type-call")
    return sameType(a.callee, b.callee) && sameTypes(a.args, b.args);
  return false;
}

function sameTypes(a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, b[i]!));
}

/** All tensor types in `type`, tuples flattened left to right, nested ones too. */
export function flattenTensorTypes(type: Type): TensorType[] {
  if (type.kind === "tensor-type") return [type];
  if (type.kind === "tuple-type") return type.fields.flatMap(flattenTensorTypes);
  return [];
}

/** TVM's text for a type: `Tensor[(1, 3), float32]`, `float32` for rank 0, `(a, b)`, `fn (a) -> b`. */
export function printType(type: Type): string {
  switch (type.kind) {
    case "tensor-type":
      return type.shape.length === 0
        ? type.dtype.name
        : `Tensor[(${type.shape.map(printDim).join(", ")}), ${type.dtype.name}]`;
    case "tuple-type":
      return type.fields.length === 1
        ? `(${printType(type.fields[0]!)},)`
        : `(${type.fields.map(printType).join(", ")})`;
    case "func-type": {
      const params = type.typeParams.length > 0 ? `[${type.typeParams.map((v) => v.name).join(", ")}]` : "";
      return `fn ${params}(${type.params.map(printType).join(", ")}) -> ${printType(type.result)}`;
    }
    case "ref-type":
      return `ref(${printType(type.value)})`;
    case "type-var":
    case "global-type-var":
      return type.name;
    case "type-call":
      return `${type.callee.name}[${type.args.map(printType).join(", ")}]`;
    case "incomplete-type":
      return "?";
  }
}

export function printDim(dim: Dim): string {
  if (typeof dim === "number") return String(dim);
  return dim.kind === "any" ? "?" : dim.name;
}
