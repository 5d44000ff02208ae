// Resampling along spatial axes: nearest, linear and cubic.  TVM: python/tvm/topi/image/resize.py
import { at, first } from "../../support/assert.ts";
import { float32, int32 } from "../ir/dtype.ts";
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  cast,
  div,
  floatImm,
  floorDiv,
  intImm,
  lt,
  gt,
  max,
  min,
  mul,
  or,
  select,
  sub,
  unary,
  knownInt,
} from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { withIndices } from "./indexing.ts";

export type CoordinateMode =
  | "half_pixel"
  | "align_corners"
  | "asymmetric"
  | "pytorch_half_pixel"
  | "tf_half_pixel_for_nn";
export type Rounding = "" | "round" | "floor" | "ceil" | "round_prefer_floor" | "round_prefer_ceil";

export interface ResizeSpec {
  readonly method: "nearest_neighbor" | "linear" | "cubic";
  /** Axes that are resampled, with the extent each gets. */
  readonly axes: readonly number[];
  readonly size: readonly number[];
  readonly mode: CoordinateMode;
  readonly rounding: Rounding;
  readonly cubicAlpha: number;
  readonly cubicExclude: boolean;
  readonly outDType: DType;
}

const real = (value: number): PrimExpr => floatImm(value, float32);

/** Where in the source, as a float, the result's position `index` lies. */
function coordinate(index: PrimExpr, extent: number, size: number, mode: CoordinateMode): PrimExpr {
  const place = cast(index, float32);
  const scale = real(extent / size);
  switch (mode) {
    case "half_pixel":
      return sub(mul(add(place, real(0.5)), scale), real(0.5));
    case "align_corners":
      return size > 1 ? mul(real((extent - 1) / (size - 1)), place) : real(0);
    case "asymmetric":
      return mul(scale, place);
    case "pytorch_half_pixel":
      return size > 1 ? sub(mul(add(place, real(0.5)), scale), real(0.5)) : real(0);
    case "tf_half_pixel_for_nn":
      return mul(add(place, real(0.5)), scale);
  }
}

/**
 * The source position nearest to a coordinate. The small number keeps rounding errors from going one too low
 * or high.
 */
function nearest(x: PrimExpr, rounding: Exclude<Rounding, "">): PrimExpr {
  const closest = (): PrimExpr => {
    switch (rounding) {
      case "round":
        return unary("tir.round", x);
      case "round_prefer_floor":
        return unary("tir.ceil", sub(x, real(0.5)));
      case "round_prefer_ceil":
        return unary("tir.floor", add(x, real(0.5)));
      case "floor":
        return unary("tir.floor", add(x, real(1e-5)));
      case "ceil":
        return unary("tir.ceil", sub(x, real(1e-5)));
    }
  };
  return cast(closest(), int32);
}

function clamped(index: PrimExpr, extent: number): PrimExpr {
  return max(min(index, extent - 1), 0);
}

/** One source position with its weight; weight null is 1. */
interface Tap {
  readonly index: PrimExpr;
  readonly weight: PrimExpr | null;
}

function taps(index: PrimExpr, extent: number, size: number, spec: ResizeSpec): Tap[] {
  if (spec.method === "nearest_neighbor") {
    const rounding = spec.rounding !== "" ? spec.rounding : spec.mode === "align_corners" ? "round" : "floor";
    if (spec.mode === "asymmetric" && rounding === "floor" && size % extent === 0)
      return [{ index: floorDiv(index, size / extent), weight: null }];
    return [
      { index: clamped(nearest(coordinate(index, extent, size, spec.mode), rounding), extent), weight: null },
    ];
  }
  const x = coordinate(index, extent, size, spec.mode);
  const whole = cast(unary("tir.floor", x), int32);
  if (spec.method === "linear") {
    const part = sub(x, cast(whole, float32));
    return [
      { index: clamped(whole, extent), weight: sub(real(1), part) },
      { index: clamped(add(whole, 1), extent), weight: part },
    ];
  }
  return cubicTaps(x, whole, extent, spec);
}

function cubicTaps(x: PrimExpr, whole: PrimExpr, extent: number, spec: ResizeSpec): Tap[] {
  const t = sub(x, unary("tir.floor", x));
  const [t2, t3] = [mul(t, t), mul(mul(t, t), t)];
  const a = spec.cubicAlpha;
  let weights = [
    mul(real(a), add(sub(t3, mul(real(2), t2)), t)),
    add(sub(mul(real(a + 2), t3), mul(real(3 + a), t2)), real(1)),
    sub(add(mul(real(-(a + 2)), t3), mul(real(3 + 2 * a), t2)), mul(real(a), t)),
    add(mul(real(-a), t3), mul(real(a), t2)),
  ];
  if (spec.cubicExclude) {
    const inside = weights.map((weight, i) =>
      select(or(lt(add(whole, i - 1), 0), gt(add(whole, i), extent)), real(0), weight),
    );
    const total = inside.reduce((p, q) => add(p, q));
    weights = inside.map((weight) => div(weight, total));
  }
  return weights.map((weight, i) => ({ index: clamped(add(whole, i - 1), extent), weight }));
}

/** `x` with the extents of `axes` changed to `size`; all extents along them are known. */
export function resize(x: Tensor, spec: ResizeSpec, origin: Origin): Tensor {
  const shape = withIndices(
    x.shape,
    new Map(spec.axes.map((axis, i) => [axis, intImm(at(spec.size, i, "output extent"))])),
  );
  return compute(
    shape,
    (indices) => {
      const along = spec.axes.map((axis, i) =>
        taps(
          at(indices, axis, "index"),
          knownInt(at(x.shape, axis, "input axis")),
          at(spec.size, i, "output extent"),
          spec,
        ),
      );
      if (spec.method === "nearest_neighbor") {
        return cast(
          x.at(
            ...withIndices(
              indices,
              new Map(
                spec.axes.map((axis, i) => [
                  axis,
                  first(at(along, i, "taps of a resized axis"), "tap of a resized axis").index,
                ]),
              ),
            ),
          ),
          spec.outDType,
        );
      }
      return cast(blend(x, indices, spec.axes, along, 0), spec.outDType);
    },
    { name: "resize", tag: "injective", origin },
  );
}

/** The weighted sum over the taps of axis `level` and those after it. */
function blend(
  x: Tensor,
  indices: readonly PrimExpr[],
  axes: readonly number[],
  along: readonly (readonly Tap[])[],
  level: number,
): PrimExpr {
  if (level === axes.length) return cast(x.at(...indices), float32);
  const terms = at(along, level, "taps of a resized axis").map((tap) => {
    const inner = blend(
      x,
      withIndices(indices, new Map([[at(axes, level, "resized axis"), tap.index]])),
      axes,
      along,
      level + 1,
    );
    return tap.weight === null ? inner : mul(inner, tap.weight);
  });
  return terms.reduce((p, q) => add(p, q));
}
