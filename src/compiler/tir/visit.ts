// Walks and rewrites of TIR. Every rewrite hands the same object back where nothing changed.
// Both are walked by recursion, whose depth is bounded however long the program is; the verifier holds it.
// Expressions (maxHeight): group.ts (heightLimit, indexLimit) inlines nothing into a body or an index that
// has grown too large, choices among many tensors are balanced trees, and so are sums of many terms
// (arith/linear.ts); an index has a term a dimension, which are few (maxRank). Lowering an intrinsic makes a
// body a few times as high.
// Statements (maxDepth): a Seq and an Allocate are lists, so what nests is loops, a few a dimension, and
// branches, those of main no deeper than relay/nesting.ts allows.
// TVM: src/tir/ir/expr_functor.cc, src/tir/ir/stmt_functor.cc
import {
  allocateAll,
  attrStmt,
  broadcast,
  cast,
  evaluate,
  forLoop,
  ifStmt,
  letStmt,
  load,
  makeBinary,
  not,
  producerLoad,
  ramp,
  reduceNode,
  select,
  seq,
  store,
  tirCall,
  tirLet,
  whileLoop,
} from "./build.ts";
import type { Buffer, IterVar, PrimExpr, TirVar } from "./expr.ts";
import type { Stmt } from "./stmt.ts";

/** No expression of a PrimFunc is higher (a leaf has 1). */
export const maxHeight = 2000;
/** No statement of a PrimFunc is inside as many others. */
export const maxDepth = 1000;

type ExprFn = (expr: PrimExpr) => PrimExpr;
type StmtFn = (stmt: Stmt) => Stmt;

const none: readonly PrimExpr[] = [];

/**
 * Direct operands. Of a Reduce: sources, then condition, then the axes' bounds (the combiner is closed and
 * left out).
 */
export function children(expr: PrimExpr): readonly PrimExpr[] {
  switch (expr.kind) {
    case "tir-var":
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
      return none;
    case "binary":
      return [expr.a, expr.b];
    case "not":
      return [expr.a];
    case "select":
      return [expr.condition, expr.then, expr.otherwise];
    case "cast":
    case "broadcast":
      return [expr.value];
    case "ramp":
      return [expr.base, expr.stride];
    case "tir-let":
      return [expr.value, expr.body];
    case "tir-call":
      return expr.args;
    case "load":
    case "producer-load":
      return expr.indices;
    case "reduce":
      return [...expr.sources, expr.condition, ...expr.axes.flatMap((axis) => [axis.min, axis.extent])];
  }
}

/** `list` with `f` applied; the same array if every element stayed itself. */
export function mapList<T>(list: readonly T[], f: (item: T) => T): readonly T[] {
  let out: T[] | null = null;
  for (let i = 0; i < list.length; i++) {
    const item = list[i]!;
    const mapped = f(item);
    if (out !== null) out.push(mapped);
    else if (mapped !== item) {
      out = list.slice(0, i);
      out.push(mapped);
    }
  }
  return out ?? list;
}

/**
 * Rebuilds `expr` from mapped operands through the factories, so constants fold and lanes follow the
 * operands.
 */
export function mapChildren(expr: PrimExpr, f: ExprFn): PrimExpr {
  switch (expr.kind) {
    case "tir-var":
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
      return expr;
    case "binary": {
      const a = f(expr.a);
      const b = f(expr.b);
      return a === expr.a && b === expr.b ? expr : makeBinary(expr.op, a, b);
    }
    case "not": {
      const a = f(expr.a);
      return a === expr.a ? expr : not(a);
    }
    case "select": {
      const condition = f(expr.condition);
      const then = f(expr.then);
      const otherwise = f(expr.otherwise);
      return condition === expr.condition && then === expr.then && otherwise === expr.otherwise
        ? expr
        : select(condition, then, otherwise);
    }
    case "cast": {
      const value = f(expr.value);
      return value === expr.value ? expr : cast(value, expr.dtype);
    }
    case "broadcast": {
      const value = f(expr.value);
      return value === expr.value ? expr : broadcast(value, expr.lanes);
    }
    case "ramp": {
      const base = f(expr.base);
      const stride = f(expr.stride);
      return base === expr.base && stride === expr.stride ? expr : ramp(base, stride, expr.lanes);
    }
    case "tir-let": {
      const value = f(expr.value);
      const body = f(expr.body);
      return value === expr.value && body === expr.body ? expr : tirLet(expr.variable, value, body);
    }
    case "tir-call": {
      const args = mapList(expr.args, f);
      return args === expr.args ? expr : tirCall(expr.op, expr.dtype, args, expr.primitive);
    }
    case "load": {
      const indices = mapList(expr.indices, f);
      return indices === expr.indices ? expr : load(expr.buffer, indices);
    }
    case "producer-load": {
      const indices = mapList(expr.indices, f);
      return indices === expr.indices ? expr : producerLoad(expr.producer, indices);
    }
    case "reduce": {
      const sources = mapList(expr.sources, f);
      const condition = f(expr.condition);
      const axes = mapList(expr.axes, (axis) => mapIterVar(axis, f));
      if (sources === expr.sources && condition === expr.condition && axes === expr.axes) return expr;
      return reduceNode(expr.combiner, sources, axes, condition, expr.valueIndex);
    }
  }
}

function mapIterVar(axis: IterVar, f: ExprFn): IterVar {
  const min = f(axis.min);
  const extent = f(axis.extent);
  return min === axis.min && extent === axis.extent ? axis : { ...axis, min, extent };
}

/** Bottom-up rewrite: `f` sees each node after its operands were rewritten. */
export function mapExpr(expr: PrimExpr, f: ExprFn): PrimExpr {
  return f(mapChildren(expr, (child) => mapExpr(child, f)));
}

/**
 * Calls `f` on every node, operands after their parent; `f` returning false keeps the walk out of the
 * operands.
 */
export function visitExpr(expr: PrimExpr, f: (expr: PrimExpr) => boolean | void): void {
  if (f(expr) === false) return;
  for (const child of children(expr)) visitExpr(child, f);
}

export function someExpr(expr: PrimExpr, test: (expr: PrimExpr) => boolean): boolean {
  return test(expr) || children(expr).some((child) => someExpr(child, test));
}

/** Statements directly inside `stmt`. */
export function stmtChildren(stmt: Stmt): readonly Stmt[] {
  switch (stmt.kind) {
    case "store":
    case "evaluate":
      return [];
    case "seq":
      return stmt.body;
    case "if-then-else":
      return stmt.otherwise === null ? [stmt.then] : [stmt.then, stmt.otherwise];
    case "for":
    case "while":
    case "let-stmt":
    case "allocate":
    case "attr-stmt":
      return [stmt.body];
  }
}

/** Expressions directly in `stmt`, not those of the statements inside. */
export function stmtExprs(stmt: Stmt): readonly PrimExpr[] {
  switch (stmt.kind) {
    case "store":
      return [...stmt.indices, stmt.value];
    case "for":
      return [stmt.min, stmt.extent];
    case "if-then-else":
    case "while":
      return [stmt.condition];
    case "let-stmt":
    case "evaluate":
    case "attr-stmt":
      return [stmt.value];
    case "seq":
    case "allocate":
      return none;
  }
}

/** Rebuilds one level: `onStmt` on the statements inside, `onExpr` on the expressions directly in it. */
export function mapStmtChildren(stmt: Stmt, onStmt: StmtFn, onExpr: ExprFn = same): Stmt {
  switch (stmt.kind) {
    case "store": {
      const indices = mapList(stmt.indices, onExpr);
      const value = onExpr(stmt.value);
      return indices === stmt.indices && value === stmt.value
        ? stmt
        : store(stmt.buffer, indices, value, stmt.origin);
    }
    case "for": {
      const min = onExpr(stmt.min);
      const extent = onExpr(stmt.extent);
      const body = onStmt(stmt.body);
      if (min === stmt.min && extent === stmt.extent && body === stmt.body) return stmt;
      return forLoop(stmt.variable, { min, extent, forKind: stmt.forKind }, body, stmt.origin);
    }
    case "seq": {
      const body = mapList(stmt.body, onStmt);
      return body === stmt.body ? stmt : seq(body, stmt.origin);
    }
    case "if-then-else": {
      const condition = onExpr(stmt.condition);
      const then = onStmt(stmt.then);
      const otherwise = stmt.otherwise === null ? null : onStmt(stmt.otherwise);
      if (condition === stmt.condition && then === stmt.then && otherwise === stmt.otherwise) return stmt;
      return ifStmt(condition, then, otherwise, stmt.origin);
    }
    case "while": {
      const condition = onExpr(stmt.condition);
      const body = onStmt(stmt.body);
      return condition === stmt.condition && body === stmt.body
        ? stmt
        : whileLoop(condition, body, stmt.origin);
    }
    case "let-stmt": {
      const value = onExpr(stmt.value);
      const body = onStmt(stmt.body);
      return value === stmt.value && body === stmt.body
        ? stmt
        : letStmt(stmt.variable, value, body, stmt.origin);
    }
    case "allocate": {
      const body = onStmt(stmt.body);
      return body === stmt.body ? stmt : allocateAll(stmt.allocations, body, stmt.origin);
    }
    case "evaluate": {
      const value = onExpr(stmt.value);
      return value === stmt.value ? stmt : evaluate(value, stmt.origin);
    }
    case "attr-stmt": {
      const value = onExpr(stmt.value);
      const body = onStmt(stmt.body);
      return value === stmt.value && body === stmt.body ? stmt : attrStmt(stmt.key, value, body, stmt.origin);
    }
  }
}

function same<T>(value: T): T {
  return value;
}

/**
 * Bottom-up: `onStmt` sees each statement after the inside was rewritten; `onExpr` each expression as a whole
 * (not its parts).
 */
export function mapStmt(stmt: Stmt, onStmt: StmtFn, onExpr: ExprFn = same): Stmt {
  return onStmt(mapStmtChildren(stmt, (inner) => mapStmt(inner, onStmt, onExpr), onExpr));
}

/**
 * Calls `onStmt` on every statement before those inside it, and `onExpr` on every whole expression; false
 * keeps the walk out.
 */
export function visitStmt(
  stmt: Stmt,
  onStmt: (stmt: Stmt) => boolean | void,
  onExpr?: (expr: PrimExpr) => void,
): void {
  if (onStmt(stmt) === false) return;
  if (onExpr !== undefined) for (const expr of stmtExprs(stmt)) onExpr(expr);
  for (const inner of stmtChildren(stmt)) visitStmt(inner, onStmt, onExpr);
}

type Substitution = ReadonlyMap<TirVar, PrimExpr>;

export function substitute(expr: PrimExpr, values: Substitution): PrimExpr {
  if (expr.kind === "tir-var") return values.get(expr) ?? expr;
  return mapChildren(expr, (child) => substitute(child, values));
}

export function substituteStmt(stmt: Stmt, values: Substitution): Stmt {
  return mapStmt(stmt, same, (expr) => substitute(expr, values));
}

/** Exchanges buffers everywhere: loads, stores, references and allocations. */
export function replaceBuffers(stmt: Stmt, buffers: ReadonlyMap<Buffer, Buffer>): Stmt {
  return mapStmt(
    stmt,
    (s) => {
      if (s.kind === "store")
        return buffers.has(s.buffer) ? store(buffers.get(s.buffer)!, s.indices, s.value, s.origin) : s;
      if (s.kind !== "allocate") return s;
      const allocations = mapList(s.allocations, (allocation) => {
        const buffer = buffers.get(allocation.buffer);
        return buffer === undefined ? allocation : { ...allocation, buffer };
      });
      return allocations === s.allocations ? s : { ...s, allocations };
    },
    (expr) => replaceBuffersInExpr(expr, buffers),
  );
}

function replaceBuffersInExpr(expr: PrimExpr, buffers: ReadonlyMap<Buffer, Buffer>): PrimExpr {
  return mapExpr(expr, (e) => {
    if (e.kind === "load") return buffers.has(e.buffer) ? load(buffers.get(e.buffer)!, e.indices) : e;
    if (e.kind === "buffer-ref") return buffers.has(e.buffer) ? { ...e, buffer: buffers.get(e.buffer)! } : e;
    return e;
  });
}

export function usesVar(expr: PrimExpr, test: (variable: TirVar) => boolean): boolean {
  return someExpr(expr, (e) => e.kind === "tir-var" && test(e));
}

/** Whether any expression in `stmt` uses a variable that passes. */
export function stmtUsesVar(stmt: Stmt, test: (variable: TirVar) => boolean): boolean {
  return (
    stmtExprs(stmt).some((expr) => usesVar(expr, test)) ||
    stmtChildren(stmt).some((inner) => stmtUsesVar(inner, test))
  );
}

/** Structural equality; variables, buffers, producers and reductions by identity. */
export function sameExpr(a: PrimExpr, b: PrimExpr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype) return false;
  switch (a.kind) {
    case "tir-var":
    case "reduce":
      return false;
    case "int":
    case "string":
      return a.value === (b as typeof a).value;
    case "float":
      return Object.is(a.value, (b as typeof a).value);
    case "binary":
    case "tir-call":
    case "load":
    case "buffer-ref":
    case "producer-load":
    case "tir-let":
    case "not":
    case "select":
    case "cast":
    case "ramp":
    case "broadcast":
      if (besideChildren(a) !== besideChildren(b)) return false;
  }
  const left = children(a);
  const right = children(b);
  return left.length === right.length && left.every((child, i) => sameExpr(child, right[i]!));
}

/** What a node says beyond its kind, dtype and children. */
function besideChildren(expr: PrimExpr): unknown {
  if (expr.kind === "binary" || expr.kind === "tir-call") return expr.op;
  if (expr.kind === "load" || expr.kind === "buffer-ref") return expr.buffer;
  if (expr.kind === "producer-load") return expr.producer;
  return expr.kind === "tir-let" ? expr.variable : null;
}
