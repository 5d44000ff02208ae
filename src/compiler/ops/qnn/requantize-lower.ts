// Requantisation in integer arithmetic, which most quantised operators end (or begin) with.
// TVM: src/relay/qnn/op/requantize.cc (RequantizeLower), op_common.h (RequantizeOrUpcast)
import { int32, type DType } from "../../ir/dtype.ts";
import type { TensorType } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { fixedPointOf, multiplyPerChannel, multiplyToNearest, type Rounding } from "./fixed-point.ts";
import {
  alongAxis,
  equalScalars,
  isInt,
  isScalarType,
  saturate,
  scalarValue,
  type Lowering,
} from "./lowering.ts";

/** Scale and zero point of a tensor. */
export interface QuantParams {
  readonly scale: Expr;
  readonly zeroPoint: Expr;
}

interface RequantizeSpec {
  readonly type: TensorType;
  readonly from: QuantParams;
  readonly to: QuantParams;
  /**
   * Axis of a per-channel scale or zero point; negative counts from the end. TVM's inner requantisations have
   * 0.
   */
  readonly axis?: number;
  readonly rounding?: Rounding;
  readonly outDType: DType;
}

/**
 * data in the scale and zero point of `spec.to`; null after reporting. The scales must be constants, that of
 * the result a scalar.
 */
export function requantize(l: Lowering, data: Expr, spec: RequantizeSpec): Expr | null {
  const rank = spec.type.shape.length;
  const { axis: given = 0 } = spec;
  const axis = given < 0 ? Math.max(rank + given, 0) : given;
  let tensor: Expr = l.cast(data, int32);
  if (!isInt(spec.from.zeroPoint, 0))
    tensor = l.make("subtract", [tensor, l.cast(spreadZeroPoint(l, spec.from.zeroPoint, rank, axis), int32)]);
  const scaled = scale(l, tensor, spec, axis);
  if (scaled === null) return null;
  const shifted = isInt(spec.to.zeroPoint, 0)
    ? scaled
    : l.make("add", [l.cast(spec.to.zeroPoint, int32), scaled]);
  return spec.outDType === int32 ? shifted : saturate(l, shifted, spec.outDType);
}

/**
 * TVM makes a scalar zero point a vector too; where the result has rank 0, that would give it an axis, and
 * the scalar stays.
 */
function spreadZeroPoint(l: Lowering, zeroPoint: Expr, rank: number, axis: number): Expr {
  if (isScalarType(l.node.type) && isScalarType(zeroPoint.type)) return zeroPoint;
  return alongAxis(l, l.make("reshape", [zeroPoint], { newshape: [-1] }), rank, axis);
}

function scale(l: Lowering, tensor: Expr, spec: RequantizeSpec, axis: number): Expr | null {
  const outScale = constantScale(l, "output_scale", spec.to.scale);
  if (outScale === null) return null;
  const { from, to, type, rounding = "UPWARD" } = spec;
  if (from.scale.kind !== "constant") {
    constantScale(l, "input_scale", from.scale);
    return null;
  }
  const inScale = scalarValue(from.scale);
  if (inScale === null) {
    const factors = Array.from<number | bigint, number>(
      from.scale.data.data,
      (value) => Number(value) / outScale,
    );
    return factors.every(Number.isFinite)
      ? multiplyPerChannel(l, tensor, factors, { type, axis, rounding })
      : notFinite(l, "input_scale");
  }
  if (equalScalars(from.scale, to.scale)) return tensor;
  const factor = inScale / outScale;
  if (!Number.isFinite(factor)) return notFinite(l, "input_scale");
  return rounding === "UPWARD"
    ? l.make("fixed_point_multiply", [tensor], fixedPointOf(factor))
    : multiplyToNearest(l, tensor, factor, type);
}

function constantScale(l: Lowering, name: string, scale: Expr): number | null {
  const value = scalarValue(scale);
  if (value === null) {
    return l.refuse(`argument \`${name}\` is not a constant scalar`, {
      expected: "a constant",
      got:
        scale.kind === "constant"
          ? "one scale a channel"
          : "a value that is known only when the program runs",
      because: "the factor between two scales becomes an integer multiplier and a shift when compiling",
    });
  }
  return value === 0 || !Number.isFinite(value) ? notFinite(l, name) : value;
}

function notFinite(l: Lowering, name: string): null {
  return l.refuse(`argument \`${name}\` cannot be a scale`, {
    expected: "finite numbers; the scale of the result is not 0",
    got: "a scale that is 0, infinite or not a number",
  });
}

/** data as int32 in the scale and zero point `to`: only converted where they are equal already. */
export function requantizeOrUpcast(
  l: Lowering,
  data: Expr,
  parts: { readonly type: TensorType; readonly from: QuantParams; readonly to: QuantParams },
): Expr | null {
  const same =
    equalScalars(parts.from.scale, parts.to.scale) && equalScalars(parts.from.zeroPoint, parts.to.zeroPoint);
  return same ? l.cast(data, int32) : requantize(l, data, { ...parts, outDType: int32 });
}
