// RewriteUnsafeSelect: a Select evaluates both sides, so one whose side may read outside of a buffer becomes
// if_then_else. TVM makes every Select with a load in it a branch; here the loads' indices are bounded first,
// so that harmless ones stay selects, which have a vector form.
// TVM: src/tir/transforms/rewrite_unsafe_select.cc
import { createAnalyzer, type Analyzer } from "../../arith/analyzer.ts";
import type { Pass } from "../../ir/pass.ts";
import { constInt, ifThenElse } from "../build.ts";
import type { BufferLoad, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Stmt } from "../stmt.ts";
import { mapExpr, mapStmtChildren, someExpr } from "../visit.ts";

export const rewriteUnsafeSelect: Pass<PrimFunc> = {
  name: "RewriteUnsafeSelect",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = rewriteStmt(createAnalyzer(), f.body);
    return body === f.body ? f : { ...f, body };
  },
};

function rewriteStmt(analyzer: Analyzer, stmt: Stmt): Stmt {
  if (stmt.kind === "for") analyzer.bind(stmt.variable, stmt.min, stmt.extent);
  return mapStmtChildren(
    stmt,
    (inner) => rewriteStmt(analyzer, inner),
    (expr) => mapExpr(expr, (part) => rewriteSelect(analyzer, part)),
  );
}

function rewriteSelect(analyzer: Analyzer, expr: PrimExpr): PrimExpr {
  if (expr.kind !== "select" || expr.condition.dtype.lanes > 1) return expr;
  const unsafe = (side: PrimExpr): boolean =>
    someExpr(side, (part) => part.kind === "load" && !isInside(analyzer, part));
  return unsafe(expr.then) || unsafe(expr.otherwise)
    ? ifThenElse(expr.condition, expr.then, expr.otherwise)
    : expr;
}

/** Whether every index is certainly within its dimension (or the flat index within the whole). */
function isInside(analyzer: Analyzer, load: BufferLoad): boolean {
  const { shape } = load.buffer;
  const extents = shape.map(constInt);
  if (extents.some((extent) => extent === null)) return false;
  const sizes =
    load.indices.length === shape.length
      ? (extents as number[])
      : [(extents as number[]).reduce((a, b) => a * b, 1)];
  return load.indices.every((index, i) => {
    if (index.kind === "ramp") {
      const last = constInt(index.stride);
      if (last === null) return false;
      const base = analyzer.bounds(index.base);
      const reach = last * (index.lanes - 1);
      return base.min + Math.min(0, reach) >= 0 && base.max + Math.max(0, reach) < sizes[i]!;
    }
    if (index.dtype.lanes > 1) return false;
    const { min, max } = analyzer.bounds(index);
    return min >= 0 && max < sizes[i]!;
  });
}
