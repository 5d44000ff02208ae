// NarrowDataType: index arithmetic in int64 that provably fits int32 is done in int32.
// TVM: src/tir/transforms/narrow_datatype.cc
import { createAnalyzer, type Analyzer } from "../../arith/analyzer.ts";
import { int32, int64 } from "../../ir/dtype.ts";
import type { Pass } from "../../ir/pass.ts";
import { cast, forLoop, intImm, load, makeBinary, store, tirVar } from "../build.ts";
import type { PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { For, Stmt } from "../stmt.ts";
import { mapExpr, mapStmtChildren, substituteStmt } from "../visit.ts";

export const narrowDataType: Pass<PrimFunc> = {
  name: "NarrowDataType",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = narrowStmt(createAnalyzer(), f.body);
    return body === f.body ? f : { ...f, body };
  },
};

const limit = 2 ** 31;

function narrowStmt(analyzer: Analyzer, stmt: Stmt): Stmt {
  if (stmt.kind === "for") return narrowFor(analyzer, stmt);
  const onExpr = (expr: PrimExpr): PrimExpr => mapExpr(expr, (part) => narrowUse(analyzer, part));
  const out = mapStmtChildren(stmt, (inner) => narrowStmt(analyzer, inner), onExpr);
  if (out.kind !== "store") return out;
  const indices = out.indices.map((index) => narrowIndex(analyzer, index));
  return indices.every((index, i) => index === out.indices[i])
    ? out
    : store(out.buffer, indices, out.value, out.origin);
}

/** A loop over int64 whose end fits int32 gets an int32 variable; its uses see it cast. */
function narrowFor(analyzer: Analyzer, stmt: For): Stmt {
  const min = narrowIndex(analyzer, stmt.min);
  const extent = narrowIndex(analyzer, stmt.extent);
  analyzer.bind(stmt.variable, min, extent);
  if (stmt.variable.dtype !== int64 || min.dtype !== int32 || extent.dtype !== int32) {
    const body = narrowStmt(analyzer, stmt.body);
    return body === stmt.body
      ? stmt
      : forLoop(
          stmt.variable,
          { min: stmt.min, extent: stmt.extent, forKind: stmt.forKind },
          body,
          stmt.origin,
        );
  }
  const variable = tirVar(stmt.variable.name, int32);
  analyzer.bind(variable, min, extent);
  const body = narrowStmt(
    analyzer,
    substituteStmt(stmt.body, new Map([[stmt.variable, cast(variable, int64)]])),
  );
  return forLoop(variable, { min, extent, forKind: stmt.forKind }, body, stmt.origin);
}

/** Indices of loads and both sides of comparisons. */
function narrowUse(analyzer: Analyzer, expr: PrimExpr): PrimExpr {
  if (expr.kind === "load") {
    const indices = expr.indices.map((index) => narrowIndex(analyzer, index));
    return indices.every((index, i) => index === expr.indices[i]) ? expr : load(expr.buffer, indices);
  }
  if (expr.kind !== "binary" || expr.dtype.code !== "bool" || expr.a.dtype !== int64) return expr;
  const a = narrowIndex(analyzer, expr.a);
  const b = narrowIndex(analyzer, expr.b);
  return a.dtype === int32 && b.dtype === int32 ? makeBinary(expr.op, a, b) : expr;
}

/** `expr` in int32 if it and every part of it fits, else itself. */
function narrowIndex(analyzer: Analyzer, expr: PrimExpr): PrimExpr {
  if (expr.dtype !== int64) return expr;
  return tryNarrow(analyzer, expr) ?? expr;
}

function tryNarrow(analyzer: Analyzer, expr: PrimExpr): PrimExpr | null {
  if (expr.dtype === int32) return expr;
  const { min, max } = analyzer.bounds(expr);
  if (min < -limit || max >= limit) return null;
  if (expr.kind === "int") return intImm(expr.value, int32);
  if (expr.kind === "cast") return expr.value.dtype === int32 ? expr.value : null;
  if (expr.kind !== "binary") return null;
  const a = tryNarrow(analyzer, expr.a);
  const b = a === null ? null : tryNarrow(analyzer, expr.b);
  return a === null || b === null ? null : makeBinary(expr.op, a, b);
}
