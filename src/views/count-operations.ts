// Arithmetic operations of one call of a kernel, counted on its TIR: floating-point and integer, multiply and
// add one each, index arithmetic left out (only operations on the values that are loaded and stored count).
import type { PrimExpr } from "../compiler/tir/expr.ts";
import { constInt } from "../compiler/tir/build.ts";
import type { PrimFunc } from "../compiler/tir/prim-func.ts";
import type { Stmt } from "../compiler/tir/stmt.ts";

export function countOperations(func: PrimFunc): number {
  return ofStmt(func.body);
}

function ofStmt(stmt: Stmt): number {
  switch (stmt.kind) {
    case "store":
      return ofValue(stmt.value);
    case "for":
      return (constInt(stmt.extent) ?? 1) * ofStmt(stmt.body);
    case "seq":
      return stmt.body.reduce((sum, part) => sum + ofStmt(part), 0);
    case "if-then-else":
      return Math.max(ofStmt(stmt.then), stmt.otherwise === null ? 0 : ofStmt(stmt.otherwise));
    case "while":
    case "allocate":
    case "attr-stmt":
      return ofStmt(stmt.body);
    case "let-stmt":
      return ofValue(stmt.value) + ofStmt(stmt.body);
    case "evaluate":
      return ofValue(stmt.value);
  }
}

/** Operations on values; an index of a load is not looked into. */
function ofValue(expr: PrimExpr): number {
  switch (expr.kind) {
    case "binary":
      return expr.dtype.lanes + ofValue(expr.a) + ofValue(expr.b);
    case "not":
      return ofValue(expr.a);
    case "select":
      return Math.max(ofValue(expr.then), ofValue(expr.otherwise));
    case "cast":
    case "broadcast":
      return ofValue(expr.value);
    case "tir-let":
      return ofValue(expr.value) + ofValue(expr.body);
    case "tir-call":
      return (
        (expr.op === "tir.if_then_else" ? 0 : expr.dtype.lanes) +
        expr.args.reduce((sum, arg) => sum + ofValue(arg), 0)
      );
    case "tir-var":
    case "int":
    case "float":
    case "string":
    case "ramp":
    case "load":
    case "buffer-ref":
    case "producer-load":
    case "reduce":
      return 0;
  }
}
