// LoopPartition: a loop over a range in which a condition only sometimes holds is cut where it starts or
// stops to hold, so that the long part (register tiles, vector bodies) runs without it. Cuts for `likely`
// conditions (tails of splits); with the pragma loop_partition_hint also for those of if_then_else (padding).
//  TVM: src/tir/transforms/loop_partition.cc
import { createAnalyzer, type Analyzer } from "../../arith/analyzer.ts";
import type { Pass } from "../../ir/pass.ts";
import { buffer as makeBuffer, constInt, forLoop, intImm, seq, tirVar } from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { For, Stmt } from "../stmt.ts";
import { mapStmtChildren, replaceBuffers, substituteStmt, usesVar, visitExpr, visitStmt } from "../visit.ts";
import { isNothing, nothing, simplifyStmt } from "./simplify.ts";

export const loopPartition: Pass<PrimFunc> = {
  name: "LoopPartition",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = partitionStmt(createAnalyzer(), f.body, false);
    return body === f.body ? f : { ...f, body };
  },
};

const hint = "pragma_loop_partition_hint";

function partitionStmt(analyzer: Analyzer, stmt: Stmt, hinted: boolean): Stmt {
  if (stmt.kind === "attr-stmt" && stmt.key === hint) return partitionStmt(analyzer, stmt.body, true);
  if (stmt.kind !== "for") return mapStmtChildren(stmt, (inner) => partitionStmt(analyzer, inner, hinted));
  const pieces = cut(analyzer, stmt, hinted);
  if (pieces.length === 1) {
    analyzer.bind(stmt.variable, stmt.min, stmt.extent);
    return mapStmtChildren(stmt, (inner) => partitionStmt(analyzer, inner, hinted));
  }
  const parts = pieces
    .map((piece) => partitionPiece(analyzer, piece, hinted))
    .filter((part) => !isNothing(part));
  return parts.length === 0 ? nothing(stmt.origin) : seq(parts, stmt.origin);
}

/**
 * Each piece gets variables and buffers of its own (bindings stay single), is simplified in its range and
 * then cut inside.
 */
function partitionPiece(analyzer: Analyzer, piece: For, hinted: boolean): Stmt {
  const fresh = freshBuffers(freshLoops(piece));
  const simple = simplifyStmt(analyzer, fresh);
  // A piece of one round is its body, to be cut like any other statement.
  if (simple.kind !== "for" || fresh.kind !== "for" || simple.variable !== fresh.variable)
    return partitionStmt(analyzer, simple, hinted);
  analyzer.bind(simple.variable, simple.min, simple.extent);
  return mapStmtChildren(simple, (inner) => partitionStmt(analyzer, inner, hinted));
}

/** Each piece allocates buffers of its own: pieces of one round may stand side by side. */
function freshBuffers(stmt: Stmt): Stmt {
  const fresh = new Map<Buffer, Buffer>();
  visitStmt(stmt, (inner) => {
    if (inner.kind !== "allocate") return;
    for (const { buffer } of inner.allocations)
      fresh.set(buffer, makeBuffer(buffer.name, buffer.dtype, buffer.shape, buffer.scope));
  });
  return fresh.size === 0 ? stmt : replaceBuffers(stmt, fresh);
}

function freshLoops(stmt: Stmt): Stmt {
  if (stmt.kind !== "for") return mapStmtChildren(stmt, freshLoops);
  const variable = tirVar(stmt.variable.name, stmt.variable.dtype);
  const body = substituteStmt(freshLoops(stmt.body), new Map([[stmt.variable, variable]]));
  return forLoop(variable, { min: stmt.min, extent: stmt.extent, forKind: stmt.forKind }, body, stmt.origin);
}

/**
 * The loop in one to three pieces: before, within and after the range in which every condition that can be
 * decided holds.
 */
function cut(analyzer: Analyzer, stmt: For, hinted: boolean): readonly For[] {
  const rounds = constInt(stmt.extent);
  const first = constInt(stmt.min);
  if (rounds === null || first === null || rounds < 2) return [stmt];
  const end = first + rounds;
  let [low, high] = [first, end];
  for (const condition of conditionsOn(stmt, hinted)) {
    const range = rangeWhereTrue(analyzer, stmt, condition);
    if (range === null || range.low >= range.high) continue;
    // A condition that would leave nothing of the range found so far is left to the pieces.
    if (Math.max(low, range.low) >= Math.min(high, range.high)) continue;
    low = Math.max(low, range.low);
    high = Math.min(high, range.high);
  }
  if (low === first && high === end) return [stmt];
  const piece = (from: number, to: number): For[] =>
    to <= from
      ? []
      : [
          forLoop(
            stmt.variable,
            {
              min: intImm(from, stmt.variable.dtype),
              extent: intImm(to - from, stmt.variable.dtype),
              forKind: stmt.forKind,
            },
            stmt.body,
            stmt.origin,
          ) as For,
        ];
  return [...piece(first, low), ...piece(low, high), ...piece(high, end)];
}

/** Conditions that depend on the loop's variable, `and`s taken apart. */
function conditionsOn(stmt: For, hinted: boolean): readonly PrimExpr[] {
  const found: PrimExpr[] = [];
  const note = (condition: PrimExpr): void => {
    if (condition.kind === "binary" && condition.op === "and") {
      note(condition.a);
      note(condition.b);
    } else if (usesVar(condition, (variable) => variable === stmt.variable)) found.push(condition);
  };
  visitStmt(
    stmt.body,
    () => undefined,
    (expr) =>
      visitExpr(expr, (part) => {
        if (part.kind !== "tir-call") return;
        if (part.op === "tir.likely") note(part.args[0]!);
        if (hinted && part.op === "tir.if_then_else") note(part.args[0]!);
      }),
  );
  return found;
}

/**
 * The values of the loop's variable for which the comparison certainly holds, whatever loops inside do:
 * factor x v + rest < 0 with the greatest rest. Null where the condition is no comparison or not linear in v.
 */
function rangeWhereTrue(
  analyzer: Analyzer,
  stmt: For,
  condition: PrimExpr,
): { readonly low: number; readonly high: number } | null {
  if (condition.kind !== "binary") return null;
  const { op } = condition;
  if (op !== "lt" && op !== "le" && op !== "gt" && op !== "ge") return null;
  const less = op === "lt" || op === "le";
  const [left, right] = less ? [condition.a, condition.b] : [condition.b, condition.a];
  return analyzerInside(analyzer, stmt, () => {
    const difference = analyzer.linear({ kind: "binary", op: "sub", dtype: left.dtype, a: left, b: right });
    let factor = 0;
    let greatest = difference.constant + (op === "le" || op === "ge" ? -1 : 0);
    for (const { atom, coef } of difference.terms.values()) {
      if (atom === stmt.variable) {
        factor = coef;
        continue;
      }
      if (usesVar(atom, (variable) => variable === stmt.variable)) return null;
      const { min, max } = analyzer.bounds(atom);
      greatest += Math.max(coef * min, coef * max);
    }
    if (factor === 0 || !Number.isFinite(greatest)) return null;
    // factor * v + greatest < 0
    return factor > 0
      ? { low: -Infinity, high: Math.ceil(-greatest / factor) }
      : { low: Math.floor(greatest / -factor) + 1, high: Infinity };
  });
}

/** Runs `body` with the loops inside `stmt` bound to their ranges. */
function analyzerInside<T>(analyzer: Analyzer, stmt: For, body: () => T): T {
  analyzer.bind(stmt.variable, stmt.min, stmt.extent);
  visitStmt(stmt.body, (inner) => {
    if (inner.kind === "for") analyzer.bind(inner.variable, inner.min, inner.extent);
  });
  return body();
}
