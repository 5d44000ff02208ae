// What type relations of quantised operators share: checks of data, scales and zero points.
// TVM: src/relay/qnn/utils.h (IsScalarType, AssignType)
import { first } from "../../../support/assert.ts";
import { float32, int32, int8, uint8, type DType } from "../../ir/dtype.ts";
import { printDim, printType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { tensorArg, type Asker } from "../_shared/type-helpers.ts";

export const byteTypes: readonly DType[] = [int8, uint8];
export const quantisedTypes: readonly DType[] = [int8, uint8, int32];

/** A tensor of one of `dtypes`; null while unknown or after reporting. */
export function quantisedArg(
  cx: Asker,
  name: string,
  given: Type,
  dtypes: readonly DType[],
): TensorType | null {
  const type = tensorArg(cx, name, given);
  if (type === null || dtypes.includes(type.dtype)) return type;
  return cx.t.error("RS2110", `${cx.op}: argument \`${name}\` has a dtype that this operator does not take`, {
    expected: dtypes.map((dtype) => dtype.name).join(" or "),
    got: type.dtype.name,
  });
}

const paramDTypes = {
  input_zero_point: int32,
  input_scale: float32,
  weight_zero_point: int32,
  weight_scale: float32,
  lhs_scale: float32,
  lhs_zero_point: int32,
  rhs_scale: float32,
  rhs_zero_point: int32,
  x_zero_point: int32,
  y_zero_point: int32,
  x_scale: float32,
  y_scale: float32,
  output_scale: float32,
  output_zero_point: int32,
} as const;

/** An argument that is a scale or a zero point. */
export type QnnParam = keyof typeof paramDTypes;

/** Arguments that are scales and zero points, by name. */
export type QnnParams = Readonly<Partial<Record<QnnParam, Type>>>;

/** Those of `params` that are there. */
export function paramsOf(params: QnnParams): readonly (readonly [name: QnnParam, type: Type])[] {
  return (Object.keys(paramDTypes) as QnnParam[]).flatMap((name) => {
    const type = params[name];
    return type === undefined ? [] : [[name, type] as const];
  });
}

function paramType(cx: Asker, param: QnnParam, given: Type, name: string): TensorType | null {
  const type = tensorArg(cx, name, given);
  if (type === null) return null;
  const wanted = paramDTypes[param];
  if (type.dtype === wanted) return type;
  return cx.t.error("RS2102", `${cx.op}: argument \`${name}\` has the wrong dtype`, {
    expected: wanted.name,
    got: printType(type),
    because: "scales are float32 and zero points are int32",
  });
}

/**
 * A scale (float32) or zero point (int32) for the whole tensor, which messages call `name`; false while
 * unknown or after reporting.
 */
export function scalarParam(cx: Asker, param: QnnParam, given: Type, name: string = param): boolean {
  const type = paramType(cx, param, given, name);
  if (type === null) return false;
  if (type.shape.length === 0) return true;
  cx.t.error("RS2106", `${cx.op}: argument \`${name}\` must be a scalar`, {
    expected: `rank 0`,
    got: printType(type),
  });
  return false;
}

/** All of these are scalar scales and zero points. */
export function scalarParams(cx: Asker, params: QnnParams): boolean {
  return paramsOf(params).every(([name, type]) => scalarParam(cx, name, type));
}

/** A scale or zero point for the whole tensor, or one per channel; false while unknown or after reporting. */
export function channelParam(cx: Asker, name: QnnParam, given: Type, channels: Dim): boolean {
  const type = paramType(cx, name, given, name);
  if (type === null) return false;
  if (
    type.shape.length === 0 ||
    (type.shape.length === 1 && cx.t.dimEqual(first(type.shape, "input axis"), channels))
  )
    return true;
  cx.t.error("RS2105", `${cx.op}: argument \`${name}\` does not fit the channels`, {
    expected: `a scalar, or a vector of ${printDim(channels)} elements`,
    got: printType(type),
  });
  return false;
}
