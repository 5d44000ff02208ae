// An image sampled at given positions.  TVM: src/relay/op/image/grid_sample.cc (GridSampleRel),
// python/tvm/topi/image/grid_sample.py
import { at, first } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { float32, int32 } from "../../ir/dtype.ts";
import { printType, tensorType } from "../../ir/type.ts";
import {
  add,
  all,
  cast,
  div,
  floatImm,
  ge,
  ifThenElse,
  imm,
  intImm,
  lt,
  mul,
  sub,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { gridSampleShape } from "../_shape-funcs/image.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, checkRank, oneOf, tensorArg } from "../_shared/type-helpers.ts";

export const gridSample = defineOp({
  name: "image.grid_sample",
  inputs: ["data", "grid"],
  attrs: {
    method: text({ default: "bilinear", doc: '"bilinear".' }),
    layout: text({ default: "NCHW", doc: '"NCHW".' }),
  },
  attrsKey: "relay.attrs.GridSampleAttrs",
  pattern: "injective",
  type: ({ data, grid }, attrs, t) => {
    const cx = asker(t, "image.grid_sample");
    const image = tensorArg(cx, "data", data);
    const places = tensorArg(cx, "grid", grid);
    if (
      image === null ||
      places === null ||
      !checkRank(cx, "data", image, [4]) ||
      !checkRank(cx, "grid", places, [4])
    )
      return null;
    if (!oneOf(cx, "method", attrs.method, ["bilinear"]) || !oneOf(cx, "layout", attrs.layout, ["NCHW"]))
      return null;
    if (!acceptsDType(cx, "data", image, "float") || !acceptsDType(cx, "grid", places, "float")) return null;
    if (
      t.dimEqual(first(image.shape, "image axis"), first(places.shape, "grid axis")) &&
      t.dimEqual(at(places.shape, 1, "grid axis"), 2)
    )
      return tensorType(
        [
          first(image.shape, "image axis"),
          at(image.shape, 1, "image axis"),
          at(places.shape, 2, "grid axis"),
          at(places.shape, 3, "grid axis"),
        ],
        image.dtype,
      );
    return t.error("RS2105", "image.grid_sample: argument `grid` does not fit `data`", {
      expected: `shape (batch, 2, height, width) with the batch of ${printType(image)}`,
      got: printType(places),
    });
  },
  compute: ({ data, grid }, _, cx) => {
    const [height, width] = [at(data.shape, 2, "data axis"), at(data.shape, 3, "data axis")];
    const pixel = (n: PrimExpr, c: PrimExpr, h: PrimExpr, w: PrimExpr): PrimExpr =>
      ifThenElse(
        all([ge(h, 0), ge(w, 0), lt(h, height), lt(w, width)]),
        cast(data.at(n, c, h, w), float32),
        imm(0, float32),
      );
    return compute(
      outExtents(cx),
      ([n, c, h, w]) => {
        const place = (k: number, extent: PrimExpr): PrimExpr =>
          div(
            mul(
              add(cast(grid.at(n!, intImm(k), h!, w!), float32), floatImm(1, float32)),
              cast(sub(extent, 1), float32),
            ),
            floatImm(2, float32),
          );
        const [x, y] = [place(0, width), place(1, height)];
        const whole = (value: PrimExpr): PrimExpr => cast(unary("tir.floor", value), int32);
        const [x0, y0] = [whole(x), whole(y)];
        const [fx, fy] = [sub(x, cast(x0, float32)), sub(y, cast(y0, float32))];
        const one = floatImm(1, float32);
        const term = (py: PrimExpr, px: PrimExpr, wy: PrimExpr, wx: PrimExpr): PrimExpr =>
          mul(mul(pixel(n!, c!, py, px), wy), wx);
        const value = add(
          add(
            add(term(y0, x0, sub(one, fy), sub(one, fx)), term(y0, add(x0, 1), sub(one, fy), fx)),
            term(add(y0, 1), x0, fy, sub(one, fx)),
          ),
          term(add(y0, 1), add(x0, 1), fy, fx),
        );
        return cast(value, data.dtype);
      },
      { name: "grid_sample", tag: "grid_sample", origin: cx.origin },
    );
  },
  shapeFunc: gridSampleShape,
  schedule: injectiveRecipe,
  doc: "Bilinear samples of an image at the positions (x, y) in `grid`, where -1 and 1 are the middles of the edge pixels; 0 outside.",
  examples: [{ name: "3x2", args: ["Tensor[(2, 3, 4, 5), float32]", "Tensor[(2, 2, 3, 2), float32]"] }],
});
