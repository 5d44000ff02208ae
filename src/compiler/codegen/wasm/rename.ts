// Gives every binding its own variable: unrolling copies loops, and code motion needs to know which loop a
// variable belongs to.
// TVM: src/tir/transforms/ir_utils.cc (ConvertSSA)
import { forLoop, letStmt, tirLet, tirVar } from "../../tir/build.ts";
import type { PrimExpr, TirVar } from "../../tir/expr.ts";
import type { Stmt } from "../../tir/stmt.ts";
import { mapChildren, mapStmtChildren } from "../../tir/visit.ts";

interface Renaming {
  readonly bound: Set<TirVar>;
  readonly current: Map<TirVar, TirVar>;
}

export function renameRebound(body: Stmt): Stmt {
  return renameStmt({ bound: new Set(), current: new Map() }, body);
}

function bindIn<T>(cx: Renaming, variable: TirVar, body: (variable: TirVar) => T): T {
  if (!cx.bound.has(variable)) {
    cx.bound.add(variable);
    return body(variable);
  }
  const before = cx.current.get(variable);
  const fresh = tirVar(variable.name, variable.dtype);
  cx.current.set(variable, fresh);
  const result = body(fresh);
  if (before === undefined) cx.current.delete(variable);
  else cx.current.set(variable, before);
  return result;
}

function renameStmt(cx: Renaming, stmt: Stmt): Stmt {
  const onExpr = (expr: PrimExpr): PrimExpr => renameExpr(cx, expr);
  if (stmt.kind === "for") {
    const min = onExpr(stmt.min);
    const extent = onExpr(stmt.extent);
    return bindIn(cx, stmt.variable, (variable) => {
      const body = renameStmt(cx, stmt.body);
      if (variable === stmt.variable && min === stmt.min && extent === stmt.extent && body === stmt.body)
        return stmt;
      return forLoop(variable, { min, extent, forKind: stmt.forKind }, body, stmt.origin);
    });
  }
  if (stmt.kind === "let-stmt") {
    const value = onExpr(stmt.value);
    return bindIn(cx, stmt.variable, (variable) => {
      const body = renameStmt(cx, stmt.body);
      return variable === stmt.variable && value === stmt.value && body === stmt.body
        ? stmt
        : letStmt(variable, value, body, stmt.origin);
    });
  }
  return mapStmtChildren(stmt, (inner) => renameStmt(cx, inner), onExpr);
}

function renameExpr(cx: Renaming, expr: PrimExpr): PrimExpr {
  if (expr.kind === "tir-var") return cx.current.get(expr) ?? expr;
  if (expr.kind === "tir-let") {
    const value = renameExpr(cx, expr.value);
    return bindIn(cx, expr.variable, (variable) => {
      const body = renameExpr(cx, expr.body);
      return variable === expr.variable && value === expr.value && body === expr.body
        ? expr
        : tirLet(variable, value, body);
    });
  }
  return mapChildren(expr, (child) => renameExpr(cx, child));
}
