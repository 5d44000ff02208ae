// Lanes of vector expressions: how many fit a v128, one of them as a scalar expression, and whether they are
// neighbours in memory.
import { InvariantError } from "../../../support/assert.ts";
import { isInteger, scalarOf, type DType } from "../../ir/dtype.ts";
import { load, makeBinary } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { mapChildren } from "../../tir/visit.ts";
import type { Lowering } from "./state.ts";

/**
 * Lanes of `dtype` in a v128, 0 where it has no vector form (half floats, odd widths, handles). bool goes
 * with any width.
 */
export function lanesPerVector(dtype: DType): number {
  if (dtype.code === "float") return dtype.bits >= 32 ? 128 / dtype.bits : 0;
  return isInteger(dtype) && dtype.bits >= 8 ? 128 / dtype.bits : 0;
}

/** One lane of a vector expression, as a scalar expression. */
export function laneOf(cx: Lowering, expr: PrimExpr, lane: number): PrimExpr {
  if (expr.dtype.lanes === 1) return expr;
  let made = cx.lanes.get(expr);
  if (made === undefined) {
    made = new Map();
    cx.lanes.set(expr, made);
  }
  let scalar = made.get(lane);
  if (scalar === undefined) {
    scalar = makeLane(cx, expr, lane);
    made.set(lane, scalar);
  }
  return scalar;
}

function makeLane(cx: Lowering, expr: PrimExpr, lane: number): PrimExpr {
  switch (expr.kind) {
    case "broadcast":
      return expr.value;
    case "ramp":
      return makeBinary("add", expr.base, makeBinary("mul", expr.stride, lane));
    case "load":
      return load(
        expr.buffer,
        expr.indices.map((index) => laneOf(cx, index, lane)),
      );
    case "cast": {
      const value = laneOf(cx, expr.value, lane);
      return { ...expr, dtype: scalarOf(expr.dtype), value };
    }
    case "tir-call":
      return { ...expr, dtype: scalarOf(expr.dtype), args: expr.args.map((arg) => laneOf(cx, arg, lane)) };
    case "tir-var":
    case "tir-let":
      throw new InvariantError(`a vector variable of ${cx.name} cannot be taken apart`);
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
    case "binary":
    case "not":
    case "select":
    case "producer-load":
    case "reduce":
      return mapChildren(expr, (child) => laneOf(cx, child, lane));
  }
}

/** The index of lane 0 if the lanes are neighbours in memory, else null. */
export function contiguousBase(index: PrimExpr): PrimExpr | null {
  return index.kind === "ramp" && index.stride.kind === "int" && Number(index.stride.value) === 1
    ? index.base
    : null;
}
