// What simulated_quantize and simulated_dequantize share: the codes of dtypes, and scales and zero points by
// channel.
// TVM: python/tvm/topi/nn/qnn.py
import { at, first } from "../../../support/assert.ts";
import { int32 } from "../../ir/dtype.ts";
import { printType, type TensorType, type Type } from "../../ir/type.ts";
import { constInt } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { Tensor } from "../../te/tensor.ts";
import { acceptsDType } from "../math/unary.ts";
import { axisArg, tensorArg, type Asker } from "../_shared/type-helpers.ts";
import { channelParam, type QnnParam } from "./arguments.ts";

/** What the scalar dtype argument says. 0 (or anything else) leaves the data as it is. */
export const dtypeCodes = { int8: 1, uint8: 2, int32: 3 } as const;

interface SimulatedArgs {
  readonly data: Type;
  /** Name and type of the dtype argument. */
  readonly code: readonly [string, Type];
  readonly scale: readonly [QnnParam, Type];
  readonly zeroPoint: readonly [QnnParam, Type];
}

/** The data's type, if all arguments fit; null while unknown or after reporting. */
export function simulatedRelation(cx: Asker, args: SimulatedArgs, axis: number): TensorType | null {
  const data = tensorArg(cx, "data", args.data);
  const code = tensorArg(cx, args.code[0], args.code[1]);
  if (data === null || code === null || !acceptsDType(cx, "data", data, "float")) return null;
  if (code.dtype !== int32 || code.shape.length !== 0) {
    return cx.t.error("RS2102", `${cx.op}: argument \`${args.code[0]}\` must be a scalar code`, {
      expected: "int32: 0 leaves the data, 1 is int8, 2 is uint8, 3 is int32",
      got: printType(code),
    });
  }
  const place = data.shape.length === 0 ? 0 : axisArg(cx, axis, data.shape.length);
  if (place === null) return null;
  const channels = data.shape[place] ?? 1;
  // One element serves all channels, as a scalar does.
  return [args.scale, args.zeroPoint].every(
    ([name, type]) => isSingle(type) || channelParam(cx, name, type, channels),
  )
    ? data
    : null;
}

function isSingle(type: Type): boolean {
  return type.kind === "tensor-type" && type.shape.length === 1 && type.shape[0] === 1;
}

/** The scale or zero point of the element at `indices`. */
export function ofChannel(param: Tensor, indices: readonly PrimExpr[], axis: number): PrimExpr {
  if (param.shape.length === 0) return param.at();
  return constInt(first(param.shape, "quantisation parameter axis")) === 1
    ? param.at(0)
    : param.at(at(indices, axis < 0 ? axis + indices.length : axis, "index"));
}
