// TIR's statements.  TVM: include/tvm/tir/stmt.h.  Every statement has an origin: C and WASM lines are linked
// through it.
import type { Origin } from "../ir/origin.ts";
import type { Buffer, PrimExpr, TirVar } from "./expr.ts";

export type ForKind = "serial" | "parallel" | "vectorized" | "unrolled";

export interface Store {
  readonly kind: "store";
  readonly buffer: Buffer;
  readonly indices: readonly PrimExpr[];
  readonly value: PrimExpr;
  readonly origin: Origin;
}
export interface For {
  readonly kind: "for";
  readonly variable: TirVar;
  readonly min: PrimExpr;
  readonly extent: PrimExpr;
  readonly forKind: ForKind;
  readonly body: Stmt;
  readonly origin: Origin;
}
/** Flat: no Seq directly inside a Seq. */
export interface Seq {
  readonly kind: "seq";
  readonly body: readonly Stmt[];
  readonly origin: Origin;
}
export interface IfThenElse {
  readonly kind: "if-then-else";
  readonly condition: PrimExpr;
  readonly then: Stmt;
  readonly otherwise: Stmt | null;
  readonly origin: Origin;
}
export interface While {
  readonly kind: "while";
  readonly condition: PrimExpr;
  readonly body: Stmt;
  readonly origin: Origin;
}
export interface LetStmt {
  readonly kind: "let-stmt";
  readonly variable: TirVar;
  readonly value: PrimExpr;
  readonly body: Stmt;
  readonly origin: Origin;
}
/** A buffer that an Allocate makes, and whose it is. */
export interface Allocation {
  readonly buffer: Buffer;
  readonly origin: Origin;
}
/**
 * Allocates buffers for the time of body; contents start undefined. Flat: no Allocate directly inside an
 * Allocate, so that thousands of buffers nest no deeper than one.
 */
export interface Allocate {
  readonly kind: "allocate";
  readonly allocations: readonly Allocation[];
  readonly body: Stmt;
  readonly origin: Origin;
}
/** A value computed for its effect (a call). */
export interface Evaluate {
  readonly kind: "evaluate";
  readonly value: PrimExpr;
  readonly origin: Origin;
}
/** A marker on a piece of code: pragma, or "realize_scope". */
export interface AttrStmt {
  readonly kind: "attr-stmt";
  readonly key: string;
  readonly value: PrimExpr;
  readonly body: Stmt;
  readonly origin: Origin;
}
export type Stmt = Store | For | Seq | IfThenElse | While | LetStmt | Allocate | Evaluate | AttrStmt;
