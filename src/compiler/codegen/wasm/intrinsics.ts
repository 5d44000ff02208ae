// Calls of TIR intrinsics in scalar code. What WebAssembly has is one instruction; the rest are helper
// functions of the module (helpers.ts), of which the rare ones are imported from the host's Math.
import { fail } from "../../ir/diagnostic.ts";
import { float64, isFloat, type DType } from "../../ir/dtype.ts";
import type { PrimExpr, TirCall } from "../../tir/expr.ts";
import { callHelper, emit, newLocal, pushScalar, pushWidened, stackType, type Lowering } from "./state.ts";
import { convert, normalise, pushInt } from "./convert.ts";
import { hasVectorHelper } from "./maths.ts";

/** One instruction on floats: TIR's name -> WebAssembly's. */
export const floatInstructions: Readonly<Record<string, string>> = {
  "tir.sqrt": "sqrt",
  "tir.floor": "floor",
  "tir.ceil": "ceil",
  "tir.trunc": "trunc",
  "tir.nearbyint": "nearest",
  "tir.fabs": "abs",
};

/** Computed by the host's Math in float64; float32 goes there and back. Number = how many arguments. */
export const hostMaths = {
  exp: 1,
  exp2: 1,
  exp10: 1,
  log: 1,
  log2: 1,
  log10: 1,
  log1p: 1,
  tanh: 1,
  erf: 1,
  sin: 1,
  cos: 1,
  tan: 1,
  asin: 1,
  acos: 1,
  atan: 1,
  sinh: 1,
  cosh: 1,
  asinh: 1,
  acosh: 1,
  atanh: 1,
  pow: 2,
  atan2: 2,
  hypot: 2,
  fmod: 2,
} as const;

export type HostFunction = keyof typeof hostMaths;

function isHostFunction(name: string): name is HostFunction {
  return Object.hasOwn(hostMaths, name);
}

const bitwise: Readonly<Record<string, string>> = {
  "tir.bitwise_and": "and",
  "tir.bitwise_or": "or",
  "tir.bitwise_xor": "xor",
};
const identityOnIntegers: ReadonlySet<string> = new Set([
  "tir.floor",
  "tir.ceil",
  "tir.trunc",
  "tir.round",
  "tir.nearbyint",
]);

export function pushIntrinsic(cx: Lowering, call: TirCall): void {
  const { op, args } = call;
  const [first] = args;
  if (op === "tir.likely") return pushScalar(cx, first!);
  if (op === "tir.reinterpret") return pushReinterpret(cx, call);
  if (first !== undefined && isFloat(first.dtype)) {
    if (pushFloatCall(cx, call, first.dtype)) return;
  } else if (first !== undefined && pushIntegerCall(cx, call, first.dtype)) return;
  fail("RS6102", `The WebAssembly back end cannot call ${calleeName(call)}.`, {
    origin: cx.origin,
    expected: "a TIR intrinsic that has a WebAssembly form",
    got: `${calleeName(call)} of ${first?.dtype.name ?? "nothing"}`,
  });
}

function calleeName(call: TirCall): string {
  const [name] = call.args;
  return name?.kind === "string" ? `the outside function ${name.value}` : call.op;
}

function pushReinterpret(cx: Lowering, call: TirCall): void {
  const value = call.args[0]!;
  pushScalar(cx, value);
  const from = stackType(value.dtype);
  const to = stackType(call.dtype);
  if (from !== to) emit(cx, `${to}.reinterpret_${from}`);
}

function pushFloatCall(cx: Lowering, call: TirCall, dtype: DType): boolean {
  const { op, args } = call;
  const type = stackType(dtype);
  const single = floatInstructions[op];
  if (single !== undefined) {
    pushScalar(cx, args[0]!);
    emit(cx, `${type}.${single}`);
    normalise(cx, dtype);
    return true;
  }
  switch (op) {
    case "tir.rsqrt":
      emit(cx, `${type}.const`, 1);
      pushScalar(cx, args[0]!);
      emit(cx, `${type}.sqrt`);
      emit(cx, `${type}.div`);
      normalise(cx, dtype);
      return true;
    case "tir.copysign":
      pushScalar(cx, args[0]!);
      pushScalar(cx, args[1]!);
      emit(cx, `${type}.copysign`);
      return true;
    case "tir.isnan":
    case "tir.isinf":
    case "tir.isfinite":
      pushQuestion(cx, call, type);
      return true;
    default:
      return pushMaths(cx, call, dtype);
  }
}

function pushQuestion(cx: Lowering, call: TirCall, type: string): void {
  pushScalar(cx, call.args[0]!);
  if (call.op === "tir.isnan") {
    const local = newLocal(cx, type as "f32" | "f64");
    emit(cx, "local.tee", local);
    emit(cx, "local.get", local);
    emit(cx, `${type}.ne`);
    return;
  }
  emit(cx, `${type}.abs`);
  emit(cx, `${type}.const`, Infinity);
  emit(cx, `${type}.${call.op === "tir.isinf" ? "eq" : "lt"}`);
}

function pushMaths(cx: Lowering, call: TirCall, dtype: DType): boolean {
  const name = call.op.slice("tir.".length);
  const type = stackType(dtype);
  if (hasVectorHelper(name) && (type === "f32" || name === "round")) {
    pushScalar(cx, call.args[0]!);
    callHelper(cx, { kind: "unary", name, type: type === "f64" ? "f64" : "f32" });
    normalise(cx, dtype);
    return true;
  }
  if (!isHostFunction(name)) return false;
  for (const arg of call.args) pushWidened(cx, arg, float64);
  callHelper(cx, { kind: "host", name });
  convert(cx, float64, dtype);
  return true;
}

function pushIntegerCall(cx: Lowering, call: TirCall, dtype: DType): boolean {
  const { op, args } = call;
  const type = stackType(dtype);
  const logic = bitwise[op];
  if (identityOnIntegers.has(op)) {
    pushScalar(cx, args[0]!);
    return true;
  }
  if (op === "tir.shift_left" || op === "tir.shift_right") {
    pushShift(cx, call, dtype);
    return true;
  }
  if (logic !== undefined) {
    pushScalar(cx, args[0]!);
    pushScalar(cx, args[1]!);
    convert(cx, args[1]!.dtype, dtype);
    emit(cx, `${type}.${logic}`);
    normalise(cx, dtype);
    return true;
  }
  return pushRareInteger(cx, call, dtype, type);
}

/** Whether a shift by `amount` is known to leave bits: WebAssembly takes the amount modulo the width. */
export function shiftInWidth(amount: PrimExpr, dtype: DType): boolean {
  const value = amount.kind === "broadcast" ? amount.value : amount;
  return value.kind === "int" && value.value >= 0 && value.value < dtype.bits;
}

/** Shifts by the width or more, or by less than 0, shift every bit out. */
function pushShift(cx: Lowering, { op, args }: TirCall, dtype: DType): void {
  const type = stackType(dtype) === "i64" ? "i64" : "i32";
  const signed = op === "tir.shift_right" && dtype.code === "int";
  const name = op === "tir.shift_left" ? "shl" : signed ? "shr_s" : "shr_u";
  pushScalar(cx, args[0]!);
  pushScalar(cx, args[1]!);
  convert(cx, args[1]!.dtype, dtype);
  if (shiftInWidth(args[1]!, dtype)) {
    emit(cx, `${type}.${name}`);
    return normalise(cx, dtype);
  }
  const amount = newLocal(cx, type);
  const pushInside = (): void => {
    emit(cx, "local.get", amount);
    pushInt(cx, dtype.bits, type);
    emit(cx, `${type}.lt_u`);
    emit(cx, "select");
  };
  emit(cx, "local.tee", amount);
  if (signed) {
    pushInt(cx, dtype.bits - 1, type);
    pushInside();
  }
  emit(cx, `${type}.${name}`);
  if (!signed) {
    pushInt(cx, 0, type);
    pushInside();
  }
  normalise(cx, dtype);
}

function pushRareInteger(
  cx: Lowering,
  call: TirCall,
  dtype: DType,
  type: "i32" | "i64" | "f32" | "f64" | "v128",
): boolean {
  const { op, args } = call;
  switch (op) {
    case "tir.bitwise_not":
      pushScalar(cx, args[0]!);
      pushInt(cx, -1, type);
      emit(cx, `${type}.xor`);
      normalise(cx, dtype);
      return true;
    case "tir.fabs": {
      const local = newLocal(cx, type);
      pushInt(cx, 0, type);
      pushScalar(cx, args[0]!);
      emit(cx, "local.tee", local);
      emit(cx, `${type}.sub`);
      normalise(cx, dtype);
      emit(cx, "local.get", local);
      emit(cx, "local.get", local);
      pushInt(cx, 0, type);
      emit(cx, `${type}.lt_s`);
      emit(cx, "select");
      return true;
    }
    case "tir.popcount":
    case "tir.clz":
      pushBitCount(cx, call, dtype, type);
      return true;
    case "tir.pow":
    case "tir.fmod":
      pushScalar(cx, args[0]!);
      pushScalar(cx, args[1]!);
      if (op === "tir.pow") callHelper(cx, { kind: "pow", type: type === "i64" ? "i64" : "i32" });
      else emit(cx, `${type}.rem_${dtype.code === "int" ? "s" : "u"}`);
      normalise(cx, dtype);
      return true;
    case "tir.q_multiply_shift":
      for (const arg of args) pushScalar(cx, arg);
      callHelper(cx, { kind: "q_multiply_shift" });
      return true;
    case "tir.large_uint_imm": {
      const [low, high] = args;
      if (low?.kind !== "int" || high?.kind !== "int") return false;
      pushInt(cx, BigInt(low.value) | (BigInt(high.value) << 32n), "i64");
      return true;
    }
    default:
      return false;
  }
}

/** Counted in the operand's width, of which the value on the stack is an extension. */
function pushBitCount(cx: Lowering, call: TirCall, dtype: DType, type: string): void {
  pushScalar(cx, call.args[0]!);
  if (dtype.bits < 32) {
    emit(cx, "i32.const", 2 ** dtype.bits - 1);
    emit(cx, "i32.and");
  }
  emit(cx, `${type}.${call.op === "tir.clz" ? "clz" : "popcnt"}`);
  if (call.op === "tir.clz" && dtype.bits < 32) {
    emit(cx, "i32.const", 32 - dtype.bits);
    emit(cx, "i32.sub");
  }
  if (type === "i64" && stackType(call.dtype) === "i32") emit(cx, "i32.wrap_i64");
}
