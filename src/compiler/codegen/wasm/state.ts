// What lowering one function to WebAssembly keeps in hand: locals, the nest of scopes, values already
// computed. Scopes do two jobs of LLVM's: a value is computed once (common subexpressions) and as far out as
// it may be (loop invariants).
import { invariant } from "../../../support/assert.ts";
import { float32, float64, type DType } from "../../ir/dtype.ts";
import type { Origin } from "../../ir/origin.ts";
import type { Buffer, PrimExpr, TirVar } from "../../tir/expr.ts";
import { instr, type Code, type ValType } from "./function.ts";
import type { HostFunction } from "./intrinsics.ts";
import type { UnaryHelper } from "./maths.ts";
import { numberOf, type Numbering } from "./numbering.ts";

/** A piece of code that is run as a whole: the function, a loop's body, a branch. */
export interface Scope {
  readonly kind: "function" | "loop" | "branch";
  readonly parent: Scope | null;
  readonly depth: number;
  readonly code: Code;
  /** Loop only: run at the end of each round (pointers step on). */
  readonly steps: Code;
  /** Value key -> local that holds it here and in everything inside. */
  readonly values: Map<number, number>;
  /** Value keys by the buffers that they read. */
  readonly readers: Map<Buffer, number[]>;
  /** Buffers stored to anywhere inside. */
  readonly stored: ReadonlySet<Buffer>;
  /** Runs at least once whenever its parent does. */
  readonly certain: boolean;
  /** Loop only. */
  readonly loop: { readonly variable: TirVar; readonly min: PrimExpr } | null;
}

/**
 * Where a buffer lives: behind a pointer, at an offset of the workspace, or in locals (slot i = element or
 * vector i).
 */
type Place =
  | { readonly kind: "pointer"; readonly local: number }
  | { readonly kind: "workspace"; readonly offset: number }
  | {
      readonly kind: "slots";
      readonly type: ValType;
      readonly lanes: number;
      readonly locals: readonly number[];
    };

/** A function that a module carries, or imports, because some kernel called it. */
export type HelperKey =
  /** Imported, on f64. */
  | { readonly kind: "host"; readonly name: HostFunction }
  | { readonly kind: "unary"; readonly name: UnaryHelper; readonly type: "f32" | "f64" | "f32x4" }
  | { readonly kind: "pow"; readonly type: "i32" | "i64" }
  | { readonly kind: "q_multiply_shift" }
  /** Bits to f32, f32 to bits, `from` to what `type` holds. */
  | {
      readonly kind: "half";
      readonly what: "decode" | "encode" | "round";
      readonly type: DType;
      readonly from: "f32" | "f64";
    };

/** "exp.f32x4", "round.float16.f64": the function's name in the module. */
export function helperName(key: HelperKey): string {
  switch (key.kind) {
    case "host":
      return `${key.name}.f64`;
    case "unary":
      return `${key.name}.${key.type}`;
    case "pow":
      return `pow.${key.type}`;
    case "q_multiply_shift":
      return key.kind;
    case "half":
      return `${key.what}.${key.type.name}${key.from === "f64" ? ".f64" : ""}`;
  }
}

/** The helpers of a module, and the number by name to call them by until it is put together. */
export interface HelperTable {
  readonly list: HelperKey[];
  readonly numbers: Map<string, number>;
}

export interface LowerOptions {
  /** Multiply-add as f32x4.relaxed_madd: may round once or twice, by engine. */
  readonly relaxedMadd: boolean;
}

export interface Lowering {
  readonly name: string;
  readonly paramCount: number;
  readonly locals: ValType[];
  readonly numbering: Numbering;
  readonly variables: Map<
    TirVar,
    { readonly local: number; readonly scope: Scope; readonly lanesPerLocal: number; readonly low: number }
  >;
  readonly places: Map<Buffer, Place>;
  readonly helpers: HelperTable;
  readonly options: LowerOptions;
  /** lowerScalar of scalar.ts: handed in, since expressions, addresses and intrinsics call each other. */
  readonly lowerScalar: (cx: Lowering, expr: PrimExpr) => void;
  readonly depths: Map<number, number>;
  readonly lanes: Map<PrimExpr, Map<number, PrimExpr>>;
  scope: Scope;
  origin: Origin | null;
  /** Bytes of workspace in use, and the most that was ever in use. */
  workspace: number;
  peakWorkspace: number;
}

export function makeScope(
  kind: Scope["kind"],
  parent: Scope | null,
  parts: Partial<Pick<Scope, "stored" | "certain" | "loop">> = {},
): Scope {
  return {
    kind,
    parent,
    depth: parent === null ? 0 : parent.depth + 1,
    code: [],
    steps: [],
    values: new Map(),
    readers: new Map(),
    stored: parts.stored ?? new Set(),
    certain: parts.certain ?? true,
    loop: parts.loop ?? null,
  };
}

export function emit(
  cx: Lowering,
  name: string,
  a = 0,
  b = 0,
  wide: bigint | Uint8Array | null = null,
): void {
  cx.scope.code.push(instr(name, a, b, wide, cx.origin));
}

export function newLocal(cx: Lowering, type: ValType): number {
  cx.locals.push(type);
  return cx.paramCount + cx.locals.length - 1;
}

/**
 * Runs `body` with its code going to the end of `scope`'s so far, which is before any scope inside it that is
 * still open.
 */
export function within(cx: Lowering, scope: Scope, body: () => void): void {
  const before = cx.scope;
  cx.scope = scope;
  body();
  cx.scope = before;
}

function helperNumber(table: HelperTable, key: HelperKey): number {
  const name = helperName(key);
  let number = table.numbers.get(name);
  if (number === undefined) {
    number = table.list.length;
    table.list.push(key);
    table.numbers.set(name, number);
  }
  return number;
}

/** Calls a helper; the module puts its function index in place of the negative number. */
export function callHelper(cx: Lowering, key: HelperKey): void {
  emit(cx, "call", -1 - helperNumber(cx.helpers, key));
}

/** Depth of the innermost scope whose variable the value depends on. */
function depthOf(cx: Lowering, number: number): number {
  const known = cx.depths.get(number);
  if (known !== undefined) return known;
  const facts = cx.numbering.facts[number]!;
  let depth = 0;
  if (facts.variable !== null) {
    const bound = cx.variables.get(facts.variable);
    invariant(bound !== undefined, `${cx.name} uses variable ${facts.variable.name} where it is not bound`);
    depth = bound.scope.depth;
  }
  for (const operand of facts.operands) depth = Math.max(depth, depthOf(cx, operand));
  cx.depths.set(number, depth);
  return depth;
}

/**
 * The outermost scope, from the current one, where the value may be computed without changing it or what
 * traps.
 */
export function hoistTarget(cx: Lowering, number: number): Scope {
  const facts = cx.numbering.facts[number]!;
  const depth = facts.pinned ? Infinity : depthOf(cx, number);
  const fragile = facts.reads.length > 0 || facts.mayTrap;
  let { scope } = cx;
  while (scope.depth > depth && scope.parent !== null) {
    if (fragile && (!scope.certain || facts.reads.some((buffer) => scope.stored.has(buffer)))) break;
    scope = scope.parent;
  }
  return scope;
}

export function findValue(scope: Scope, key: number): number | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const local = at.values.get(key);
    if (local !== undefined) return local;
  }
  return null;
}

export function rememberValue(scope: Scope, key: number, local: number, reads: readonly Buffer[]): void {
  scope.values.set(key, local);
  for (const buffer of reads) {
    const list = scope.readers.get(buffer);
    if (list === undefined) scope.readers.set(buffer, [key]);
    else list.push(key);
  }
}

/** After a store to `buffer`: what was computed from it is out of date here and outside. */
export function forgetReaders(scope: Scope, buffer: Buffer): void {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    for (const key of at.readers.get(buffer) ?? []) at.values.delete(key);
    at.readers.delete(buffer);
  }
}

/** Parts of a value that are told apart by key: the scalar itself is 0, vector part p is p + 1. */
const maxParts = 1024;

/**
 * Leaves the value of number `number` (part `part`) on the stack: from a local if it is there already,
 * computed by `fresh` in the outermost scope that allows it otherwise.
 */
export function pushCached(
  cx: Lowering,
  number: number,
  part: number,
  type: ValType,
  fresh: () => void,
): void {
  const facts = cx.numbering.facts[number]!;
  if (facts.pinned) {
    fresh();
    return;
  }
  const key = number * maxParts + part;
  const found = findValue(cx.scope, key);
  if (found !== null) {
    emit(cx, "local.get", found);
    return;
  }
  const target = hoistTarget(cx, number);
  if (target === cx.scope) {
    fresh();
    if (facts.uses < 2) return;
    const local = newLocal(cx, type);
    emit(cx, "local.tee", local);
    rememberValue(target, key, local, facts.reads);
    return;
  }
  const local = newLocal(cx, type);
  within(cx, target, () => {
    fresh();
    emit(cx, "local.set", local);
  });
  rememberValue(target, key, local, facts.reads);
  emit(cx, "local.get", local);
}

export function valueNumber(cx: Lowering, expr: PrimExpr): number {
  return numberOf(cx.numbering, expr);
}

/**
 * The WebAssembly type of a scalar on the stack. Integers below 32 bits are kept extended by their sign; half
 * floats as f32.
 */
export function stackType(dtype: DType): ValType {
  invariant(dtype.lanes === 1, `${dtype.name} is not a scalar`);
  if (dtype.code === "float" || dtype.code === "bfloat") return dtype.bits === 64 ? "f64" : "f32";
  if (dtype.code === "handle") return "i32";
  return dtype.bits === 64 ? "i64" : "i32";
}

/** Leaves the value of the scalar `expr` on the stack, as stackType(expr.dtype). */
export function pushScalar(cx: Lowering, expr: PrimExpr): void {
  cx.lowerScalar(cx, expr);
}

/** Pushes a float as f64 (or f32) whatever its own width. */
export function pushWidened(cx: Lowering, expr: PrimExpr, to: DType): void {
  pushScalar(cx, expr);
  if (to === float64 && stackType(expr.dtype) === "f32") emit(cx, "f64.promote_f32");
  if (to === float32 && stackType(expr.dtype) === "f64") emit(cx, "f32.demote_f64");
}
