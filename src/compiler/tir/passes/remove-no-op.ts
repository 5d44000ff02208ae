// RemoveNoOp: empty loops, branches, allocations that nobody uses, and values without effect.
// TVM: src/tir/transforms/remove_no_op.cc
import { pushTo } from "../../../support/push-to.ts";
import type { Pass } from "../../ir/pass.ts";
import { allocateAll, callsOutside, evaluate, ifStmt, intImm, not, seq } from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Allocate, Stmt } from "../stmt.ts";
import { mapStmt, someExpr, stmtExprs, stmtUsesVar, visitExpr, visitStmt } from "../visit.ts";
import { isNothing, nothing } from "./simplify.ts";

export const removeNoOp: Pass<PrimFunc> = {
  name: "RemoveNoOp",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = mapStmt(f.body, removeFrom);
    return body === f.body ? f : { ...f, body };
  },
};

function removeFrom(stmt: Stmt): Stmt {
  switch (stmt.kind) {
    case "seq": {
      const kept = stmt.body.filter((part) => !isNothing(part));
      if (kept.length === stmt.body.length) return stmt;
      return kept.length === 0 ? nothing(stmt.origin) : seq(kept, stmt.origin);
    }
    case "for":
    case "while":
    case "attr-stmt":
      return isNothing(stmt.body) ? nothing(stmt.origin) : stmt;
    case "let-stmt":
      if (isNothing(stmt.body))
        return hasEffect(stmt.value) ? evaluate(stmt.value, stmt.origin) : nothing(stmt.origin);
      return !hasEffect(stmt.value) && !stmtUsesVar(stmt.body, (variable) => variable === stmt.variable)
        ? stmt.body
        : stmt;
    case "allocate":
      return isNothing(stmt.body) ? nothing(stmt.origin) : withoutUnread(stmt);
    case "if-then-else":
      return removeBranch(stmt);
    case "evaluate":
      return hasEffect(stmt.value) || isNothing(stmt) ? stmt : evaluate(intImm(0), stmt.origin);
    case "store":
      return stmt;
  }
}

function removeBranch(stmt: Extract<Stmt, { kind: "if-then-else" }>): Stmt {
  const { condition, then, otherwise } = stmt;
  const noElse = otherwise === null || isNothing(otherwise);
  if (isNothing(then) && noElse)
    return hasEffect(condition) ? evaluate(condition, stmt.origin) : nothing(stmt.origin);
  if (isNothing(then)) return ifStmt(not(condition), otherwise!, null, stmt.origin);
  return noElse && otherwise !== null ? ifStmt(condition, then, null, stmt.origin) : stmt;
}

function hasEffect(expr: PrimExpr): boolean {
  return someExpr(
    expr,
    (part) => part.kind === "tir-call" && callsOutside(part) && part.op !== "tir.call_pure_extern",
  );
}

/**
 * Buffers that nobody reads go, and what is stored to them too (C compilers warn of variables that are only
 * set).
 */
function withoutUnread(stmt: Allocate): Stmt {
  const read = readBuffers(stmt);
  if (read.size === stmt.allocations.length) return stmt;
  const unread = new Set(stmt.allocations.map(({ buffer }) => buffer).filter((of) => !read.has(of)));
  const stillSet = new Set<Buffer>();
  const body = mapStmt(stmt.body, (part) => {
    if (part.kind !== "store" || !unread.has(part.buffer)) return removeFrom(part);
    if (!hasEffect(part.value)) return nothing(part.origin);
    stillSet.add(part.buffer);
    return part;
  });
  const kept = stmt.allocations.filter(({ buffer }) => read.has(buffer) || stillSet.has(buffer));
  return kept.length === stmt.allocations.length && body === stmt.body
    ? stmt
    : allocateAll(kept, body, stmt.origin);
}

/** Buffers of `stmt` that decide about anything but what is stored to a buffer of `stmt` that does not. */
function readBuffers(stmt: Allocate): ReadonlySet<Buffer> {
  const own = new Set(stmt.allocations.map(({ buffer }) => buffer));
  const read = new Set<Buffer>();
  /** By buffer: what is read to be stored there. */
  const sources = new Map<Buffer, Buffer[]>();
  visitStmt(stmt.body, (part) => {
    const into = part.kind === "store" && own.has(part.buffer) && !hasEffect(part.value) ? part.buffer : null;
    for (const expr of stmtExprs(part))
      visitExpr(expr, (inner) => {
        if ((inner.kind !== "load" && inner.kind !== "buffer-ref") || !own.has(inner.buffer)) return;
        if (into === null) read.add(inner.buffer);
        else pushTo(sources, into, inner.buffer);
      });
  });
  // A set is walked in the order in which it grows: what is added here is come to.
  for (const buffer of read) for (const source of sources.get(buffer) ?? []) read.add(source);
  return read;
}
