// Scratch memory inside one primitive.  TVM: src/tir/analysis/calculate_workspace.cc
import { byteSize } from "../ir/dtype.ts";
import { constInt } from "./build.ts";
import type { Buffer } from "./expr.ts";
import type { PrimFunc } from "./prim-func.ts";
import type { Stmt } from "./stmt.ts";
import { stmtChildren } from "./visit.ts";

/** TVM's workspace-byte-alignment: each allocation is rounded up to it. */
const workspaceAlignment = 16;

/** The most bytes that allocations of `f` take at one moment; one of dynamic size counts nothing. */
export function workspaceBytes(f: PrimFunc): number {
  return f.allocations.reduce((sum, of) => sum + alignedBytes(of), 0) + deepest(f.body);
}

function deepest(stmt: Stmt): number {
  const inside = stmtChildren(stmt).reduce((most, inner) => Math.max(most, deepest(inner)), 0);
  if (stmt.kind !== "allocate") return inside;
  return stmt.allocations.reduce((sum, { buffer }) => sum + alignedBytes(buffer), inside);
}

function alignedBytes(of: Buffer): number {
  return aligned(of.shape.reduce((n, dim) => n * (constInt(dim) ?? 0), byteSize(of.dtype)));
}

/** What an allocation of `bytes` takes. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / workspaceAlignment) * workspaceAlignment;
}
