// The order in which the AOT main touches its allocations, as a flat list of statements: what
// StorageRewrite's liveness is. A branch is two entries, before and after; accesses inside count at the end
// one, at the nesting of the allocation.
// TVM: src/tir/transforms/storage_rewrite.cc (LinearAccessPatternFinder, LivenessAnalysis)
import { invariant } from "../../../support/assert.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Stmt } from "../stmt.ts";
import { stmtChildren, stmtExprs, visitExpr } from "../visit.ts";

interface AccessEntry {
  readonly stmt: Stmt;
  /** 0: a leaf. Positive: start of a scope, its end is that many entries on. Negative: end of a scope. */
  readonly pair: number;
  readonly touched: readonly Buffer[];
}

export interface AccessSequence {
  readonly entries: readonly AccessEntry[];
  /** Nesting level of each allocation. */
  readonly allocations: ReadonlyMap<Buffer, number>;
  /**
   * By entry: allocations whose life starts there (leaf or start of scope), and whose life ends there (leaf
   * or end).
   */
  readonly gen: ReadonlyArray<readonly Buffer[] | undefined>;
  readonly kill: ReadonlyArray<readonly Buffer[] | undefined>;
}

interface Walk {
  readonly entries: AccessEntry[];
  readonly allocations: Map<Buffer, number>;
  /** Buffers touched by the statements being walked, outermost first. */
  readonly scopes: Buffer[][];
}

export function linearAccesses(f: PrimFunc): AccessSequence {
  const walk: Walk = { entries: [], allocations: new Map(f.allocations.map((of) => [of, 0])), scopes: [] };
  walkStmt(walk, f.body);
  const { entries, allocations } = walk;
  return { entries, allocations, ...liveness(entries) };
}

function walkStmt(walk: Walk, stmt: Stmt): void {
  switch (stmt.kind) {
    case "seq":
      for (const inner of stmt.body) walkStmt(walk, inner);
      return;
    case "allocate":
      for (const { buffer } of stmt.allocations) walk.allocations.set(buffer, walk.scopes.length);
      walkStmt(walk, stmt.body);
      return;
    case "evaluate": {
      walk.scopes.push([]);
      touchAll(walk, stmt);
      const touched = walk.scopes.pop() ?? [];
      if (touched.length > 0) walk.entries.push({ stmt, pair: 0, touched });
      return;
    }
    case "if-then-else":
      walkScope(walk, stmt);
      return;
    case "store":
    case "for":
    case "while":
    case "let-stmt":
    case "attr-stmt":
      invariant(false, `main holds a ${stmt.kind}`);
  }
}

function walkScope(walk: Walk, stmt: Stmt): void {
  const begin = walk.entries.length;
  walk.entries.push({ stmt, pair: 0, touched: [] });
  walk.scopes.push([]);
  touchAll(walk, stmt);
  for (const inner of stmtChildren(stmt)) walkStmt(walk, inner);
  const end = walk.entries.length;
  walk.entries.push({ stmt, pair: begin - end, touched: walk.scopes.pop()! });
  walk.entries[begin] = { stmt, pair: end - begin, touched: [] };
}

function touchAll(walk: Walk, stmt: Stmt): void {
  for (const expr of stmtExprs(stmt)) touchExpr(walk, expr);
}

function touchExpr(walk: Walk, expr: PrimExpr): void {
  visitExpr(expr, (part) => {
    if (part.kind === "load" || part.kind === "buffer-ref") touch(walk, part.buffer);
  });
}

function touch(walk: Walk, of: Buffer): void {
  const level = walk.allocations.get(of);
  if (level === undefined) return;
  invariant(level < walk.scopes.length, `${of.name} is used outside of any statement`);
  walk.scopes[level]!.push(of);
}

function liveness(entries: readonly AccessEntry[]): Pick<AccessSequence, "gen" | "kill"> {
  const kill: (Buffer[] | undefined)[] = new Array<Buffer[] | undefined>(entries.length);
  const gen: (Buffer[] | undefined)[] = new Array<Buffer[] | undefined>(entries.length);
  const note = (
    into: (Buffer[] | undefined)[],
    seen: Set<Buffer>,
    at: number,
    touched: readonly Buffer[],
  ): void => {
    for (const of of touched) {
      if (seen.has(of)) continue;
      seen.add(of);
      (into[at] ??= []).push(of);
    }
  };
  const dead = new Set<Buffer>();
  for (let i = entries.length - 1; i >= 0; i--) note(kill, dead, i, entries[i]!.touched);
  const born = new Set<Buffer>();
  entries.forEach((entry, i) => {
    if (entry.pair >= 0) note(gen, born, i, entries[i + entry.pair]!.touched);
  });
  return { gen, kill };
}
