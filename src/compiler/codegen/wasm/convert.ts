// Conversions between dtypes of the value on top of the stack, and bringing a result back into the range of
// its dtype.
import { isFloat, isHalf, isInteger, type DType } from "../../ir/dtype.ts";
import type { ValType } from "./function.ts";
import { callHelper, emit, newLocal, stackType, type Lowering } from "./state.ts";

/**
 * Brings the result of an operation back to the range of `dtype`: wraps small integers, rounds half floats.
 */
export function normalise(cx: Lowering, dtype: DType): void {
  if (isHalf(dtype)) {
    callHelper(cx, { kind: "half", what: "round", type: dtype, from: "f32" });
    return;
  }
  if (dtype.code === "bool") {
    pushInt(cx, 0, "i32");
    emit(cx, "i32.ne");
    return;
  }
  if (dtype.bits >= 32 || !isInteger(dtype)) return;
  if (dtype.code === "int" && (dtype.bits === 8 || dtype.bits === 16)) {
    emit(cx, `i32.extend${dtype.bits}_s`);
  } else if (dtype.code === "int") {
    const shift = 32 - dtype.bits;
    emit(cx, "i32.const", shift);
    emit(cx, "i32.shl");
    emit(cx, "i32.const", shift);
    emit(cx, "i32.shr_s");
  } else {
    emit(cx, "i32.const", 2 ** dtype.bits - 1);
    emit(cx, "i32.and");
  }
}

export function pushInt(cx: Lowering, value: number | bigint, type: ValType): void {
  if (type === "i64") emit(cx, "i64.const", 0, 0, BigInt(value));
  else emit(cx, "i32.const", Number(value) | 0);
}

/** Converts the value on top of the stack. Float to integer truncates and saturates, NaN gives 0. */
export function convert(cx: Lowering, from: DType, to: DType): void {
  const source = stackType(from);
  const target = stackType(to);
  if (to.code === "bool") {
    if (from.code === "bool") return;
    if (isFloat(from)) emit(cx, `${source}.const`, 0);
    else pushInt(cx, 0, source);
    emit(cx, `${source}.ne`);
    return;
  }
  if (isFloat(to)) return toFloat(cx, from, to, source, target);
  if (isFloat(from)) return floatToInt(cx, to, source, target);
  if (source === "i32" && target === "i64") emit(cx, `i64.extend_i32_${from.code === "int" ? "s" : "u"}`);
  if (source === "i64" && target === "i32") emit(cx, "i32.wrap_i64");
  if (to.bits < 32 && !(from.bits < to.bits && (from.code !== "int" || to.code === "int")) && from !== to)
    normalise(cx, to);
}

function toFloat(cx: Lowering, from: DType, to: DType, source: ValType, target: ValType): void {
  if (isFloat(from)) {
    if (source === "f32" && target === "f64") emit(cx, "f64.promote_f32");
    if (source === "f64" && target === "f32") {
      if (isHalf(to)) return callHelper(cx, { kind: "half", what: "round", type: to, from: "f64" });
      emit(cx, "f32.demote_f64");
    }
    if (isHalf(to) && from !== to) normalise(cx, to);
    return;
  }
  if (isHalf(to)) {
    // Through f64, which holds the integer exactly (64-bit ones to 53 bits): rounding twice could differ in
    // the last place.
    emit(cx, `f64.convert_${source}_${from.code === "int" ? "s" : "u"}`);
    return callHelper(cx, { kind: "half", what: "round", type: to, from: "f64" });
  }
  emit(cx, `${target}.convert_${source}_${from.code === "int" ? "s" : "u"}`);
}

function floatToInt(cx: Lowering, to: DType, source: ValType, target: ValType): void {
  emit(cx, `${target}.trunc_sat_${source}_${to.code === "int" ? "s" : "u"}`);
  if (to.bits >= 32) return;
  const high = to.code === "int" ? 2 ** (to.bits - 1) - 1 : 2 ** to.bits - 1;
  clampTop(cx, high, to.code === "int" ? "s" : "u", "lt");
  if (to.code === "int") clampTop(cx, -high - 1, "s", "gt");
}

/** top = top < bound ? top : bound (or > for a lower bound). */
function clampTop(cx: Lowering, bound: number, sign: "s" | "u", keeps: "lt" | "gt"): void {
  const local = newLocal(cx, "i32");
  emit(cx, "local.tee", local);
  emit(cx, "i32.const", bound);
  emit(cx, "local.get", local);
  emit(cx, "i32.const", bound);
  emit(cx, `i32.${keeps}_${sign}`);
  emit(cx, "select");
}
