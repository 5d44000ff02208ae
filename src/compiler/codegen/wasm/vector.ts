// Vector TIR expressions to WebAssembly SIMD. A value of L lanes is computed in parts of one v128 (`width`
// lanes each); what has no vector form is computed lane by lane and put together.
// TVM: src/target/llvm/codegen_llvm.cc (vector types)
import { at, invariant, tuple } from "../../../support/assert.ts";
import { bool, float32, isFloat, isInteger, scalarOf, withLanes, type DType } from "../../ir/dtype.ts";
import { load, makeBinary } from "../../tir/build.ts";
import type { Binary, BufferLoad, Cast, PrimExpr, TirCall } from "../../tir/expr.ts";
import { pushAddress } from "./address.ts";
import { contiguousBase, laneOf, lanesPerVector } from "./lanes.ts";
import { floatInstructions, shiftInWidth } from "./intrinsics.ts";
import { hasVectorHelper } from "./maths.ts";
import { pushBranches, vectorShape } from "./scalar.ts";
import {
  callHelper,
  emit,
  newLocal,
  pushCached,
  pushScalar,
  stackType,
  valueNumber,
  type Lowering,
} from "./state.ts";

function fits(dtype: DType, width: number): boolean {
  return dtype.code === "bool" || lanesPerVector(scalarOf(dtype)) === width;
}

/** Instruction prefix for `dtype`; a bool is a mask of integers as wide as `width` asks. */
function shapeOf(dtype: DType, width: number): string {
  return dtype.code === "bool" ? `i${128 / width}x${width}` : vectorShape(scalarOf(dtype));
}

/**
 * Whether the root of `expr` has a vector form of `width` lanes; if not, whoever stores it stores lane by
 * lane.
 */
export function isVectorisable(cx: Lowering, expr: PrimExpr, width: number): boolean {
  if (!fits(expr.dtype, width)) return false;
  switch (expr.kind) {
    case "broadcast":
    case "ramp":
    case "select":
    case "not":
    case "tir-let":
    case "tir-var":
    case "load":
      return true;
    case "binary":
      return vectorBinary(expr, width) !== null;
    case "cast":
      return vectorCast(expr, width) || narrowLoad(cx, expr, width) !== null;
    case "tir-call":
      return vectorCall(expr, width) !== null;
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
    case "producer-load":
    case "reduce":
      return false;
  }
}

/** Leaves lanes [part x width, (part + 1) x width) of `expr` on the stack as a v128. */
export function pushVector(cx: Lowering, expr: PrimExpr, part: number, width: number): void {
  if (expr.kind === "tir-var") {
    const bound = cx.variables.get(expr);
    invariant(bound !== undefined, `${cx.name} uses variable ${expr.name} where it is not bound`);
    emit(cx, "local.get", bound.local);
    return;
  }
  if (expr.kind === "broadcast" && (expr.value.kind === "int" || expr.value.kind === "float"))
    return pushConstant(cx, expr.value, width);
  if (expr.kind === "load" && pushSlot(cx, expr, part, width)) return;
  // A broadcast is the same in every part.
  const key = expr.kind === "broadcast" ? 1 : part + 1;
  pushCached(cx, valueNumber(cx, expr), key, "v128", () => pushFresh(cx, expr, part, width));
}

function pushFresh(cx: Lowering, expr: PrimExpr, part: number, width: number): void {
  if (!isVectorisable(cx, expr, width)) return pushLanes(cx, expr, part, width);
  switch (expr.kind) {
    case "broadcast":
      return pushSplat(cx, expr.value, width);
    case "ramp": {
      pushScalar(cx, makeBinary("add", expr.base, makeBinary("mul", expr.stride, part * width)));
      emit(cx, `${shapeOf(expr.dtype, width)}.splat`);
      if (expr.stride.kind !== "int") return addScaledIota(cx, expr.stride, expr.dtype, width);
      pushBytes(
        cx,
        expr.dtype,
        width,
        (lane) => Number((expr.stride as { value: number | bigint }).value) * lane,
      );
      emit(cx, `${shapeOf(expr.dtype, width)}.add`);
      return;
    }
    case "select":
      pushVector(cx, expr.then, part, width);
      pushVector(cx, expr.otherwise, part, width);
      if (expr.condition.dtype.lanes === 1) pushSplat(cx, expr.condition, width);
      else pushVector(cx, expr.condition, part, width);
      emit(cx, "v128.bitselect");
      return;
    case "not":
      pushVector(cx, expr.a, part, width);
      emit(cx, "v128.not");
      return;
    case "tir-let": {
      const lanes = expr.variable.dtype.lanes;
      const local = newLocal(cx, lanes === 1 ? stackType(expr.variable.dtype) : "v128");
      if (lanes === 1) pushScalar(cx, expr.value);
      else pushVector(cx, expr.value, part, width);
      emit(cx, "local.set", local);
      cx.variables.set(expr.variable, { local, scope: cx.scope, lanesPerLocal: lanes, low: -Infinity });
      return pushVector(cx, expr.body, part, width);
    }
    case "load":
      return pushVectorLoad(cx, expr, part, width);
    case "binary":
      return pushVectorBinary(cx, expr, part, width);
    case "cast":
      return pushVectorCast(cx, expr, part, width);
    case "tir-call":
      return pushVectorCall(cx, expr, part, width);
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
    case "producer-load":
    case "reduce":
    case "tir-var":
      invariant(false, `${expr.kind} has no fresh vector value`);
  }
}

function addScaledIota(cx: Lowering, stride: PrimExpr, dtype: DType, width: number): void {
  pushBytes(cx, dtype, width, (lane) => lane);
  pushSplat(cx, stride, width);
  emit(cx, `${shapeOf(dtype, width)}.mul`);
  emit(cx, `${shapeOf(dtype, width)}.add`);
}

/** Lane by lane: any scalar code, put into a vector. */
function pushLanes(cx: Lowering, expr: PrimExpr, part: number, width: number): void {
  const isBool = expr.dtype.code === "bool";
  const shape = shapeOf(expr.dtype, width);
  for (let lane = 0; lane < width; lane++) {
    const scalar = laneOf(cx, expr, part * width + lane);
    if (isBool) pushMaskScalar(cx, scalar, width);
    else pushScalar(cx, scalar);
    emit(cx, lane === 0 ? `${shape}.splat` : `${shape}.replace_lane`, lane);
  }
}

/** 0 or 1 to 0 or all ones, in an integer as wide as a lane. */
function pushMaskScalar(cx: Lowering, scalar: PrimExpr, width: number): void {
  if (width === 2) emit(cx, "i64.const", 0, 0, 0n);
  else emit(cx, "i32.const", 0);
  pushScalar(cx, scalar);
  if (width === 2) emit(cx, "i64.extend_i32_u");
  emit(cx, width === 2 ? "i64.sub" : "i32.sub");
}

function pushSplat(cx: Lowering, value: PrimExpr, width: number): void {
  if (value.dtype.code === "bool") {
    pushMaskScalar(cx, value, width);
    emit(cx, `${shapeOf(bool, width)}.splat`);
    return;
  }
  if (value.kind === "load" && cx.places.get(value.buffer)?.kind !== "slots") {
    const offset = pushAddress(cx, value.buffer, value.indices[0]!);
    emit(cx, `v128.load${128 / width}_splat`, offset);
    return;
  }
  pushScalar(cx, value);
  emit(cx, `${shapeOf(value.dtype, width)}.splat`);
}

function pushConstant(
  cx: Lowering,
  value: Extract<PrimExpr, { kind: "int" | "float" }>,
  width: number,
): void {
  if (value.dtype.code === "bool")
    pushBytes(cx, withLanes(value.dtype, width), width, () => -Number(value.value));
  else pushBytes(cx, value.dtype, width, () => value.value);
}

/** v128.const of one number a lane. */
function pushBytes(
  cx: Lowering,
  dtype: DType,
  width: number,
  valueOf: (lane: number) => number | bigint,
): void {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  const bits = 128 / width;
  for (let lane = 0; lane < width; lane++) {
    const value = valueOf(lane);
    const offset = (lane * bits) / 8;
    if (dtype.code === "float" && bits === 32) view.setFloat32(offset, Number(value), true);
    else if (dtype.code === "float") view.setFloat64(offset, Number(value), true);
    else if (bits === 64) view.setBigInt64(offset, BigInt(value), true);
    else if (bits === 32) view.setInt32(offset, Number(value) | 0, true);
    else if (bits === 16) view.setInt16(offset, Number(value), true);
    else view.setInt8(offset, Number(value));
  }
  emit(cx, "v128.const", 0, 0, bytes);
}

function pushSlot(cx: Lowering, expr: BufferLoad, part: number, width: number): boolean {
  const place = cx.places.get(expr.buffer);
  if (place?.kind !== "slots" || place.lanes !== width) return false;
  const [index] = expr.indices;
  if (index?.kind !== "ramp" || index.base.kind !== "int" || Number(index.base.value) % width !== 0)
    return false;
  emit(cx, "local.get", place.locals[Number(index.base.value) / width + part]!);
  return true;
}

function pushVectorLoad(cx: Lowering, expr: BufferLoad, part: number, width: number): void {
  const index = expr.indices[0]!;
  const base = contiguousBase(index);
  const isSlots = cx.places.get(expr.buffer)?.kind === "slots";
  if (expr.buffer.dtype.code === "bool" || isSlots) return pushLanes(cx, expr, part, width);
  if (base !== null) {
    const offset = pushAddress(cx, expr.buffer, makeBinary("add", base, part * width));
    emit(cx, "v128.load", offset);
    return;
  }
  if (index.kind === "broadcast") return pushSplat(cx, load(expr.buffer, [index.value]), width);
  if (
    width === 4 &&
    index.kind === "ramp" &&
    index.stride.kind === "int" &&
    pushShuffled(cx, expr, index.base, Number(index.stride.value), part)
  )
    return;
  // Gather: the addresses of lanes 1… wait on the stack under the vector.
  const bits = 128 / width;
  const offsets: number[] = [];
  for (let lane = width - 1; lane >= 0; lane--)
    offsets[lane] = pushAddress(cx, expr.buffer, laneOf(cx, index, part * width + lane));
  if (bits >= 32) emit(cx, `v128.load${bits}_zero`, offsets[0]!);
  else emit(cx, `v128.load${bits}_splat`, offsets[0]!);
  for (let lane = 1; lane < width; lane++) emit(cx, `v128.load${bits}_lane`, offsets[lane]!, lane);
}

/**
 * Every second element, or neighbours backwards: whole vectors, shuffled. Reads nothing beyond the elements
 * between first and last.
 */
function pushShuffled(cx: Lowering, expr: BufferLoad, base: PrimExpr, stride: number, part: number): boolean {
  if (stride !== 2 && stride !== -1) return false;
  const lanes = stride === 2 ? [0, 2, 5, 7] : [3, 2, 1, 0];
  const first = makeBinary("add", base, part * 4 * stride - (stride === -1 ? 3 : 0));
  emit(cx, "v128.load", pushAddress(cx, expr.buffer, first));
  if (stride === 2) emit(cx, "v128.load", pushAddress(cx, expr.buffer, makeBinary("add", first, 3)));
  else {
    const local = newLocal(cx, "v128");
    emit(cx, "local.tee", local);
    emit(cx, "local.get", local);
  }
  emit(
    cx,
    "i8x16.shuffle",
    0,
    0,
    Uint8Array.from(lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte))),
  );
  return true;
}

/** Name after the shape, and operands in order; null where there is no vector form. */
function vectorBinary(
  expr: Binary,
  width: number,
): { readonly name: string; readonly swap: boolean; readonly invert: boolean } | null {
  const operand = scalarOf(expr.a.dtype);
  const plain = (name: string, swap = false, invert = false) => ({ name, swap, invert });
  if (expr.op === "and" || expr.op === "or") return plain(`v128.${expr.op}`);
  if (!fits(operand, width) || operand.code === "bool") return null;
  const shape = vectorShape(operand);
  const sign = isFloat(operand) ? "" : operand.code === "int" ? "_s" : "_u";
  switch (expr.op) {
    case "add":
    case "sub":
      return plain(`${shape}.${expr.op}`);
    case "mul":
      return shape === "i8x16" ? null : plain(`${shape}.mul`);
    case "div":
      return isFloat(operand) ? plain(`${shape}.div`) : null;
    // pmin(x, y) is y < x ? y : x, so min(a, b) = a < b ? a : b is pmin(b, a): C's macro to the bit, one
    // instruction.
    case "min":
    case "max":
      if (isFloat(operand)) return plain(`${shape}.p${expr.op}`, true);
      return shape === "i64x2" ? null : plain(`${shape}.${expr.op}${sign}`);
    case "eq":
    case "ne":
      return plain(`${shape}.${expr.op}`);
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return shape === "i64x2" && sign === "_u" ? null : plain(`${shape}.${expr.op}${sign}`);
    case "mod":
    case "floordiv":
    case "floormod":
      return null;
  }
}

function pushVectorBinary(cx: Lowering, expr: Binary, part: number, width: number): void {
  if (cx.options.relaxedMadd && expr.op === "add" && isFloat(expr.dtype)) {
    const product = [expr.a, expr.b].findIndex((side) => side.kind === "binary" && side.op === "mul");
    if (product >= 0) {
      const mul = (product === 0 ? expr.a : expr.b) as Binary;
      pushVector(cx, mul.a, part, width);
      pushVector(cx, mul.b, part, width);
      pushVector(cx, product === 0 ? expr.b : expr.a, part, width);
      emit(cx, `${shapeOf(expr.dtype, width)}.relaxed_madd`);
      return;
    }
  }
  const form = vectorBinary(expr, width)!;
  pushVector(cx, form.swap ? expr.b : expr.a, part, width);
  pushVector(cx, form.swap ? expr.a : expr.b, part, width);
  emit(cx, form.name);
}

function vectorCast(expr: Cast, width: number): boolean {
  const from = scalarOf(expr.value.dtype);
  const to = scalarOf(expr.dtype);
  if (!fits(from, width) || !fits(to, width)) return false;
  if (from.code === "bool" || to.code === "bool") return true;
  if (isFloat(from) === isFloat(to)) return true;
  return width === 4;
}

function pushVectorCast(cx: Lowering, expr: Cast, part: number, width: number): void {
  const narrow = narrowLoad(cx, expr, width);
  if (narrow !== null) return narrow(part);
  const from = scalarOf(expr.value.dtype);
  const to = scalarOf(expr.dtype);
  pushVector(cx, expr.value, part, width);
  if (from === to) return;
  if (from.code === "bool") {
    pushBytes(cx, to, width, () => 1);
    emit(cx, "v128.and");
  } else if (to.code === "bool") {
    pushBytes(cx, from, width, () => 0);
    emit(cx, `${vectorShape(from)}.ne`);
  } else if (isFloat(to) && !isFloat(from))
    emit(cx, `f32x4.convert_i32x4_${from.code === "int" ? "s" : "u"}`);
  else if (isFloat(from) && !isFloat(to)) emit(cx, `i32x4.trunc_sat_f32x4_${to.code === "int" ? "s" : "u"}`);
}

/**
 * A cast of neighbouring int8 or int16 elements to 32 bits: one load that widens (int16), or a load and two
 * extensions (int8).
 */
function narrowLoad(cx: Lowering, expr: Cast, width: number): ((part: number) => void) | null {
  const { value } = expr;
  const from = scalarOf(value.dtype);
  const to = scalarOf(expr.dtype);
  if (value.kind !== "load" || width !== 4 || (to.code !== "float" && !isInteger(to))) return null;
  if (
    !isInteger(from) ||
    (from.bits !== 8 && from.bits !== 16) ||
    cx.places.get(value.buffer)?.kind === "slots"
  )
    return null;
  const base = contiguousBase(value.indices[0]!);
  if (base === null) return null;
  const sign = from.code === "int" ? "s" : "u";
  return (part) => {
    const offset = pushAddress(cx, value.buffer, makeBinary("add", base, part * width));
    if (from.bits === 16) emit(cx, `v128.load16x4_${sign}`, offset);
    else {
      emit(cx, "v128.load32_zero", offset);
      emit(cx, `i16x8.extend_low_i8x16_${sign}`);
      emit(cx, `i32x4.extend_low_i16x8_${sign}`);
    }
    if (to === float32) emit(cx, `f32x4.convert_i32x4_${sign}`);
  };
}

type Form =
  | "single"
  | "helper"
  | "rsqrt"
  | "isnan"
  | "isinf"
  | "isfinite"
  | "reinterpret"
  | "likely"
  | "branch"
  | "logic"
  | "not"
  | "shift";

function vectorCall(expr: TirCall, width: number): Form | null {
  const operand = expr.args[0] === undefined ? null : scalarOf(expr.args[0].dtype);
  if (operand === null) return null;
  switch (expr.op) {
    case "tir.likely":
      return "likely";
    case "tir.if_then_else":
      return expr.args[0]!.dtype.lanes === 1 ? "branch" : null;
    case "tir.reinterpret":
      return fits(operand, width) && operand.bits === scalarOf(expr.dtype).bits ? "reinterpret" : null;
    default:
  }
  if (!fits(operand, width)) return null;
  if (expr.op === "tir.bitwise_and" || expr.op === "tir.bitwise_or" || expr.op === "tir.bitwise_xor")
    return "logic";
  if (expr.op === "tir.bitwise_not") return "not";
  if (expr.op === "tir.shift_left" || expr.op === "tir.shift_right")
    return shiftInWidth(expr.args[1]!, operand) && operand !== bool ? "shift" : null;
  if (operand.code !== "float") return null;
  if (Object.hasOwn(floatInstructions, expr.op)) return "single";
  if (expr.op === "tir.rsqrt") return "rsqrt";
  if (expr.op === "tir.isnan" || expr.op === "tir.isinf" || expr.op === "tir.isfinite")
    return expr.op.slice("tir.".length) as Form;
  return operand === float32 && hasVectorHelper(expr.op.slice("tir.".length)) ? "helper" : null;
}

function pushVectorCall(cx: Lowering, expr: TirCall, part: number, width: number): void {
  const form = vectorCall(expr, width)!;
  const shape = shapeOf(expr.args[0]!.dtype, width);
  const first = at(expr.args, 0, "operand");
  switch (form) {
    case "branch": {
      const [condition, then, otherwise] = tuple(expr.args, 3, "operands of a branch");
      return pushBranches(
        cx,
        condition,
        "v128",
        () => pushVector(cx, then, part, width),
        () => pushVector(cx, otherwise, part, width),
      );
    }
    case "rsqrt":
      pushBytes(cx, scalarOf(expr.dtype), width, () => 1);
      pushVector(cx, first, part, width);
      emit(cx, `${shape}.sqrt`);
      emit(cx, `${shape}.div`);
      return;
    case "single":
    case "helper":
    case "isnan":
    case "isinf":
    case "isfinite":
    case "reinterpret":
    case "likely":
    case "logic":
    case "not":
    case "shift":
      pushVector(cx, first, part, width);
      finishVectorCall(cx, expr, form, part, width);
  }
}

function finishVectorCall(cx: Lowering, expr: TirCall, form: Form, part: number, width: number): void {
  const { dtype } = expr.args[0]!;
  const [operand, shape] = [scalarOf(dtype), shapeOf(dtype, width)];
  switch (form) {
    case "single":
      return emit(cx, `${shape}.${floatInstructions[expr.op]!}`);
    case "helper": {
      const name = expr.op.slice("tir.".length);
      invariant(hasVectorHelper(name), `${expr.op} has no helper for vectors`);
      return callHelper(cx, { kind: "unary", name, type: "f32x4" });
    }
    case "isnan": {
      const local = newLocal(cx, "v128");
      emit(cx, "local.tee", local);
      emit(cx, "local.get", local);
      return emit(cx, `${shape}.ne`);
    }
    case "isinf":
    case "isfinite":
      emit(cx, `${shape}.abs`);
      pushBytes(cx, operand, width, () => Infinity);
      return emit(cx, `${shape}.${form === "isinf" ? "eq" : "lt"}`);
    case "logic":
      pushVector(cx, expr.args[1]!, part, width);
      return emit(cx, `v128.${expr.op.slice("tir.bitwise_".length)}`);
    case "not":
      return emit(cx, "v128.not");
    case "shift": {
      const by = laneOf(cx, expr.args[1]!, 0);
      pushScalar(cx, by);
      if (stackType(by.dtype) === "i64") emit(cx, "i32.wrap_i64");
      return emit(
        cx,
        `${shape}.${expr.op === "tir.shift_left" ? "shl" : operand.code === "int" ? "shr_s" : "shr_u"}`,
      );
    }
    case "reinterpret":
    case "likely":
    case "branch":
    case "rsqrt":
  }
}
