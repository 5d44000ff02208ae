// RemoveNoOp: empty loops, branches, allocations that nobody uses, and values without effect.
// TVM: src/tir/transforms/remove_no_op.cc
import type { Pass } from "../../ir/pass.ts";
import { evaluate, ifStmt, intImm, not, seq, callsOutside } from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Stmt } from "../stmt.ts";
import { mapStmt, someExpr, stmtUsesVar, visitExpr, visitStmt } from "../visit.ts";
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
      return isNothing(stmt.body)
        ? nothing(stmt.origin)
        : isRead(stmt.body, stmt.buffer)
          ? stmt
          : withoutBuffer(stmt);
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
 * Nobody reads the buffer: what is stored to it goes too (C compilers warn of variables that are only set).
 */
function withoutBuffer(stmt: Extract<Stmt, { kind: "allocate" }>): Stmt {
  let stillSet = false;
  const body = mapStmt(stmt.body, (part) => {
    if (part.kind !== "store" || part.buffer !== stmt.buffer) return removeFrom(part);
    if (!hasEffect(part.value)) return nothing(part.origin);
    stillSet = true;
    return part;
  });
  if (!stillSet) return body;
  return body === stmt.body ? stmt : { ...stmt, body };
}

function isRead(body: Stmt, buffer: Buffer): boolean {
  let found = false;
  visitStmt(
    body,
    () => !found,
    (expr) =>
      visitExpr(expr, (part) => {
        if ((part.kind === "load" || part.kind === "buffer-ref") && part.buffer === buffer) found = true;
        return !found;
      }),
  );
  return found;
}
