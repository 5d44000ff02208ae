// Scales and zero points of quantize and dequantize, for the whole tensor or one per channel.
// TVM: src/relay/qnn/op/quantize.cc (QuantizeRel, QuantizeLower)
import type { TensorType } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { axisArg, type Asker } from "../_shared/type-helpers.ts";
import { channelParam, paramsOf, type QnnParams } from "./arguments.ts";
import { alongAxis, isScalarType, type Lowering } from "./lowering.ts";

/**
 * `given` fit the data's axis `axis`, which matters only where one of them is a vector; false while unknown
 * or after reporting.
 */
export function channelwiseParams(cx: Asker, data: TensorType, axis: number, given: QnnParams): boolean {
  const params = paramsOf(given);
  const rank = data.shape.length;
  const found = rank === 0 || params.every(([, type]) => isScalarType(type)) ? 0 : axisArg(cx, axis, rank);
  return (
    found !== null && params.every(([name, type]) => channelParam(cx, name, type, data.shape[found] ?? 1))
  );
}

/** A scale or zero point, one a channel of `data` along `axis`, in a form that broadcasts against it. */
export function channelwise(l: Lowering, data: Expr, param: Expr, axis: number): Expr {
  if (isScalarType(param.type) || data.type?.kind !== "tensor-type") return param;
  const rank = data.type.shape.length;
  return alongAxis(l, param, rank, axis < 0 ? axis + rank : axis);
}
