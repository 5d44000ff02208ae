// Relay's expressions: readonly records, one factory a kind, every field always set in one order (one V8
// shape a kind).
// TVM: include/tvm/relay/expr.h, function.h, adt.h
import { at, invariant } from "../../support/assert.ts";
import { freshId, type IdSource, type NodeId } from "../ir/ids.ts";
import type { Attrs } from "../ir/attrs.ts";
import type { Origin } from "../ir/origin.ts";
import type { Span } from "../ir/span.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { GlobalTypeVar, Type, TypeVar } from "../ir/type.ts";

interface Node {
  readonly id: NodeId;
  /** checked_type_: null until inferred. */
  readonly type: Type | null;
  readonly span: Span | null;
  readonly origin: Origin;
}

/** Identity matters: two variables of one name are two variables; passes must reuse the object. */
export interface Var extends Node {
  readonly kind: "var";
  /** Without the `%`. */
  readonly name: string;
  readonly annotation: Type | null;
}
/** Equal names are equal global variables, whatever the object. */
export interface GlobalVar extends Node {
  readonly kind: "global";
  readonly name: string;
}
export interface Constant extends Node {
  readonly kind: "constant";
  readonly data: TensorData;
}
export interface Tuple extends Node {
  readonly kind: "tuple";
  readonly fields: readonly Expr[];
}
export interface TupleGetItem extends Node {
  readonly kind: "tuple-get-item";
  readonly tuple: Expr;
  readonly index: number;
}
/** An operator as callee; look up its OpCore in the pass context. */
interface OpRef extends Node {
  readonly kind: "op";
  readonly name: string;
}
export interface Call extends Node {
  readonly kind: "call";
  readonly callee: Expr;
  readonly args: readonly Expr[];
  /** Complete, in schema order, for operator calls; noAttrs otherwise. */
  readonly attrs: Attrs;
  readonly typeArgs: readonly Type[];
}
export interface Func extends Node {
  readonly kind: "function";
  readonly params: readonly Var[];
  readonly body: Expr;
  readonly resultType: Type | null;
  readonly typeParams: readonly TypeVar[];
  /** "Primitive": 1, "hash", "global_symbol", "Compiler", ... */
  readonly attrs: Attrs;
}
export interface Let extends Node {
  readonly kind: "let";
  readonly variable: Var;
  readonly value: Expr;
  readonly body: Expr;
}
export interface If extends Node {
  readonly kind: "if";
  readonly condition: Expr;
  readonly then: Expr;
  readonly otherwise: Expr;
}
interface RefCreate extends Node {
  readonly kind: "ref-create";
  readonly value: Expr;
}
interface RefRead extends Node {
  readonly kind: "ref-read";
  readonly ref: Expr;
}
interface RefWrite extends Node {
  readonly kind: "ref-write";
  readonly ref: Expr;
  readonly value: Expr;
}
/** A constructor of an algebraic data type. */
export interface Constructor extends Node {
  readonly kind: "constructor";
  readonly name: string;
  readonly inputs: readonly Type[];
  readonly belongTo: GlobalTypeVar;
  readonly tag: number;
}
export interface Match extends Node {
  readonly kind: "match";
  readonly data: Expr;
  readonly clauses: readonly MatchClause[];
  /** false for `match?`. */
  readonly complete: boolean;
}
export interface MatchClause {
  readonly pattern: Pattern;
  readonly body: Expr;
}
export type Pattern =
  | { readonly kind: "wildcard" }
  | { readonly kind: "bind"; readonly variable: Var }
  | {
      readonly kind: "constructor-pattern";
      readonly constructor_: Constructor;
      readonly patterns: readonly Pattern[];
    }
  | { readonly kind: "tuple-pattern"; readonly patterns: readonly Pattern[] };

export type Expr =
  | Var
  | GlobalVar
  | Constant
  | Tuple
  | TupleGetItem
  | OpRef
  | Call
  | Func
  | Let
  | If
  | RefCreate
  | RefRead
  | RefWrite
  | Constructor
  | Match;

/** What every factory needs besides the node's own fields. */
export interface Meta {
  readonly origin: Origin;
  readonly span?: Span | null;
  readonly type?: Type | null;
}

export function makeVar(ids: IdSource, name: string, annotation: Type | null, meta: Meta): Var {
  return {
    kind: "var",
    id: freshId(ids),
    type: meta.type ?? annotation,
    span: meta.span ?? null,
    origin: meta.origin,
    name,
    annotation,
  };
}
export function makeGlobal(ids: IdSource, name: string, meta: Meta): GlobalVar {
  return {
    kind: "global",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    name,
  };
}
export function makeConstant(ids: IdSource, data: TensorData, meta: Meta): Constant {
  return {
    kind: "constant",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    data,
  };
}
export function makeTuple(ids: IdSource, fields: readonly Expr[], meta: Meta): Tuple {
  return {
    kind: "tuple",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    fields,
  };
}
export function makeTupleGetItem(ids: IdSource, tuple: Expr, index: number, meta: Meta): TupleGetItem {
  return {
    kind: "tuple-get-item",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    tuple,
    index,
  };
}
export function makeOpRef(ids: IdSource, name: string, meta: Meta): OpRef {
  return {
    kind: "op",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    name,
  };
}
export function makeCall(
  ids: IdSource,
  callee: Expr,
  args: readonly Expr[],
  attrs: Attrs,
  meta: Meta & { readonly typeArgs?: readonly Type[] },
): Call {
  return {
    kind: "call",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    callee,
    args,
    attrs,
    typeArgs: meta.typeArgs ?? [],
  };
}

/** What a function has besides parameters and body: another function's, or given anew. */
interface FunctionHead extends Meta {
  readonly resultType: Type | null;
  readonly attrs: Attrs;
  readonly typeParams?: readonly TypeVar[];
}

export function makeFunction(ids: IdSource, params: readonly Var[], body: Expr, head: FunctionHead): Func {
  return {
    kind: "function",
    id: freshId(ids),
    type: head.type ?? null,
    span: head.span ?? null,
    origin: head.origin,
    params,
    body,
    resultType: head.resultType,
    typeParams: head.typeParams ?? [],
    attrs: head.attrs,
  };
}
export function makeLet(ids: IdSource, variable: Var, value: Expr, body: Expr, meta: Meta): Let {
  return {
    kind: "let",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    variable,
    value,
    body,
  };
}
export function makeIf(ids: IdSource, condition: Expr, then: Expr, otherwise: Expr, meta: Meta): If {
  return {
    kind: "if",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    condition,
    then,
    otherwise,
  };
}
export function makeRefCreate(ids: IdSource, value: Expr, meta: Meta): RefCreate {
  return {
    kind: "ref-create",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    value,
  };
}
export function makeRefRead(ids: IdSource, ref: Expr, meta: Meta): RefRead {
  return {
    kind: "ref-read",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    ref,
  };
}
export function makeRefWrite(ids: IdSource, ref: Expr, value: Expr, meta: Meta): RefWrite {
  return {
    kind: "ref-write",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    ref,
    value,
  };
}
export function makeConstructor(
  ids: IdSource,
  { name, inputs, belongTo, tag }: Pick<Constructor, "name" | "inputs" | "belongTo" | "tag">,
  meta: Meta,
): Constructor {
  return {
    kind: "constructor",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    name,
    inputs,
    belongTo,
    tag,
  };
}
export function makeMatch(
  ids: IdSource,
  data: Expr,
  clauses: readonly MatchClause[],
  complete: boolean,
  meta: Meta,
): Match {
  return {
    kind: "match",
    id: freshId(ids),
    type: meta.type ?? null,
    span: meta.span ?? null,
    origin: meta.origin,
    data,
    clauses,
    complete,
  };
}

/** True if `expr` is a call of the operator `name`. */
export function isOpCall(expr: Expr, name: string): expr is Call {
  return expr.kind === "call" && expr.callee.kind === "op" && expr.callee.name === name;
}

/** The operator name that `expr` calls, or null. */
export function calledOp(expr: Expr): string | null {
  return expr.kind === "call" && expr.callee.kind === "op" ? expr.callee.name : null;
}

/** A function that is one kernel: made by FuseOps, or for an external compiler. */
export function isPrimitive(expr: Expr): expr is Func {
  return expr.kind === "function" && (expr.attrs["Primitive"] === 1 || expr.attrs["Compiler"] !== undefined);
}

/** Argument `index` of a call that has one: the operator's relation has counted them. */
export function argOf(call: Call, index: number): Expr {
  return at(call.args, index, "argument");
}

/** The function that rewriting a function made: a rewrite keeps its root's kind. */
export function functionOf(expr: Expr | undefined): Func {
  invariant(expr?.kind === "function", `a function became ${expr?.kind ?? "nothing"}`);
  return expr;
}
