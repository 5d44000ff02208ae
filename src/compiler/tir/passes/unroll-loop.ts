// UnrollLoop: loops of kind "unrolled" become their body, once a round.
// TVM: src/tir/transforms/unroll_loop.cc
import type { Pass } from "../../ir/pass.ts";
import { add, constInt, forLoop, intImm, seq } from "../build.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { For, Stmt } from "../stmt.ts";
import { mapStmt, substituteStmt } from "../visit.ts";

/** Past this many statements a loop stays a loop: code would grow without bound. */
const maxStatements = 4096;

export const unrollLoop: Pass<PrimFunc> = {
  name: "UnrollLoop",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = mapStmt(f.body, (stmt) =>
      stmt.kind === "for" && stmt.forKind === "unrolled" ? unroll(stmt) : stmt,
    );
    return body === f.body ? f : { ...f, body };
  },
};

function unroll(stmt: For): Stmt {
  const rounds = constInt(stmt.extent);
  if (rounds === null || rounds * countStatements(stmt.body) > maxStatements) {
    return forLoop(stmt.variable, { min: stmt.min, extent: stmt.extent }, stmt.body, stmt.origin);
  }
  const copies = Array.from({ length: rounds }, (_, i) =>
    substituteStmt(stmt.body, new Map([[stmt.variable, add(stmt.min, intImm(i, stmt.variable.dtype))]])),
  );
  return seq(copies, stmt.origin);
}

function countStatements(stmt: Stmt): number {
  let count = 0;
  mapStmt(stmt, (inner) => {
    count++;
    return inner;
  });
  return count;
}
