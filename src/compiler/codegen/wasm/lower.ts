// One PrimFunc to one WebAssembly function: a walk of its TIR. Expects TIR that went through
// tir/passes/pipeline.ts for wasm (flat indices, vector expressions, no unrolled loops).
// TVM: src/target/llvm/codegen_cpu.cc (the same job)
import { assertNever, invariant } from "../../../support/assert.ts";
import { fail } from "../../ir/diagnostic.ts";
import { byteSize, scalarOf } from "../../ir/dtype.ts";
import { add } from "../../tir/build.ts";
import type { Buffer, PrimExpr, TirVar } from "../../tir/expr.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import type { Allocate, Allocation, For, IfThenElse, Stmt, Store, While } from "../../tir/stmt.ts";
import { visitStmt } from "../../tir/visit.ts";
import { lowerBound, pushAddress } from "./address.ts";
import { tidyLocals, type ValType, type WasmFunction } from "./function.ts";
import { countUses, numbering, numberStmt } from "./numbering.ts";
import { findSlots, type Slots } from "./promote.ts";
import { append, emitStore, lowerScalar, vectorShape } from "./scalar.ts";
import {
  emit,
  forgetReaders,
  makeScope,
  newLocal,
  pushScalar,
  stackType,
  type HelperTable,
  type Lowering,
  type LowerOptions,
  type Scope,
} from "./state.ts";
import { contiguousBase, laneOf, lanesPerVector } from "./lanes.ts";
import { isVectorisable, pushVector } from "./vector.ts";
import { renameRebound } from "./rename.ts";

export interface LoweredFunction {
  readonly fn: WasmFunction;
  /** Bytes that its "global" allocations need at the same time. */
  readonly workspaceBytes: number;
}

/**
 * Lowers `f`; helper functions that it calls are added to `helpers`. `primitive` is its index, for the
 * listing.
 */
export function lowerPrimFunc(
  f: PrimFunc,
  helpers: HelperTable,
  options: LowerOptions,
  primitive = -1,
): LoweredFunction {
  const body = renameRebound(f.body);
  const cx = startLowering(f.name, f.params.length, helpers, options);
  cx.origin = f.origin;
  f.params.forEach((param, i) => cx.places.set(param, { kind: "pointer", local: i }));
  numberStmt(cx.numbering, body);
  const slots = findSlots(body);
  emitStmt(cx, body, slots);
  return {
    fn: finish(cx, {
      params: f.params.map((): ValType => "i32"),
      results: [],
      paramNames: f.params.map((param) => param.name),
      exportName: f.name,
      primitive,
      origin: f.origin,
    }),
    workspaceBytes: cx.peakWorkspace,
  };
}

/** Lowers a helper given as an expression over its parameters. */
export function lowerHelper(
  name: string,
  params: readonly TirVar[],
  body: PrimExpr,
  helpers: HelperTable,
): WasmFunction {
  const cx = startLowering(name, params.length, helpers, { relaxedMadd: false });
  const typeOf = (expr: PrimExpr): ValType => (expr.dtype.lanes > 1 ? "v128" : stackType(expr.dtype));
  params.forEach((param, i) =>
    cx.variables.set(param, { local: i, scope: cx.scope, lanesPerLocal: param.dtype.lanes, low: -Infinity }),
  );
  countUses(cx.numbering, body);
  if (body.dtype.lanes > 1) pushVector(cx, body, 0, body.dtype.lanes);
  else pushScalar(cx, body);
  return finish(cx, {
    params: params.map(typeOf),
    results: [typeOf(body)],
    paramNames: params.map((param) => param.name),
    exportName: null,
    primitive: -1,
    origin: null,
  });
}

function startLowering(
  name: string,
  paramCount: number,
  helpers: HelperTable,
  options: LowerOptions,
): Lowering {
  return {
    name,
    paramCount,
    locals: [],
    numbering: numbering(),
    variables: new Map(),
    places: new Map(),
    helpers,
    options,
    lowerScalar,
    depths: new Map(),
    lanes: new Map(),
    scope: makeScope("function", null),
    origin: null,
    workspace: 0,
    peakWorkspace: 0,
  };
}

/** The function whose code stands in `cx`. */
function finish(
  cx: Lowering,
  head: Pick<WasmFunction, "params" | "results" | "paramNames" | "exportName" | "primitive" | "origin">,
): WasmFunction {
  const { locals, body } = tidyLocals(cx.paramCount, cx.locals, cx.scope.code);
  return { ...head, name: cx.name, locals, body, calls: null };
}

function emitStmt(cx: Lowering, stmt: Stmt, slots: Slots): void {
  const before = cx.origin;
  cx.origin = stmt.origin;
  switch (stmt.kind) {
    case "store":
      emitStoreStmt(cx, stmt);
      break;
    case "for":
      emitFor(cx, stmt, slots);
      break;
    case "seq":
      for (const part of stmt.body) emitStmt(cx, part, slots);
      break;
    case "if-then-else":
      emitIf(cx, stmt, slots);
      break;
    case "while":
      emitWhile(cx, stmt, slots);
      break;
    case "let-stmt": {
      invariant(stmt.variable.dtype.lanes === 1, `let of a vector variable ${stmt.variable.name}`);
      pushScalar(cx, stmt.value);
      bindVariable(cx, stmt.variable, lowerBound(cx, stmt.value));
      emitStmt(cx, stmt.body, slots);
      break;
    }
    case "allocate":
      emitAllocate(cx, stmt, slots);
      break;
    case "evaluate":
      emitEvaluate(cx, stmt.value);
      break;
    case "attr-stmt":
      emitStmt(cx, stmt.body, slots);
      break;
    default:
      assertNever(stmt, "statement");
  }
  cx.origin = before;
}

/** Sets a new local for `variable` to the value on the stack. */
function bindVariable(cx: Lowering, variable: TirVar, low: number): number {
  const local = newLocal(cx, stackType(variable.dtype));
  emit(cx, "local.set", local);
  cx.variables.set(variable, { local, scope: cx.scope, lanesPerLocal: 1, low });
  return local;
}

function emitEvaluate(cx: Lowering, value: PrimExpr): void {
  if (value.kind === "int" || value.kind === "float") return;
  pushScalar(cx, value);
  emit(cx, "drop");
}

function emitAllocate(cx: Lowering, stmt: Allocate, slots: Slots): void {
  const before = cx.workspace;
  for (const allocation of stmt.allocations) placeBuffer(cx, allocation, slots);
  emitStmt(cx, stmt.body, slots);
  cx.workspace = before;
}

function placeBuffer(cx: Lowering, { buffer, origin }: Allocation, slots: Slots): void {
  const found = slots.get(buffer);
  if (found !== undefined) {
    const type: ValType = found.lanes > 1 ? "v128" : stackType(buffer.dtype);
    cx.places.set(buffer, {
      kind: "slots",
      type,
      lanes: found.lanes,
      locals: Array.from({ length: found.count }, () => newLocal(cx, type)),
    });
    return;
  }
  const count = buffer.shape.reduce(
    (product, dim) => product * (dim.kind === "int" ? Number(dim.value) : NaN),
    1,
  );
  if (Number.isNaN(count)) {
    fail("RS6103", `The scratch buffer ${buffer.name} has a size that is known only when the program runs.`, {
      origin,
      expected: "constant extents",
      got: "an extent that depends on an input's shape",
    });
  }
  cx.places.set(buffer, { kind: "workspace", offset: cx.workspace });
  cx.workspace += Math.ceil((count * byteSize(buffer.dtype)) / 16) * 16;
  cx.peakWorkspace = Math.max(cx.peakWorkspace, cx.workspace);
}

function storedBuffers(stmt: Stmt): Set<Buffer> {
  const found = new Set<Buffer>();
  visitStmt(stmt, (inner) => {
    if (inner.kind === "store") found.add(inner.buffer);
  });
  return found;
}

interface ScopeOf {
  readonly kind: "loop" | "branch";
  /** Its code runs at least once; false unless said. */
  readonly certain?: boolean;
  readonly loop?: Scope["loop"];
}

/** Opens a scope inside the current one: values read from what it stores are out of date where it repeats. */
function inScope(
  cx: Lowering,
  { kind, certain = false, loop = null }: ScopeOf,
  stmt: Stmt,
  body: () => void,
): Scope {
  const stored = storedBuffers(stmt);
  const outer = cx.scope;
  if (kind === "loop") for (const buffer of stored) forgetReaders(outer, buffer);
  const scope = makeScope(kind, outer, { stored, certain, loop });
  cx.scope = scope;
  body();
  cx.scope = outer;
  return scope;
}

function emitFor(cx: Lowering, stmt: For, slots: Slots): void {
  const { variable, min, extent } = stmt;
  const constant = extent.kind === "int" ? Number(extent.value) : null;
  if (constant !== null && constant <= 0) return;
  if (constant === 1) {
    pushScalar(cx, min);
    bindVariable(cx, variable, lowerBound(cx, min));
    return emitStmt(cx, stmt.body, slots);
  }
  const type = stackType(variable.dtype);
  const low = lowerBound(cx, min);
  const counter = newLocal(cx, type);
  const pushEnd = endOfLoop(cx, stmt, type);
  pushScalar(cx, min);
  emit(cx, "local.set", counter);
  const scope = inScope(
    cx,
    { kind: "loop", certain: constant !== null, loop: { variable, min } },
    stmt.body,
    () => {
      cx.variables.set(variable, { local: counter, scope: cx.scope, lanesPerLocal: 1, low });
      emitStmt(cx, stmt.body, slots);
    },
  );
  if (constant === null) {
    emit(cx, "block", -1);
    emit(cx, "local.get", counter);
    pushEnd();
    emit(cx, `${type}.ge_s`);
    emit(cx, "br_if", 0);
  }
  emit(cx, "loop", -1);
  append(cx.scope.code, scope.code);
  append(cx.scope.code, scope.steps);
  emit(cx, "local.get", counter);
  emit(cx, `${type}.const`, 1, 0, type === "i64" ? 1n : null);
  emit(cx, `${type}.add`);
  emit(cx, "local.tee", counter);
  pushEnd();
  emit(cx, `${type}.lt_s`);
  emit(cx, "br_if", 0);
  emit(cx, "end");
  if (constant === null) emit(cx, "end");
}

/** How to push min + extent: a constant, or a local set before the loop. */
function endOfLoop(cx: Lowering, stmt: For, type: ValType): () => void {
  const end = add(stmt.min, stmt.extent);
  if (end.kind === "int") return () => pushScalar(cx, end);
  const local = newLocal(cx, type);
  pushScalar(cx, end);
  emit(cx, "local.set", local);
  return () => emit(cx, "local.get", local);
}

function emitIf(cx: Lowering, stmt: IfThenElse, slots: Slots): void {
  pushScalar(cx, stmt.condition);
  const then = inScope(cx, { kind: "branch" }, stmt.then, () => emitStmt(cx, stmt.then, slots));
  const { otherwise } = stmt;
  const rest =
    otherwise === null
      ? null
      : inScope(cx, { kind: "branch" }, otherwise, () => emitStmt(cx, otherwise, slots));
  emit(cx, "if", -1);
  append(cx.scope.code, then.code);
  if (rest !== null) {
    emit(cx, "else");
    append(cx.scope.code, rest.code);
  }
  emit(cx, "end");
}

function emitWhile(cx: Lowering, stmt: While, slots: Slots): void {
  const scope = inScope(cx, { kind: "loop" }, stmt.body, () => {
    pushScalar(cx, stmt.condition);
    emit(cx, "i32.eqz");
    emit(cx, "br_if", 1);
    emitStmt(cx, stmt.body, slots);
  });
  emit(cx, "block", -1);
  emit(cx, "loop", -1);
  append(cx.scope.code, scope.code);
  emit(cx, "br", 0);
  emit(cx, "end");
  emit(cx, "end");
}

function emitStoreStmt(cx: Lowering, stmt: Store): void {
  const index = stmt.indices[0]!;
  invariant(
    stmt.indices.length === 1,
    `${stmt.buffer.name} is stored to with ${stmt.indices.length} indices after FlattenBuffer`,
  );
  const lanes = Math.max(index.dtype.lanes, stmt.value.dtype.lanes);
  if (lanes === 1) emitScalarStore(cx, stmt.buffer, index, stmt.value);
  else emitVectorStore(cx, stmt, index, lanes);
  forgetReaders(cx.scope, stmt.buffer);
}

function emitScalarStore(cx: Lowering, buffer: Buffer, index: PrimExpr, value: PrimExpr): void {
  const place = cx.places.get(buffer);
  if (place?.kind !== "slots") return emitStore(cx, buffer, index, () => pushScalar(cx, value));
  invariant(index.kind === "int", `${buffer.name} lives in locals and needs a constant index`);
  const at = Number(index.value);
  const local = place.locals[Math.floor(at / place.lanes)]!;
  if (place.lanes > 1) emit(cx, "local.get", local);
  pushScalar(cx, value);
  if (place.lanes > 1) emit(cx, `${vectorShape(buffer.dtype)}.replace_lane`, at % place.lanes);
  emit(cx, "local.set", local);
}

function emitVectorStore(cx: Lowering, stmt: Store, index: PrimExpr, lanes: number): void {
  const { buffer, value } = stmt;
  const place = cx.places.get(buffer);
  const width = lanesPerVector(scalarOf(buffer.dtype));
  const base = contiguousBase(index);
  const slots = place?.kind === "slots" ? place : null;
  const aligned =
    slots === null || (slots.lanes === width && base?.kind === "int" && Number(base.value) % width === 0);
  const whole =
    width > 0 && base !== null && aligned && isVectorisable(cx, value, width) ? Math.floor(lanes / width) : 0;
  for (let part = 0; part < whole; part++) {
    if (slots !== null) {
      pushVector(cx, value, part, width);
      emit(cx, "local.set", slots.locals[Number((base as { value: number | bigint }).value) / width + part]!);
    } else {
      const offset = pushAddress(cx, buffer, add(base!, part * width));
      pushVector(cx, value, part, width);
      emit(cx, "v128.store", offset);
    }
    forgetReaders(cx.scope, buffer);
  }
  for (let lane = whole * width; lane < lanes; lane++) {
    emitScalarStore(cx, buffer, laneOf(cx, index, lane), laneOf(cx, value, lane));
    forgetReaders(cx.scope, buffer);
  }
}
