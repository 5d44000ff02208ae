// Whether a statement may write its result over the buffer that it reads: dst[i] = f(src[i]) and nothing else.
// TVM: src/tir/transforms/storage_rewrite.cc (InplaceOpVerifier)
import type { Buffer, PrimExpr, TirVar } from "../expr.ts";
import type { Stmt } from "../stmt.ts";
import { children, stmtChildren, stmtExprs } from "../visit.ts";

/**
 * True if every element of `source` that `stmt` reads is read only to compute the element of `target` at the same index,
 * and `target` is not read. As TVM's, it trusts that each element of `target` is written once: a store outside of any
 * reduction is. Calls that get a buffer's address are refused.
 */
export function writesInPlace(stmt: Stmt, target: Buffer, source: Buffer): boolean {
  if (stmt.kind === "evaluate" || stmt.kind === "seq" || stmt.kind === "allocate" || stmt.kind === "let-stmt")
    return false;
  return safeStmt(stmt, target, source);
}

function safeStmt(stmt: Stmt, target: Buffer, source: Buffer): boolean {
  if (stmt.kind === "attr-stmt" && (stmt.key === "extern_scope" || stmt.key === "volatile_scope"))
    return false;
  if (stmt.kind !== "store") {
    return (
      stmtExprs(stmt).every((expr) => safeExpr(expr, target, source, null, 0)) &&
      stmtChildren(stmt).every((inner) => safeStmt(inner, target, source))
    );
  }
  const sameElement = stmt.buffer === target ? stmt.indices : null;
  return (
    stmt.indices.every((index) => safeExpr(index, target, source, null, 1)) &&
    safeExpr(stmt.value, target, source, sameElement, 0)
  );
}

/** `nest`: how many loads or store indices are around `expr`; an index that is itself loaded says nothing about order. */
function safeExpr(
  expr: PrimExpr,
  target: Buffer,
  source: Buffer,
  element: readonly PrimExpr[] | null,
  nest: number,
): boolean {
  if (expr.kind === "buffer-ref") return expr.buffer !== target && expr.buffer !== source;
  if (expr.kind === "load") {
    if (expr.buffer === target || nest > 0) return false;
    if (
      expr.buffer === source &&
      (element === null || source.dtype !== target.dtype || !sameIndices(expr.indices, element))
    )
      return false;
    return expr.indices.every((index) => safeExpr(index, target, source, element, nest + 1));
  }
  return children(expr).every((child) => safeExpr(child, target, source, element, nest));
}

function sameIndices(a: readonly PrimExpr[], b: readonly PrimExpr[]): boolean {
  return a.length === b.length && a.every((index, i) => sameExpr(index, b[i]!));
}

/** Same tree over the same variables and buffers. */
function sameExpr(a: PrimExpr, b: PrimExpr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype || a.kind === "reduce") return false;
  const label = (expr: PrimExpr): TirVar | Buffer | string | number | bigint | null => {
    if (expr.kind === "tir-var") return expr;
    if (expr.kind === "int" || expr.kind === "float" || expr.kind === "string") return expr.value;
    if (expr.kind === "binary" || expr.kind === "tir-call") return expr.op;
    return expr.kind === "load" || expr.kind === "buffer-ref" ? expr.buffer : null;
  };
  if (!Object.is(label(a), label(b))) return false;
  const left = children(a);
  const right = children(b);
  return left.length === right.length && left.every((child, i) => sameExpr(child, right[i]!));
}
