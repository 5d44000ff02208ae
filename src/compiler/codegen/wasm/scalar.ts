// Scalar TIR expressions to WebAssembly, by dtype. Integers below 32 bits wrap after each operation; half
// floats are computed in f32 and rounded after each operation, as the interpreter does.
// TVM: src/target/llvm/codegen_llvm.cc (the same job)
import { assertNever, invariant, InvariantError } from "../../../support/assert.ts";
import { float64, isFloat, isHalf, int32, type DType } from "../../ir/dtype.ts";
import { fail } from "../../ir/diagnostic.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../../ir/float16.ts";
import type { Binary, BinaryOp, BufferLoad, Cast, PrimExpr, TirCall } from "../../tir/expr.ts";
import { lowerBound, pushAddress } from "./address.ts";
import { convert, normalise, pushInt } from "./convert.ts";
import { pushIntrinsic } from "./intrinsics.ts";
import { instr, valTypes, type ValType } from "./function.ts";
import {
  callHelper,
  emit,
  makeScope,
  newLocal,
  pushCached,
  pushScalar,
  pushWidened,
  stackType,
  valueNumber,
  type Lowering,
} from "./state.ts";

/**
 * Leaves the value of the scalar `expr` on the stack, as stackType(expr.dtype). Called through state.ts's
 * pushScalar.
 */
export function lowerScalar(cx: Lowering, expr: PrimExpr): void {
  switch (expr.kind) {
    case "tir-var": {
      const bound = cx.variables.get(expr);
      invariant(bound !== undefined, `${cx.name} uses variable ${expr.name} where it is not bound`);
      emit(cx, "local.get", bound.local);
      return;
    }
    case "int":
      pushInt(cx, expr.value, stackType(expr.dtype));
      return;
    case "float":
      emit(cx, `${stackType(expr.dtype)}.const`, roundHalf(expr.value, expr.dtype));
      return;
    case "buffer-ref":
      addPointer(cx, expr);
      return;
    case "load":
      if (cx.places.get(expr.buffer)?.kind === "slots") return pushSlotElement(cx, expr);
      break;
    case "string":
    case "ramp":
    case "broadcast":
    case "producer-load":
    case "reduce":
      throw new InvariantError(`${expr.kind} is no scalar that WebAssembly has`);
    case "binary":
    case "not":
    case "select":
    case "cast":
    case "tir-let":
    case "tir-call":
  }
  pushCached(cx, valueNumber(cx, expr), 0, stackType(expr.dtype), () => pushFresh(cx, expr));
}

/** The value that a float constant of `dtype` has in memory. */
function roundHalf(value: number, dtype: DType): number {
  if (!isHalf(dtype)) return value;
  return dtype.code === "bfloat"
    ? decodeBfloat16(encodeBfloat16(value))
    : decodeFloat16(encodeFloat16(value));
}

function addPointer(cx: Lowering, expr: Extract<PrimExpr, { kind: "buffer-ref" }>): void {
  const offset = pushAddress(cx, expr.buffer, { kind: "int", dtype: int32, value: 0 });
  if (offset === 0) return;
  emit(cx, "i32.const", offset);
  emit(cx, "i32.add");
}

function pushFresh(cx: Lowering, expr: PrimExpr): void {
  switch (expr.kind) {
    case "binary":
      return pushBinary(cx, expr);
    case "not":
      pushScalar(cx, expr.a);
      emit(cx, "i32.eqz");
      return;
    case "select":
      pushScalar(cx, expr.then);
      pushScalar(cx, expr.otherwise);
      pushScalar(cx, expr.condition);
      emit(cx, "select");
      return;
    case "cast":
      return pushCast(cx, expr);
    case "tir-let": {
      const local = newLocal(cx, stackType(expr.variable.dtype));
      pushScalar(cx, expr.value);
      emit(cx, "local.set", local);
      cx.variables.set(expr.variable, {
        local,
        scope: cx.scope,
        lanesPerLocal: 1,
        low: lowerBound(cx, expr.value),
      });
      return pushScalar(cx, expr.body);
    }
    case "tir-call":
      return pushCall(cx, expr);
    case "load":
      return pushLoad(cx, expr);
    case "tir-var":
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
    case "ramp":
    case "broadcast":
    case "producer-load":
    case "reduce":
      throw new InvariantError(`${expr.kind} has no fresh value`);
    default:
      assertNever(expr, "expression");
  }
}

function pushSlotElement(cx: Lowering, expr: BufferLoad): void {
  const place = cx.places.get(expr.buffer)!;
  const [index] = expr.indices;
  invariant(
    place.kind === "slots" && index!.kind === "int",
    `${expr.buffer.name} lives in locals and needs a constant index`,
  );
  const at = Number(index!.value);
  if (place.lanes === 1) {
    emit(cx, "local.get", place.locals[at]!);
    return;
  }
  emit(cx, "local.get", place.locals[Math.floor(at / place.lanes)]!);
  emit(cx, `${vectorShape(expr.buffer.dtype)}.extract_lane`, at % place.lanes);
}

/** "f32x4" and the like: how a v128 of `dtype` is spelled in instruction names. */
export function vectorShape(dtype: DType): string {
  const letter = dtype.code === "float" ? "f" : "i";
  return `${letter}${dtype.bits}x${128 / dtype.bits}`;
}

const loadNames: Readonly<Record<string, string>> = {
  int8: "i32.load8_s",
  uint8: "i32.load8_u",
  int16: "i32.load16_s",
  uint16: "i32.load16_u",
  int32: "i32.load",
  uint32: "i32.load",
  int64: "i64.load",
  uint64: "i64.load",
  float32: "f32.load",
  float64: "f64.load",
  bool: "i32.load8_u",
  float16: "i32.load16_u",
  bfloat16: "i32.load16_u",
};

const storeNames: Readonly<Record<string, string>> = {
  int8: "i32.store8",
  uint8: "i32.store8",
  int16: "i32.store16",
  uint16: "i32.store16",
  int32: "i32.store",
  uint32: "i32.store",
  int64: "i64.store",
  uint64: "i64.store",
  float32: "f32.store",
  float64: "f64.store",
  bool: "i32.store8",
  float16: "i32.store16",
  bfloat16: "i32.store16",
};

function pushLoad(cx: Lowering, expr: BufferLoad): void {
  const name = loadNames[expr.buffer.dtype.name];
  if (name === undefined) refuseDType(cx, expr.buffer.dtype);
  const offset = pushAddress(cx, expr.buffer, expr.indices[0]!);
  emit(cx, name, offset);
  if (isHalf(expr.buffer.dtype))
    callHelper(cx, { kind: "half", what: "decode", type: expr.buffer.dtype, from: "f32" });
}

/** Stores what `pushValue` leaves on the stack to element `index`. */
export function emitStore(
  cx: Lowering,
  to: BufferLoad["buffer"],
  index: PrimExpr,
  pushValue: () => void,
): void {
  const name = storeNames[to.dtype.name];
  if (name === undefined) refuseDType(cx, to.dtype);
  const offset = pushAddress(cx, to, index);
  pushValue();
  if (isHalf(to.dtype)) callHelper(cx, { kind: "half", what: "encode", type: to.dtype, from: "f32" });
  emit(cx, name, offset);
}

function refuseDType(cx: Lowering, dtype: DType): never {
  return fail("RS6101", `The WebAssembly back end has no elements of type ${dtype.name}.`, {
    origin: cx.origin,
    expected: "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or float64",
    got: dtype.name,
  });
}

const compareNames: { readonly [K in BinaryOp]?: string } = {
  eq: "eq",
  ne: "ne",
  lt: "lt",
  le: "le",
  gt: "gt",
  ge: "ge",
};

/** "lt_s", "lt_u" or "lt" by the operand's dtype. */
function compareName(op: string, dtype: DType): string {
  if (isFloat(dtype) || op === "eq" || op === "ne") return op;
  return `${op}_${dtype.code === "int" ? "s" : "u"}`;
}

function pushBinary(cx: Lowering, expr: Binary): void {
  const { op, a, b } = expr;
  const type = stackType(a.dtype);
  const compare = compareNames[op];
  if (compare !== undefined) return pushPair(cx, a, b, `${type}.${compareName(compare, a.dtype)}`);
  if (op === "and" || op === "or") return pushPair(cx, a, b, `i32.${op}`);
  if (op === "min" || op === "max") return pushExtremum(cx, expr, type);
  if (isFloat(a.dtype)) return pushFloatBinary(cx, expr, type);
  if (op === "add" || op === "sub" || op === "mul") {
    const shift = op === "mul" && b.kind === "int" ? exponentOf(b.value) : NaN;
    if (!Number.isNaN(shift)) {
      pushScalar(cx, a);
      pushInt(cx, shift, type);
      emit(cx, `${type}.shl`);
    } else pushPair(cx, a, b, `${type}.${op}`);
    return normalise(cx, a.dtype);
  }
  pushDivision(cx, expr, type);
}

function pushPair(cx: Lowering, a: PrimExpr, b: PrimExpr, name: string): void {
  pushScalar(cx, a);
  pushScalar(cx, b);
  emit(cx, name);
}

/** min(a, b) is a < b ? a : b and max(a, b) is a > b ? a : b, NaN or not: C's macros. */
function pushExtremum(cx: Lowering, expr: Binary, type: ValType): void {
  const a = newLocal(cx, type);
  const b = newLocal(cx, type);
  pushScalar(cx, expr.a);
  emit(cx, "local.tee", a);
  pushScalar(cx, expr.b);
  emit(cx, "local.tee", b);
  emit(cx, "local.get", a);
  emit(cx, "local.get", b);
  emit(cx, `${type}.${compareName(expr.op === "min" ? "lt" : "gt", expr.a.dtype)}`);
  emit(cx, "select");
}

function pushFloatBinary(cx: Lowering, expr: Binary, type: ValType): void {
  const { op, a, b } = expr;
  if (op === "mod") {
    pushWidened(cx, a, float64);
    pushWidened(cx, b, float64);
    callHelper(cx, { kind: "host", name: "fmod" });
    if (type === "f32") emit(cx, "f32.demote_f64");
  } else if (op === "floordiv" || op === "floormod") {
    const divisor = newLocal(cx, type);
    const dividend = newLocal(cx, type);
    pushScalar(cx, a);
    emit(cx, "local.tee", dividend);
    pushScalar(cx, b);
    emit(cx, "local.tee", divisor);
    emit(cx, `${type}.div`);
    normalise(cx, a.dtype);
    emit(cx, `${type}.floor`);
    if (op === "floormod") {
      const quotient = newLocal(cx, type);
      emit(cx, "local.set", quotient);
      emit(cx, "local.get", dividend);
      emit(cx, "local.get", quotient);
      emit(cx, "local.get", divisor);
      emit(cx, `${type}.mul`);
      normalise(cx, a.dtype);
      emit(cx, `${type}.sub`);
    }
  } else pushPair(cx, a, b, `${type}.${op}`);
  normalise(cx, a.dtype);
}

/** k where `value` is 2^k, else NaN. Exact: Math.log2 of 2^53 + 1 is 53. */
function exponentOf(value: number | bigint): number {
  const whole = BigInt(value);
  return whole > 0n && (whole & (whole - 1n)) === 0n ? whole.toString(2).length - 1 : NaN;
}

function pushDivision(cx: Lowering, expr: Binary, type: ValType): void {
  const { op, a, b } = expr;
  const signed = a.dtype.code === "int";
  const positive = !signed || (b.kind === "int" && Number(b.value) > 0 && lowerBound(cx, a) >= 0);
  const shift = b.kind === "int" ? exponentOf(b.value) : NaN;
  const floors = op === "floordiv" || op === "floormod";
  if (Number.isInteger(shift) && (floors || positive)) {
    pushScalar(cx, a);
    if (op === "div" || op === "floordiv") {
      pushInt(cx, shift, type);
      emit(cx, `${type}.shr_${signed ? "s" : "u"}`);
    } else {
      pushInt(cx, BigInt((b as { value: number | bigint }).value) - 1n, type);
      emit(cx, `${type}.and`);
    }
    return;
  }
  const divides = op === "div" || op === "floordiv";
  if (positive) return pushPair(cx, a, b, `${type}.${divides ? "div" : "rem"}_u`);
  if (!floors) {
    if (!divides) return pushPair(cx, a, b, `${type}.rem_s`);
    if (b.kind === "int" && b.value !== -1) pushPair(cx, a, b, `${type}.div_s`);
    else {
      const [dividend, divisor] = [newLocal(cx, type), newLocal(cx, type)];
      pushScalar(cx, a);
      emit(cx, "local.set", dividend);
      pushScalar(cx, b);
      emit(cx, "local.set", divisor);
      pushQuotient(cx, type, dividend, divisor);
    }
    return normalise(cx, a.dtype);
  }
  pushFloorDivision(cx, expr, type);
}

/** a / b of two locals, where the least integer by -1 wraps (div_s traps): by -1 it is 0 - a / 1. */
function pushQuotient(cx: Lowering, type: ValType, a: number, b: number): void {
  const [minus, quotient] = [newLocal(cx, "i32"), newLocal(cx, type)];
  emit(cx, "local.get", a);
  pushInt(cx, 1, type);
  emit(cx, "local.get", b);
  emit(cx, "local.get", b);
  pushInt(cx, -1, type);
  emit(cx, `${type}.eq`);
  emit(cx, "local.tee", minus);
  emit(cx, "select");
  emit(cx, `${type}.div_s`);
  emit(cx, "local.set", quotient);
  pushInt(cx, 0, type);
  emit(cx, "local.get", quotient);
  emit(cx, `${type}.sub`);
  emit(cx, "local.get", quotient);
  emit(cx, "local.get", minus);
  emit(cx, "select");
}

/** The truncated quotient or remainder, put right where the signs differ. */
function pushFloorDivision(cx: Lowering, expr: Binary, type: ValType): void {
  const [a, b, rest] = [newLocal(cx, type), newLocal(cx, type), newLocal(cx, type)];
  pushScalar(cx, expr.a);
  emit(cx, "local.tee", a);
  pushScalar(cx, expr.b);
  emit(cx, "local.tee", b);
  emit(cx, `${type}.rem_s`);
  emit(cx, "local.set", rest);
  const pushWrong = (): void => {
    // rest != 0 and sign(rest) != sign(b): (rest ^ b) < 0, and rest = 0 leaves b's sign, so it is asked for
    // too.
    emit(cx, "local.get", rest);
    emit(cx, "local.get", b);
    emit(cx, `${type}.xor`);
    pushInt(cx, 0, type);
    emit(cx, `${type}.lt_s`);
    emit(cx, "local.get", rest);
    pushInt(cx, 0, type);
    emit(cx, `${type}.ne`);
    emit(cx, "i32.and");
  };
  if (expr.op === "floormod") {
    emit(cx, "local.get", rest);
    emit(cx, "local.get", b);
    pushInt(cx, 0, type);
    pushWrong();
    emit(cx, "select");
    emit(cx, `${type}.add`);
    return;
  }
  if (expr.b.kind === "int" && expr.b.value !== -1) {
    emit(cx, "local.get", a);
    emit(cx, "local.get", b);
    emit(cx, `${type}.div_s`);
  } else pushQuotient(cx, type, a, b);
  pushWrong();
  if (type === "i64") emit(cx, "i64.extend_i32_u");
  emit(cx, `${type}.sub`);
  normalise(cx, expr.a.dtype);
}

function pushCast(cx: Lowering, expr: Cast): void {
  pushScalar(cx, expr.value);
  convert(cx, expr.value.dtype, expr.dtype);
}

function pushCall(cx: Lowering, expr: TirCall): void {
  if (expr.op === "tir.if_then_else") {
    return pushBranches(
      cx,
      expr.args[0]!,
      stackType(expr.dtype),
      () => pushScalar(cx, expr.args[1]!),
      () => pushScalar(cx, expr.args[2]!),
    );
  }
  pushIntrinsic(cx, expr);
}

/** An `if` with a value: each side is a scope of its own, so that its loads stay inside. */
export function pushBranches(
  cx: Lowering,
  condition: PrimExpr,
  type: ValType,
  then: () => void,
  otherwise: () => void,
): void {
  pushScalar(cx, condition);
  const outer = cx.scope;
  const sides = [then, otherwise].map((side) => {
    const scope = makeScope("branch", outer, { certain: false });
    cx.scope = scope;
    side();
    cx.scope = outer;
    return scope.code;
  });
  emit(cx, "if", valTypes.indexOf(type));
  append(outer.code, sides[0]!);
  outer.code.push(instr("else"));
  append(outer.code, sides[1]!);
  emit(cx, "end");
}

/** push(...many) would overflow the stack for bodies of a hundred thousand instructions. */
export function append<T>(to: T[], more: readonly T[]): void {
  for (const one of more) to.push(one);
}
