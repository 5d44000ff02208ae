// Relay's types.  TVM: include/tvm/ir/type.h, include/tvm/ir/tensor_type.h, include/tvm/relay/type.h
import { weakTable } from "../../support/weak-table.ts";
import type { DType } from "./dtype.ts";

/** A dimension that is known only when the program runs; printed `?`. */
interface AnyDim {
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
interface RefType {
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
interface TypeCall {
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

/** Whether a tensor in `type` has a dynamic dimension. */
export function hasDynamicShape(type: Type): boolean {
  return flattenTensorTypes(type).some((tensor) => staticShape(tensor) === null);
}

export function sameDim(a: Dim, b: Dim): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  return a.kind === "any" ? b.kind === "any" : a === b;
}

/** The types that `type` is made of, in order: fields, parameters and result, arguments. */
export function typeParts(type: Type): readonly Type[] {
  switch (type.kind) {
    case "tuple-type":
      return type.fields;
    case "func-type":
      return [...type.params, type.result];
    case "ref-type":
      return [type.value];
    case "type-call":
      return type.args;
    case "tensor-type":
    case "type-var":
    case "global-type-var":
    case "incomplete-type":
      return noTypes;
  }
}

const noTypes: readonly Type[] = [];

/** `type` made of other parts (as many as typeParts gives); the same object if none differs. */
export function withTypeParts(type: Type, parts: readonly Type[]): Type {
  const old = typeParts(type);
  if (parts.every((part, i) => part === old[i])) return type;
  switch (type.kind) {
    case "tuple-type":
      return tupleType(parts);
    case "func-type":
      return { ...type, params: parts.slice(0, -1), result: parts[parts.length - 1]! };
    case "ref-type":
      return { kind: "ref-type", value: parts[0]! };
    case "type-call":
      return { ...type, args: parts };
    case "tensor-type":
    case "type-var":
    case "global-type-var":
    case "incomplete-type":
      return type;
  }
}

/** Whether `root` or anything in it passes. Iterative. */
export function someType(root: Type, test: (type: Type) => boolean): boolean {
  const stack: Type[] = [root];
  for (let type = stack.pop(); type !== undefined; type = stack.pop()) {
    if (test(type)) return true;
    stack.push(...typeParts(type));
  }
  return false;
}

/**
 * Says of types whether a hole (IncompleteType) is in them. A type that has none is looked through once, a
 * tuple in a tuple in a tuple in all as often as it has parts. Iterative.
 */
export function holeFinder(): (type: Type) => boolean {
  const whole = new WeakSet<Type>();
  return (root) => {
    if (root.kind === "tensor-type") return false;
    const seen: Type[] = [];
    const stack: Type[] = [root];
    for (let type = stack.pop(); type !== undefined; type = stack.pop()) {
      if (type.kind === "incomplete-type") return true;
      if (type.kind === "tensor-type" || whole.has(type)) continue;
      seen.push(type);
      stack.push(...typeParts(type));
    }
    for (const type of seen) whole.add(type);
    return false;
  };
}

/**
 * What `root` comes to bottom-up: `f` gets each type (after `before` looked through it) with what its parts
 * came to. Iterative.
 */
export function foldType<R>(
  root: Type,
  f: (type: Type, parts: readonly R[]) => R,
  before: (type: Type) => Type = (type) => type,
): R {
  const top = before(root);
  const stack: { readonly type: Type; readonly parts: readonly Type[]; readonly done: R[] }[] = [
    { type: top, parts: typeParts(top), done: [] },
  ];
  for (;;) {
    const { type, parts, done } = stack[stack.length - 1]!;
    if (done.length < parts.length) {
      const part = before(parts[done.length]!);
      stack.push({ type: part, parts: typeParts(part), done: [] });
      continue;
    }
    stack.pop();
    const result = f(type, done);
    if (stack.length === 0) return result;
    stack[stack.length - 1]!.done.push(result);
  }
}

/** Structural equality; variables by identity. Iterative. */
export function sameType(left: Type, right: Type): boolean {
  if (left === right) return true;
  const stack: Type[] = [left, right];
  for (;;) {
    const b = stack.pop();
    const a = stack.pop();
    if (a === undefined || b === undefined) return true;
    if (a === b) continue;
    if (!sameTop(a, b)) return false;
    const [parts, others] = [typeParts(a), typeParts(b)];
    if (parts.length !== others.length) return false;
    parts.forEach((part, i) => stack.push(part, others[i]!));
  }
}

/** Equality of two different types but for their parts. */
function sameTop(a: Type, b: Type): boolean {
  if (a.kind === "tensor-type" && b.kind === "tensor-type") {
    return (
      a.dtype === b.dtype &&
      a.shape.length === b.shape.length &&
      a.shape.every((dim, i) => sameDim(dim, b.shape[i]!))
    );
  }
  if (a.kind === "global-type-var" && b.kind === "global-type-var") return a.name === b.name;
  if (a.kind === "type-call" && b.kind === "type-call")
    return a.callee === b.callee || sameTop(a.callee, b.callee);
  return a.kind === b.kind && (a.kind === "tuple-type" || a.kind === "func-type" || a.kind === "ref-type");
}

/** All tensor types in `type`, tuples flattened left to right, nested ones too. Iterative. */
export function flattenTensorTypes(type: Type): TensorType[] {
  if (type.kind === "tensor-type") return [type];
  const found: TensorType[] = [];
  const stack: Type[] = [type];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.kind === "tensor-type") found.push(top);
    else if (top.kind === "tuple-type")
      for (let i = top.fields.length - 1; i >= 0; i--) stack.push(top.fields[i]!);
  }
  return found;
}

/**
 * TVM's text for a type: `Tensor[(1, 3), float32]`, `float32` for rank 0, `(a, b)`, `fn (a) -> b`. Iterative.
 */
export function printType(type: Type): string {
  const out: string[] = [];
  const stack: (Type | string)[] = [type];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top === "string") out.push(top);
    else stack.push(...piecesOf(top).reverse());
  }
  return out.join("");
}

/** The text of a type, its parts still types. */
function piecesOf(type: Type): (Type | string)[] {
  switch (type.kind) {
    case "tensor-type":
      return [
        type.shape.length === 0
          ? type.dtype.name
          : `Tensor[(${type.shape.map(printDim).join(", ")}), ${type.dtype.name}]`,
      ];
    case "tuple-type":
      return ["(", ...listed(type.fields), type.fields.length === 1 ? ",)" : ")"];
    case "func-type": {
      const params = type.typeParams.length > 0 ? `[${type.typeParams.map((v) => v.name).join(", ")}]` : "";
      return [`fn ${params}(`, ...listed(type.params), ") -> ", type.result];
    }
    case "ref-type":
      return ["ref(", type.value, ")"];
    case "type-var":
    case "global-type-var":
      return [type.name];
    case "type-call":
      return [`${type.callee.name}[`, ...listed(type.args), "]"];
    case "incomplete-type":
      return ["?"];
  }
}

function listed(types: readonly Type[]): (Type | string)[] {
  return types.flatMap((type, i) => (i === 0 ? [type] : [", ", type]));
}

export function printDim(dim: Dim): string {
  if (typeof dim === "number") return String(dim);
  return dim.kind === "any" ? "?" : dim.name;
}
