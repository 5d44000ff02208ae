// Checks that a PrimFunc keeps TIR's rules. Run after every pass in tests (of large networks not) and under
// --verify, at the ends of stages in the page while developing.
// The rules:
//   1. a variable is used only inside the loop or let that binds it, and is bound once on any way inwards
//   2. a buffer is a parameter, a function-wide allocation, or allocated around its use; inputs are never
//   written
//   3. no producer-load and no reduce is left (te's)
//   4. operands have one dtype, conditions are bool, extents and indices are integers, a store's value fits
//   its buffer
//   5. an access has one index a dimension, or exactly one (flat); at most one index is a vector, or all are
//   6. no seq directly inside a seq, no allocate directly inside an allocate; every statement has an origin
// TVM: src/tir/analysis/verify_well_formed.cc and the checks in its factories
import { invariant } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import { bool, isInteger, scalarOf, withLanes } from "../ir/dtype.ts";
import type { Buffer, PrimExpr, TirVar } from "./expr.ts";
import type { PrimFunc } from "./prim-func.ts";
import { exprText } from "./print.ts";
import type { Allocate, Stmt } from "./stmt.ts";
import { children, maxDepth, maxHeight, stmtChildren, stmtExprs } from "./visit.ts";

interface Scope {
  readonly problems: string[];
  readonly variables: Set<TirVar>;
  readonly buffers: Set<Buffer>;
  readonly readOnly: ReadonlySet<Buffer>;
  /** Expressions around the one that is checked. */
  height: number;
  /** Statements around it. */
  depth: number;
}

/** What is wrong with `f`, one sentence each; nothing wrong: an empty list. */
export function verifyPrimFunc(f: PrimFunc): readonly string[] {
  const scope: Scope = {
    problems: [],
    variables: new Set(),
    buffers: new Set([...f.params, ...f.allocations]),
    readOnly: new Set(f.params.slice(0, f.inputCount)),
    height: 0,
    depth: 0,
  };
  verifyOrigin(scope, f.origin, f.name);
  // Extents of dynamic parameters are known to the function.
  for (const param of f.params)
    for (const dim of param.shape) if (dim.kind === "tir-var") scope.variables.add(dim);
  checkStmt(scope, f.body);
  return scope.problems;
}

/** Throws InvariantError for what is wrong with `f`, made by `by`. */
export function checkPrimFunc(f: PrimFunc, by: string): void {
  const problems = verifyPrimFunc(f);
  invariant(
    problems.length === 0,
    `${by} broke the rules of TIR in ${f.name}: ${problems.slice(0, 5).join("; ")}`,
  );
}

function verifyOrigin(scope: Scope, origin: Origin, what: string): void {
  if (origin.kind === "many" && origin.parents.length === 0) scope.problems.push(`${what} has no origin`);
}

function checkStmt(scope: Scope, stmt: Stmt): void {
  if (scope.depth === maxDepth) {
    scope.problems.push(`statements nest deeper than ${maxDepth}`);
    return;
  }
  scope.depth++;
  checkParts(scope, stmt);
  scope.depth--;
}

function checkParts(scope: Scope, stmt: Stmt): void {
  const report = (message: string): void => void scope.problems.push(message);
  verifyOrigin(scope, stmt.origin, `a ${stmt.kind}`);
  for (const expr of stmtExprs(stmt)) checkExpr(scope, expr);
  switch (stmt.kind) {
    case "store":
      if (!scope.buffers.has(stmt.buffer)) report(`${stmt.buffer.name} is written where it is not allocated`);
      if (scope.readOnly.has(stmt.buffer)) report(`input ${stmt.buffer.name} is written`);
      checkAccess(scope, stmt.buffer, stmt.indices);
      checkStored(scope, stmt.buffer, stmt.indices, stmt.value);
      break;
    case "for":
      for (const bound of [stmt.min, stmt.extent]) {
        if (!isInteger(bound.dtype) || bound.dtype.lanes > 1)
          report(`loop ${stmt.variable.name} has a bound of ${bound.dtype.name}`);
      }
      bind(scope, stmt.variable, stmt.body);
      return;
    case "let-stmt":
      if (stmt.variable.dtype !== stmt.value.dtype)
        report(`${stmt.variable.name} of ${stmt.variable.dtype.name} is given ${stmt.value.dtype.name}`);
      bind(scope, stmt.variable, stmt.body);
      return;
    case "if-then-else":
    case "while":
      if (stmt.condition.dtype !== bool)
        report(`condition ${exprText(stmt.condition)} is ${stmt.condition.dtype.name}`);
      break;
    case "allocate":
      checkAllocate(scope, stmt);
      return;
    case "seq":
      if (stmt.body.some((part) => part.kind === "seq")) report("a seq is directly inside a seq");
      break;
    case "evaluate":
    case "attr-stmt":
      break;
  }
  for (const inner of stmtChildren(stmt)) checkStmt(scope, inner);
}

function checkAllocate(scope: Scope, { allocations, body }: Allocate): void {
  if (body.kind === "allocate") scope.problems.push("an allocate is directly inside an allocate");
  for (const { buffer, origin } of allocations) {
    verifyOrigin(scope, origin, buffer.name);
    if (scope.buffers.has(buffer)) scope.problems.push(`${buffer.name} is allocated twice`);
    for (const dim of buffer.shape) checkExpr(scope, dim);
    scope.buffers.add(buffer);
  }
  checkStmt(scope, body);
  for (const { buffer } of allocations) scope.buffers.delete(buffer);
}

function bind(scope: Scope, variable: TirVar, body: Stmt): void {
  if (scope.variables.has(variable)) scope.problems.push(`${variable.name} is bound inside itself`);
  scope.variables.add(variable);
  checkStmt(scope, body);
  scope.variables.delete(variable);
}

function accessDType(buffer: Buffer, indices: readonly PrimExpr[]): Buffer["dtype"] {
  const lanes = indices.reduce((n, index) => Math.max(n, index.dtype.lanes), 1);
  return lanes === 1 ? buffer.dtype : withLanes(scalarOf(buffer.dtype), lanes * buffer.dtype.lanes);
}

function checkStored(scope: Scope, buffer: Buffer, indices: readonly PrimExpr[], value: PrimExpr): void {
  const fits = accessDType(buffer, indices);
  if (value.dtype !== fits)
    scope.problems.push(`${value.dtype.name} is stored into ${fits.name} of ${buffer.name}`);
}

function checkAccess(scope: Scope, buffer: Buffer, indices: readonly PrimExpr[]): void {
  if (indices.length !== buffer.shape.length && indices.length !== 1) {
    scope.problems.push(`${buffer.name} of ${buffer.shape.length} dimensions has ${indices.length} indices`);
  }
  for (const index of indices)
    if (!isInteger(index.dtype)) scope.problems.push(`${buffer.name} is indexed by ${index.dtype.name}`);
  const lanes = new Set(indices.map((index) => index.dtype.lanes).filter((n) => n > 1));
  if (lanes.size > 1) scope.problems.push(`${buffer.name} is indexed by vectors of different lengths`);
}

function checkExpr(scope: Scope, expr: PrimExpr): void {
  if (scope.height === maxHeight) {
    scope.problems.push(`an expression is higher than ${maxHeight}`);
    return;
  }
  scope.height++;
  checkNode(scope, expr);
  scope.height--;
}

function checkNode(scope: Scope, expr: PrimExpr): void {
  const report = (message: string): void => void scope.problems.push(message);
  switch (expr.kind) {
    case "tir-var":
      if (!scope.variables.has(expr)) report(`${expr.name} is used where it is not bound`);
      return;
    case "int":
    case "float":
    case "string":
      return;
    case "producer-load":
    case "reduce":
      report(`a ${expr.kind} is left: ${exprText(expr)}`);
      return;
    case "load":
      if (!scope.buffers.has(expr.buffer)) report(`${expr.buffer.name} is read where it is not allocated`);
      checkAccess(scope, expr.buffer, expr.indices);
      if (expr.dtype !== accessDType(expr.buffer, expr.indices))
        report(`${exprText(expr)} is ${expr.dtype.name}`);
      break;
    case "buffer-ref":
      if (!scope.buffers.has(expr.buffer))
        report(`${expr.buffer.name} is passed on where it is not allocated`);
      return;
    case "binary":
      if (expr.a.dtype !== expr.b.dtype)
        report(`${exprText(expr)} has operands of ${expr.a.dtype.name} and ${expr.b.dtype.name}`);
      break;
    case "select":
      if (expr.then.dtype !== expr.otherwise.dtype || scalarOf(expr.condition.dtype) !== bool)
        report(`${exprText(expr)} has parts of other dtypes`);
      break;
    case "not":
      if (scalarOf(expr.a.dtype) !== bool) report(`not of ${expr.a.dtype.name}`);
      break;
    case "cast":
      if (expr.dtype.lanes !== expr.value.dtype.lanes)
        report(`${exprText(expr)} changes the number of lanes`);
      break;
    case "ramp":
    case "broadcast":
      if (expr.dtype.lanes !== expr.lanes) report(`${exprText(expr)} has ${expr.dtype.lanes} lanes`);
      break;
    case "tir-let":
      if (expr.variable.dtype !== expr.value.dtype)
        report(`${expr.variable.name} of ${expr.variable.dtype.name} is given ${expr.value.dtype.name}`);
      if (scope.variables.has(expr.variable)) report(`${expr.variable.name} is bound inside itself`);
      checkExpr(scope, expr.value);
      scope.variables.add(expr.variable);
      checkExpr(scope, expr.body);
      scope.variables.delete(expr.variable);
      return;
    case "tir-call":
      if (expr.op === "tir.if_then_else" && expr.args[0]!.dtype !== bool)
        report(`condition ${exprText(expr.args[0]!)} is ${expr.args[0]!.dtype.name}`);
      break;
  }
  for (const child of children(expr)) checkExpr(scope, child);
}
