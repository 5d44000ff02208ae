// Simplify: arithmetic of every expression, with what loops and conditions around it say; branches that are
// decided and loops that run once or never are gone.  TVM: src/tir/transforms/simplify.cc
import { createAnalyzer, type Analyzer } from "../../arith/analyzer.ts";
import type { Pass } from "../../ir/pass.ts";
import { attrStmt, constInt, evaluate, forLoop, ifStmt, intImm, not, seq } from "../build.ts";
import type { PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { For, IfThenElse, Stmt } from "../stmt.ts";
import { mapStmtChildren, substituteStmt } from "../visit.ts";

export const simplifyPass: Pass<PrimFunc> = {
  name: "Simplify",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = simplifyStmt(createAnalyzer(), f.body);
    return body === f.body ? f : { ...f, body };
  },
};

/** `stmt` simplified under what `analyzer` knows. */
export function simplifyStmt(analyzer: Analyzer, stmt: Stmt): Stmt {
  switch (stmt.kind) {
    case "for":
      return simplifyFor(analyzer, stmt);
    case "if-then-else":
      return simplifyIf(analyzer, stmt);
    case "seq": {
      const parts = stmt.body.map((part) => simplifyStmt(analyzer, part));
      if (parts.every((part, i) => part === stmt.body[i])) return stmt;
      return seq(
        parts.filter((part) => !isNothing(part)),
        stmt.origin,
      );
    }
    case "attr-stmt": {
      const body = simplifyStmt(analyzer, stmt.body);
      return body === stmt.body ? stmt : attrStmt(stmt.key, stmt.value, body, stmt.origin);
    }
    case "store":
    case "while":
    case "let-stmt":
    case "allocate":
    case "evaluate":
      return mapStmtChildren(stmt, (inner) => simplifyStmt(analyzer, inner), analyzer.simplify);
  }
}

/** A statement without effect stands where nothing is left. */
export function nothing(origin: Stmt["origin"]): Stmt {
  return evaluate(intImm(0), origin);
}

export function isNothing(stmt: Stmt): boolean {
  return (
    (stmt.kind === "evaluate" && stmt.value.kind === "int") || (stmt.kind === "seq" && stmt.body.length === 0)
  );
}

function simplifyFor(analyzer: Analyzer, stmt: For): Stmt {
  const min = analyzer.simplify(stmt.min);
  const extent = analyzer.simplify(stmt.extent);
  const rounds = constInt(extent);
  if (rounds !== null && rounds <= 0) return nothing(stmt.origin);
  if (rounds === 1) return simplifyStmt(analyzer, substituteStmt(stmt.body, new Map([[stmt.variable, min]])));
  analyzer.bind(stmt.variable, min, extent);
  const body = simplifyStmt(analyzer, stmt.body);
  if (min === stmt.min && extent === stmt.extent && body === stmt.body) return stmt;
  return isNothing(body)
    ? body
    : forLoop(stmt.variable, { min, extent, forKind: stmt.forKind }, body, stmt.origin);
}

function simplifyIf(analyzer: Analyzer, stmt: IfThenElse): Stmt {
  const condition = analyzer.simplify(stmt.condition);
  const decided = constInt(condition);
  if (decided !== null) {
    if (decided !== 0) return simplifyStmt(analyzer, stmt.then);
    return stmt.otherwise === null ? nothing(stmt.origin) : simplifyStmt(analyzer, stmt.otherwise);
  }
  const then = analyzer.within(condition, () => simplifyStmt(analyzer, stmt.then));
  const otherwise =
    stmt.otherwise === null
      ? null
      : analyzer.within(notLikely(condition), () => simplifyStmt(analyzer, stmt.otherwise!));
  if (condition === stmt.condition && then === stmt.then && otherwise === stmt.otherwise) return stmt;
  if (isNothing(then) && otherwise === null) return nothing(stmt.origin);
  return ifStmt(condition, then, otherwise, stmt.origin);
}

function notLikely(condition: PrimExpr): PrimExpr {
  return not(condition.kind === "tir-call" && condition.op === "tir.likely" ? condition.args[0]! : condition);
}
