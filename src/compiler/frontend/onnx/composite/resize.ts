// Resampling.  TVM: python/tvm/relay/frontend/onnx.py (Resize, Upsample). What image.resize computes goes
// there; scales that do not make whole extents, cropping, and axes of batch or channel are written out: every
// position takes a few elements of each axis with weights that are known when importing.
import { dimensioned } from "./window.ts";
import { own } from "../../../../support/own.ts";
import { at } from "../../../../support/assert.ts";
import { float32, int64 } from "../../../ir/dtype.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import { tensorData } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, multiply, sliceAxis } from "../arithmetic.ts";
import { asInt64, extentsOf, isStatic, placesOf, shapeVector } from "../dynamic.ts";
import { constantOf, dynamicInputs, rankOf, refuse, shapeOf, listed } from "../../import-node.ts";
import {
  axisIn,
  call,
  cast,
  dtypeOf,
  float,
  floats,
  has,
  input,
  int,
  int64sOf,
  ints,
  intsOf,
  known,
  optional,
  text,
  valueOf,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { numbersOf } from "../../values.ts";

interface Resampling {
  readonly method: "nearest" | "linear" | "cubic";
  readonly mode: string;
  readonly rounding: string;
  readonly cubic: number;
  readonly exclude: boolean;
  readonly outside: number;
}

/** One axis: extents, the scale that positions are computed with, and the crop of tf_crop_and_resize. */
interface Axis {
  readonly extent: number;
  readonly size: number;
  readonly scale: number;
  readonly crop: readonly [start: number, end: number];
}

const words: Readonly<Record<string, Resampling["method"]>> = {
  nearest: "nearest",
  linear: "linear",
  bilinear: "linear",
  cubic: "cubic",
};

function resamplingOf(n: OnnxNode): Resampling {
  if (int(n, "antialias", 0) !== 0)
    refuse(n, "antialias of opset 18 is not taken", { hint: "export without it" });
  const mode = text(n, "mode", "nearest");
  const method =
    own(words, mode) ??
    refuse(n, "mode is not one of ONNX's words", { expected: "nearest, linear or cubic", got: mode });
  const old = n.opset < 11;
  const coordinates = text(n, "coordinate_transformation_mode", "half_pixel");
  if (!relayModes.has(coordinates) && !ownModes.has(coordinates))
    refuse(n, "coordinate_transformation_mode is not one of ONNX's words", {
      expected: [...relayModes, ...ownModes].join(", "),
      got: coordinates,
    });
  return {
    method,
    mode: old ? "asymmetric" : coordinates,
    rounding: old ? "floor" : text(n, "nearest_mode", "round_prefer_floor"),
    cubic: float(n, "cubic_coeff_a", -0.75),
    exclude: int(n, "exclude_outside", 0) !== 0,
    outside: float(n, "extrapolation_value", 0),
  };
}

/** The one scale of all axes that keeps the aspect, null where each is stretched to its own size. */
function keptScale(n: OnnxNode, scales: readonly number[]): number | null {
  const policy = text(n, "keep_aspect_ratio_policy", "stretch");
  if (policy === "stretch") return null;
  if (policy === "not_larger") return Math.min(...scales);
  if (policy === "not_smaller") return Math.max(...scales);
  return refuse(n, "keep_aspect_ratio_policy is not one of ONNX's words", {
    expected: "stretch, not_larger or not_smaller",
    got: policy,
  });
}

/** Scales or sizes, by attribute (Upsample before 9) or by input. */
function axesOf(n: OnnxNode, shape: readonly number[]): readonly Axis[] {
  const scaleInput = optional(n, n.opset < 11 ? 1 : 2);
  const sizeInput = n.opset < 11 ? null : optional(n, 3);
  const given =
    floats(n, "scales") ?? (scaleInput === null ? null : numbersOf(valueOf(n, scaleInput, "the scales")));
  const sizes = sizeInput === null ? null : intsOf(n, sizeInput, "the sizes");
  const roiInput = n.opset < 11 ? null : optional(n, 1);
  const roi = roiInput === null ? [] : numbersOf(known(n, roiInput) ?? valueOf(n, roiInput, "the region"));
  if (sizes === null && (given === null || given.length === 0))
    return refuse(n, "neither scales nor sizes are given");
  const bySize = sizes !== null && sizes.length > 0;
  const listedAxes = ints(n, "axes")?.map((axis) => axisIn(n, axis, shape.length)) ?? null;
  const chosen = listedAxes ?? shape.map((_, axis) => axis);
  const values = bySize ? sizes : (given ?? []);
  if (values.length !== chosen.length)
    return refuse(n, "scales or sizes need one number an axis", {
      expected: `${chosen.length} numbers`,
      got: String(values.length),
    });
  const kept = bySize
    ? keptScale(
        n,
        chosen.map((axis, i) => (values[i] ?? 1) / at(shape, axis, "extent")),
      )
    : null;
  const list = shape.map((extent, axis) => values[chosen.indexOf(axis)] ?? (bySize ? extent : 1));
  return shape.map((extent, axis): Axis => {
    const wanted = at(list, axis, "scale or size");
    const place = chosen.indexOf(axis);
    const crop: readonly [number, number] =
      roi.length === 2 * chosen.length && place >= 0
        ? [at(roi, place, "begin of the region"), at(roi, place + chosen.length, "end of the region")]
        : [0, 1];
    if (kept !== null && place >= 0)
      return { extent, size: Math.floor(kept * extent + 0.5), scale: kept, crop };
    if (bySize) return { extent, size: wanted, scale: wanted / extent, crop };
    const cropped =
      text(n, "coordinate_transformation_mode", "") === "tf_crop_and_resize" ? crop[1] - crop[0] : 1;
    return { extent, size: Math.floor(extent * cropped * wanted), scale: wanted, crop };
  });
}

const resize: Importer = (n) => {
  const data = input(n, 0);
  if (!isStatic(n, data) || [1, 2, 3].some((i) => optional(n, i) !== null && known(n, input(n, i)) === null))
    return resizeDynamic(n, data);
  const shape = shapeOf(n, data);
  const axes = axesOf(n, shape);
  const how = resamplingOf(n);
  return (
    imageResize(n, data, axes, how) ??
    axes.reduce(
      (from, axis, i) => (identical(axis, how) ? from : resampleAxis(n, from, { axis: i, of: axis, how })),
      data,
    )
  );
};

/** Images whose extents only running tells: sizes, or scales times the shape. */
function resizeDynamic(n: OnnxNode, data: Expr): Expr {
  const how = resamplingOf(n);
  if (rankOf(n, data) !== 4 || !relayModes.has(how.mode) || has(n, "axes"))
    return refuse(
      n,
      "only images (batch, channels, height, width) can be resized without known shapes",
      dynamicInputs(data),
      "RS1823",
    );
  const sizes = n.opset < 11 ? null : optional(n, 3);
  const given = floats(n, "scales");
  const scales =
    given === null
      ? optional(n, n.opset < 11 ? 1 : 2)
      : constantOf(n, tensorData(float32, [given.length], Float32Array.from(given)));
  const scaledShape = (by: Expr): Expr =>
    cast(n, call(n, "floor", [multiply(n, cast(n, shapeVector(n, data), float32), by)]), int64);
  const whole =
    sizes !== null
      ? asInt64(n, sizes)
      : scaledShape(scales ?? refuse(n, "neither scales nor sizes are given"));
  const sized = (of: Expr, size: Expr): Expr =>
    call(n, "dyn.image.resize2d", [of, size], imageAttrs(how, "NCHW"));
  const images = sized(data, sliceAxis(n, whole, 0, [2, 4]));
  const kept = sizes === null ? scales !== null && keepsByScale(n, scales) : keepsBySize(n, data, sizes);
  if (kept) return images;
  // Batch and channels are axes like the others, resized as images of (batch, channels).
  const turned = call(n, "transpose", [images], { axes: [2, 3, 0, 1] });
  return call(n, "transpose", [sized(turned, sliceAxis(n, whole, 0, [0, 2]))], { axes: [2, 3, 0, 1] });
}

/** Whether the scales are known to leave batch and channels as they are. */
function keepsByScale(n: OnnxNode, scales: Expr): boolean {
  const value = known(n, scales);
  return (
    value !== null &&
    numbersOf(value)
      .slice(0, 2)
      .every((scale) => scale === 1)
  );
}

/**
 * Whether the sizes are known to leave batch and channels as they are: the same numbers, or read from the
 * data's shape.
 */
function keepsBySize(n: OnnxNode, data: Expr, sizes: Expr): boolean {
  const extents = extentsOf(n, data);
  const places = placesOf(n, sizes);
  return [0, 1].every((axis) => {
    const [extent, place] = [extents[axis], places?.[axis] ?? null];
    if (place === null || typeof place === "number") return place !== null && place === extent;
    return place.axis === axis && place.of === data;
  });
}

function imageAttrs(how: Resampling, layout: string): Attrs {
  const rest = { rounding_method: how.rounding, cubic_alpha: how.cubic, cubic_exclude: how.exclude ? 1 : 0 };
  return { layout, method: relayMethods[how.method], coordinate_transformation_mode: how.mode, ...rest };
}

function identical(axis: Axis, how: Resampling): boolean {
  return axis.extent === axis.size && axis.scale === 1 && how.mode !== "tf_crop_and_resize";
}

const relayMethods: Readonly<Record<Resampling["method"], string>> = {
  nearest: "nearest_neighbor",
  linear: "linear",
  cubic: "cubic",
};
/** Modes that Relay's resize does not know. */
const ownModes: ReadonlySet<string> = new Set(["tf_crop_and_resize", "half_pixel_symmetric"]);
const relayModes: ReadonlySet<string> = new Set([
  "half_pixel",
  "align_corners",
  "asymmetric",
  "pytorch_half_pixel",
  "tf_half_pixel_for_nn",
]);

/** image.resize1d, 2d or 3d where it means the same, else null. */
function imageResize(n: OnnxNode, data: Expr, axes: readonly Axis[], how: Resampling): Expr | null {
  const spatial = axes.slice(2);
  const suffix = spatial.length;
  const whole = spatial.every(
    ({ extent, size, scale }) => size >= 1 && Math.abs(extent * scale - size) < 1e-6 * size,
  );
  const plain = suffix >= 1 && suffix <= 3 && whole && axes.slice(0, 2).every((axis) => identical(axis, how));
  // With one element an axis, align_corners has nothing to align.
  const corners = how.mode === "align_corners" && spatial.some(({ size }) => size === 1);
  if (!plain || corners || !relayModes.has(how.mode)) return null;
  if (
    how.method === "nearest" &&
    how.mode !== "asymmetric" &&
    how.rounding === "round_prefer_floor" &&
    how.mode === "align_corners"
  )
    return null;
  return call(n, `image.resize${suffix}d`, [data], {
    size: spatial.map(({ size }) => size),
    ...imageAttrs(how, dimensioned(n, suffix).layout),
  });
}

/** Where in the source position `index` of the result lies. */
function coordinate(index: number, { extent, size, scale, crop }: Axis, mode: string): number {
  const half = (index + 0.5) / scale - 0.5;
  switch (mode) {
    case "half_pixel":
      return half;
    case "pytorch_half_pixel":
      return size > 1 ? half : 0;
    case "half_pixel_symmetric":
      return (extent / 2) * (1 - size / (scale * extent)) + half;
    case "align_corners":
      return size === 1 ? 0 : (index * (extent - 1)) / (size - 1);
    case "asymmetric":
      return index / scale;
    case "tf_half_pixel_for_nn":
      return (index + 0.5) / scale;
    case "tf_crop_and_resize":
      return size > 1
        ? crop[0] * (extent - 1) + (index * (crop[1] - crop[0]) * (extent - 1)) / (size - 1)
        : 0.5 * (crop[0] + crop[1]) * (extent - 1);
    default:
      return half;
  }
}

function nearest(x: number, rounding: string): number {
  switch (rounding) {
    case "floor":
      return Math.floor(x);
    case "ceil":
      return Math.ceil(x);
    case "round_prefer_ceil":
      return Math.floor(x + 0.5);
    default:
      return Math.ceil(x - 0.5);
  }
}

/** Elements (clamped to the axis) and weights of one position. */
function taps(x: number, extent: number, how: Resampling): readonly Tap[] {
  const clamp = (i: number): number => Math.min(Math.max(i, 0), extent - 1);
  if (how.method === "nearest") return [{ index: clamp(nearest(x, how.rounding)), weight: 1 }];
  const floor = Math.floor(x);
  const rest = x - floor;
  if (how.method === "linear")
    return [
      { index: clamp(floor), weight: 1 - rest },
      { index: clamp(floor + 1), weight: rest },
    ];
  const a = how.cubic;
  const near = (d: number): number => ((a + 2) * d - (a + 3)) * d * d + 1;
  const far = (d: number): number => ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  const weights = [far(1 + rest), near(rest), near(1 - rest), far(2 - rest)];
  const kept = weights.map((weight, i) =>
    how.exclude && (floor - 1 + i < 0 || floor - 1 + i >= extent) ? 0 : weight,
  );
  const sum = how.exclude ? kept.reduce((p, q) => p + q, 0) : 1;
  return kept.map((weight, i) => ({ index: clamp(floor - 1 + i), weight: weight / sum }));
}

/** An element that a result is made of, and how much of it. */
interface Tap {
  readonly index: number;
  readonly weight: number;
}

interface AxisPlan {
  readonly axis: number;
  readonly of: Axis;
  readonly how: Resampling;
}

function resampleAxis(n: OnnxNode, data: Expr, { axis, of, how }: AxisPlan): Expr {
  const rows = Array.from({ length: of.size }, (_, i) => {
    const x = coordinate(i, of, how.mode);
    const outside = how.mode === "tf_crop_and_resize" && (x < 0 || x > of.extent - 1);
    return { taps: taps(x, of.extent, how), outside };
  });
  const rank = shapeOf(n, data).length;
  const weight = (values: readonly number[]): Expr => {
    const vector = constantOf(
      n,
      tensorData(
        float32,
        [values.length, ...Array.from({ length: rank - 1 - axis }, () => 1)],
        Float32Array.from(values),
        "folded",
      ),
    );
    return cast(n, vector, dtypeOf(n, data));
  };
  const parts = listed(n, rows, 0, "elements along an axis").taps.map((_, tap) => {
    const column = rows.map((row) => ({ ...at(row.taps, tap, "tap"), outside: row.outside }));
    const picked = call(
      n,
      "take",
      [
        data,
        int64sOf(
          n,
          column.map(({ index }) => index),
        ),
      ],
      { axis, mode: "clip" },
    );
    const weights = column.map((entry) => (entry.outside ? 0 : entry.weight));
    return weights.every((value) => value === 1) ? picked : multiply(n, picked, weight(weights));
  });
  const sum = parts.reduce((a, b) => add(n, a, b));
  return rows.some(({ outside }) => outside) && how.outside !== 0
    ? add(n, sum, weight(rows.map(({ outside }) => (outside ? how.outside : 0))))
    : sum;
}

export const resizeOps: readonly OnnxOp[] = [
  onnxOp("Resize", resize, { since: 10, values: [1, 2, 3] }),
  onnxOp("Upsample", resize, { values: [1] }),
];
