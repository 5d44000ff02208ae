// Boxes cut out of images and resampled.  TVM: src/relay/op/image/resize.cc (CropAndResizeRel),
// python/tvm/topi/image/resize.py (crop_and_resize)
import { at, first, present, tuple } from "../../../support/assert.ts";
import { dtypeAttr, float, optionalInts, text } from "../../ir/attrs.ts";
import { float32, int32 } from "../../ir/dtype.ts";
import { axisOf, knownLayout } from "../../ir/layout.ts";
import { printType, tensorType, type Dim } from "../../ir/type.ts";
import {
  constInt,
  add,
  cast,
  div,
  floatImm,
  gt,
  ifThenElse,
  intImm,
  lt,
  max,
  min,
  mul,
  or,
  sub,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { withIndices } from "../../topi/indexing.ts";
import { inRange } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { boxesShape } from "../_shape-funcs/image.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, checkRank, dtypeOf, intsAttr, oneOf, tensorArg } from "../_shared/type-helpers.ts";

const real = (value: number): PrimExpr => floatImm(value, float32);

export const cropAndResize = defineOp({
  name: "image.crop_and_resize",
  inputs: ["data", "boxes", "box_indices"],
  attrs: {
    crop_size: optionalInts({ default: null, doc: "Height and width of the result." }),
    layout: text({ default: "NCHW", doc: '"NCHW" or "NHWC".' }),
    method: text({ default: "bilinear", doc: '"bilinear" or "nearest_neighbor".' }),
    extrapolation_value: float({ default: 0, doc: "What lies outside the image." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result; empty means that of the data." }),
  },
  attrsKey: "relay.attrs.CropAndResizeAttrs",
  pattern: "injective",
  type: (args, attrs, t) => {
    const cx = asker(t, "image.crop_and_resize");
    const data = tensorArg(cx, "data", args.data);
    const boxes = tensorArg(cx, "boxes", args.boxes);
    const which = tensorArg(cx, "box_indices", args.box_indices);
    const size = intsAttr(cx, "crop_size", attrs.crop_size, { lengths: [2], least: 1 });
    if (
      data === null ||
      boxes === null ||
      which === null ||
      size === null ||
      !checkRank(cx, "data", data, [4]) ||
      !checkRank(cx, "boxes", boxes, [2])
    )
      return null;
    if (
      !oneOf(cx, "layout", attrs.layout, ["NCHW", "NHWC"]) ||
      !oneOf(cx, "method", attrs.method, ["bilinear", "nearest_neighbor"])
    )
      return null;
    if (
      !acceptsDType(cx, "boxes", boxes, "float") ||
      !acceptsDType(cx, "box_indices", which, "integer") ||
      !checkRank(cx, "box_indices", which, [1])
    )
      return null;
    const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, data.dtype);
    if (dtype === null) return null;
    if (
      !t.dimEqual(at(boxes.shape, 1, "boxes axis"), 4) ||
      !t.dimEqual(first(boxes.shape, "boxes axis"), first(which.shape, "box_indices axis"))
    ) {
      return t.error("RS2105", "image.crop_and_resize: boxes and box_indices do not fit", {
        expected: "boxes (n, 4) and box_indices (n)",
        got: `${printType(boxes)} and ${printType(which)}`,
      });
    }
    const layout = knownLayout(attrs.layout, "NCHW");
    const shape: Dim[] = [...data.shape];
    [first(boxes.shape, "boxes axis"), ...size].forEach((dim, i) => {
      shape[axisOf(layout, at("NHW", i, "letter of a box's extents"))] = dim;
    });
    return tensorType(shape, dtype);
  },
  compute: ({ data, boxes, box_indices: which }, attrs, cx) => {
    const layout = knownLayout(attrs.layout, "NCHW");
    const axes = [axisOf(layout, "H"), axisOf(layout, "W")];
    const batch = axisOf(layout, "N");
    return compute(
      outExtents(cx),
      (i) => {
        const box = at(i, batch, "index");
        const image = inRange(which.at(box), at(data.shape, batch, "data axis"), "clip");
        const places = axes.map((axis, d) => {
          const span = cast(sub(at(data.shape, axis, "data axis"), 1), float32);
          const end = (k: number): PrimExpr => cast(boxes.at(box, intImm(k)), float32);
          const [from, to] = [end(d), end(d + 2)];
          const size = at(present(attrs.crop_size, "crop_size"), d, "crop_size");
          // one row or column is taken from the middle of the box
          return size > 1
            ? add(
                mul(from, span),
                mul(div(mul(span, sub(to, from)), real(size - 1)), cast(at(i, axis, "index"), float32)),
              )
            : mul(mul(add(from, to), real(0.5)), span);
        });
        const pixel = (y: PrimExpr, x: PrimExpr): PrimExpr =>
          cast(
            data.at(
              ...withIndices(
                i,
                new Map([
                  [batch, image],
                  [
                    first(axes, "spatial axis"),
                    max(min(y, sub(at(data.shape, first(axes, "spatial axis"), "data axis"), 1)), 0),
                  ],
                  [
                    at(axes, 1, "spatial axis"),
                    max(min(x, sub(at(data.shape, at(axes, 1, "spatial axis"), "data axis"), 1)), 0),
                  ],
                ]),
              ),
            ),
            float32,
          );
        const [y, x] = tuple(places, 2, "place in the image");
        const outside = places
          .map((place, d) =>
            or(
              lt(place, real(0)),
              gt(place, cast(sub(at(data.shape, at(axes, d, "spatial axis"), "data axis"), 1), float32)),
            ),
          )
          .reduce((a, b) => or(a, b));
        const rest = real(attrs.extrapolation_value);
        // No image has what a box shows.
        if (data.shape.some((extent) => constInt(extent) === 0)) return cast(rest, cx.outType.dtype);
        const value =
          attrs.method === "bilinear"
            ? bilinear(pixel, y, x)
            : pixel(cast(unary("tir.round", y), int32), cast(unary("tir.round", x), int32));
        return cast(ifThenElse(outside, rest, value), cx.outType.dtype);
      },
      { name: "crop_and_resize", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: boxesShape("crop_size"),
  schedule: injectiveRecipe,
  doc: "For every box (top, left, bottom, right in parts of the image) of the image that box_indices names, a crop resampled to `crop_size`.",
  examples: [
    {
      name: "bilinear",
      args: ["Tensor[(2, 3, 6, 6), float32]", "Tensor[(4, 4), float32]", "Tensor[(4), int32]"],
      attrs: { crop_size: [3, 4] },
    },
    {
      name: "nearest, NHWC",
      args: ["Tensor[(1, 5, 6, 2), float32]", "Tensor[(2, 4), float32]", "Tensor[(2), int32]"],
      attrs: { crop_size: [2, 2], layout: "NHWC", method: "nearest_neighbor", extrapolation_value: -1 },
    },
  ],
});

function bilinear(pixel: (y: PrimExpr, x: PrimExpr) => PrimExpr, y: PrimExpr, x: PrimExpr): PrimExpr {
  const whole = (value: PrimExpr): PrimExpr => cast(unary("tir.floor", value), int32);
  const [y0, x0] = [whole(y), whole(x)];
  const [fy, fx] = [sub(y, cast(y0, float32)), sub(x, cast(x0, float32))];
  const mix = (a: PrimExpr, b: PrimExpr, t: PrimExpr): PrimExpr => add(mul(a, sub(real(1), t)), mul(b, t));
  return mix(
    mix(pixel(y0, x0), pixel(y0, add(x0, 1)), fx),
    mix(pixel(add(y0, 1), x0), pixel(add(y0, 1), add(x0, 1)), fx),
    fy,
  );
}
