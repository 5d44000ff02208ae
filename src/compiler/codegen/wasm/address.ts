// Addresses: an index is taken apart into constant + sum of factor x term; each loop level keeps its partial
// sum in a pointer that steps along with the loop (strength reduction), and the constant goes into the
// access's offset immediate. TVM leaves this to LLVM's loop passes.
import { invariant } from "../../../support/assert.ts";
import { byteSize, int32 } from "../../ir/dtype.ts";
import { cast } from "../../tir/build.ts";
import type { Buffer, PrimExpr } from "../../tir/expr.ts";
import { identityOf, numberInvented } from "./numbering.ts";
import {
  emit,
  findValue,
  hoistTarget,
  newLocal,
  pushScalar,
  rememberValue,
  valueNumber,
  within,
  type Lowering,
  type Scope,
} from "./state.ts";

interface Term {
  readonly expr: PrimExpr;
  readonly number: number;
  /** Bytes. */
  factor: number;
}

interface Affine {
  readonly terms: Map<number, Term>;
  constant: number;
}

/** Constants above this go into the pointer: a memarg offset is 32 bits wide. */
const maxOffset = 2 ** 31;

/**
 * Leaves the address of element `index` of `buffer` on the stack, less the byte offset that it returns for
 * the memarg.
 */
export function pushAddress(cx: Lowering, buffer: Buffer, index: PrimExpr): number {
  const place = cx.places.get(buffer);
  invariant(place !== undefined, `${cx.name} uses buffer ${buffer.name} where it is not allocated`);
  invariant(place.kind !== "slots", `buffer ${buffer.name} of ${cx.name} lives in locals and has no address`);
  const sum: Affine = { terms: new Map(), constant: place.kind === "workspace" ? place.offset : 0 };
  addTerms(cx, sum, index, byteSize(buffer.dtype));
  const terms = [...sum.terms.values()]
    .filter((term) => term.factor !== 0)
    .sort((a, b) => a.number - b.number);
  const positive =
    sum.constant >= 0 &&
    sum.constant < maxOffset &&
    terms.every((term) => term.factor > 0 && lowerBound(cx, term.expr) >= 0);
  const offset = positive ? sum.constant : 0;
  pushPointer(cx, buffer, terms, sum.constant - offset);
  return offset;
}

function addTerms(cx: Lowering, sum: Affine, expr: PrimExpr, factor: number): void {
  if (expr.kind === "int") {
    sum.constant += Number(expr.value) * factor;
    return;
  }
  if (expr.kind === "binary" && (expr.op === "add" || expr.op === "sub")) {
    addTerms(cx, sum, expr.a, factor);
    addTerms(cx, sum, expr.b, expr.op === "add" ? factor : -factor);
    return;
  }
  if (expr.kind === "binary" && expr.op === "mul" && expr.b.kind === "int")
    return addTerms(cx, sum, expr.a, factor * Number(expr.b.value));
  if (expr.kind === "binary" && expr.op === "mul" && expr.a.kind === "int")
    return addTerms(cx, sum, expr.b, factor * Number(expr.a.value));
  if (
    expr.kind === "cast" &&
    expr.value.dtype.code === "int" &&
    expr.value.dtype.bits >= 32 &&
    expr.dtype.code === "int"
  ) {
    return addTerms(cx, sum, expr.value, factor);
  }
  const narrow = expr.dtype.bits > 32 ? cast(expr, int32) : expr;
  const number = valueNumber(cx, narrow);
  const known = sum.terms.get(number);
  if (known !== undefined) known.factor += factor;
  else sum.terms.set(number, { expr: narrow, number, factor });
}

/** A lower bound of an index expression; -Infinity where nothing is known. */
export function lowerBound(cx: Lowering, expr: PrimExpr): number {
  switch (expr.kind) {
    case "int":
      return Number(expr.value);
    case "tir-var":
      return cx.variables.get(expr)?.low ?? -Infinity;
    case "cast":
      return expr.value.dtype.code === "bool" ? 0 : lowerBound(cx, expr.value);
    case "select":
      return Math.min(lowerBound(cx, expr.then), lowerBound(cx, expr.otherwise));
    case "binary": {
      const a = lowerBound(cx, expr.a);
      const b = lowerBound(cx, expr.b);
      if (expr.op === "add") return a + b;
      if (expr.op === "min") return Math.min(a, b);
      if (expr.op === "max") return Math.max(a, b);
      if (expr.op === "mul" || expr.op === "div" || expr.op === "floordiv" || expr.op === "mod")
        return a >= 0 && b >= 0 ? 0 : -Infinity;
      if (expr.op === "floormod") return b > 0 ? 0 : -Infinity;
      return expr.dtype.code === "bool" ? 0 : -Infinity;
    }
    case "float":
    case "string":
    case "not":
    case "ramp":
    case "broadcast":
    case "tir-let":
    case "tir-call":
    case "load":
    case "buffer-ref":
    case "producer-load":
    case "reduce":
      return expr.dtype.code === "uint" || expr.dtype.code === "bool" ? 0 : -Infinity;
  }
}

/**
 * Groups the terms by the scope that they change in, outermost first, and pushes the innermost partial sum.
 */
function pushPointer(cx: Lowering, buffer: Buffer, terms: readonly Term[], constant: number): void {
  const levels = new Map<Scope, Term[]>();
  for (const term of terms) {
    const scope =
      term.expr.kind === "tir-var" ? cx.variables.get(term.expr)!.scope : hoistTarget(cx, term.number);
    const list = levels.get(scope);
    if (list === undefined) levels.set(scope, [term]);
    else list.push(term);
  }
  const ordered = [...levels.entries()].sort((a, b) => a[0].depth - b[0].depth);
  pushLevel(cx, buffer, ordered, ordered.length - 1, constant);
}

/** Pushes base + constant + the terms of levels 0..last. */
function pushLevel(
  cx: Lowering,
  buffer: Buffer,
  levels: readonly (readonly [Scope, readonly Term[]])[],
  last: number,
  constant: number,
): void {
  if (last < 0) return pushBase(cx, buffer, constant);
  const all = levels.slice(0, last + 1).flatMap(([, terms]) => terms);
  const text = `pointer#${bufferKey(cx, buffer)}+${constant}:${all.map((term) => `${term.number}*${term.factor}`).join("+")}`;
  const number = numberInvented(
    cx.numbering,
    text,
    all.map((term) => term.number),
  );
  const key = number * 1024;
  let local = findValue(cx.scope, key);
  if (local === null) {
    local = newLocal(cx, "i32");
    const [scope, terms] = levels[last]!;
    const only = terms.length === 1 ? terms[0]! : null;
    if (only !== null && scope.loop !== null && scope.loop.variable === only.expr) {
      stepAlong(cx, scope, local, only.factor, () => pushLevel(cx, buffer, levels, last - 1, constant));
    } else {
      within(cx, scope, () => {
        pushLevel(cx, buffer, levels, last - 1, constant);
        for (const term of terms) addTerm(cx, term.expr, term.factor);
        emit(cx, "local.set", local!);
      });
    }
    rememberValue(scope, key, local, cx.numbering.facts[number]!.reads);
  }
  emit(cx, "local.get", local);
}

/**
 * A pointer that starts at outer + factor x min before the loop and steps by `factor` at the end of each
 * round.
 */
function stepAlong(cx: Lowering, scope: Scope, local: number, factor: number, pushOuter: () => void): void {
  within(cx, scope.parent!, () => {
    pushOuter();
    addTerm(cx, scope.loop!.min, factor);
    emit(cx, "local.set", local);
  });
  within(cx, { ...scope, code: scope.steps }, () => {
    emit(cx, "local.get", local);
    emit(cx, "i32.const", factor);
    emit(cx, "i32.add");
    emit(cx, "local.set", local);
  });
}

function addTerm(cx: Lowering, expr: PrimExpr, factor: number): void {
  if (expr.kind === "int") {
    if (Number(expr.value) * factor === 0) return;
    emit(cx, "i32.const", Number(expr.value) * factor);
    emit(cx, "i32.add");
    return;
  }
  pushScalar(cx, expr.dtype.bits > 32 ? cast(expr, int32) : expr);
  scale(cx, factor);
  emit(cx, "i32.add");
}

function scale(cx: Lowering, factor: number): void {
  if (factor === 1) return;
  const shift = Math.log2(factor);
  emit(cx, "i32.const", Number.isInteger(shift) ? shift : factor);
  emit(cx, Number.isInteger(shift) ? "i32.shl" : "i32.mul");
}

/** Buffers of one place share their pointers: the offset inside it is part of the constant. */
function bufferKey(cx: Lowering, buffer: Buffer): string {
  return cx.places.get(buffer)!.kind === "workspace" ? "workspace" : String(identityOf(cx.numbering, buffer));
}

function pushBase(cx: Lowering, buffer: Buffer, constant: number): void {
  const place = cx.places.get(buffer)!;
  if (place.kind === "pointer") emit(cx, "local.get", place.local);
  else emit(cx, "global.get", 0);
  if (constant !== 0) {
    emit(cx, "i32.const", constant);
    emit(cx, "i32.add");
  }
}
