// Sampling positions of an affine map.  TVM: src/relay/op/image/grid_sample.cc (AffineGridRel),
// python/tvm/topi/image/grid_sample.py
import { at, first } from "../../../support/assert.ts";
import { ints } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { add, cast, imm, intImm, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { affineGridShape } from "../_shape-funcs/image.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, intsAttr, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export const affineGrid = defineOp({
  name: "image.affine_grid",
  inputs: ["data"],
  attrs: { target_shape: ints({ doc: "Height and width of the grid, each at least 2." }) },
  attrsKey: "relay.attrs.AffineGridAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "image.affine_grid");
    const type = tensorArg(cx, "data", data);
    const size = intsAttr(cx, "target_shape", attrs.target_shape, { lengths: [2], least: 2 });
    if (type === null || size === null || !acceptsDType(cx, "data", type, "float")) return null;
    if (type.shape.length === 3 && shapesMatch(cx, type.shape.slice(1), [2, 3]))
      return tensorType([first(type.shape, "input axis"), 2, ...size], type.dtype);
    return t.error("RS2105", "image.affine_grid: argument `data` does not hold affine maps", {
      expected: "shape (batch, 2, 3)",
      got: printType(type),
    });
  },
  compute: ({ data }, { target_shape: size }, cx) => {
    const { dtype } = data;
    const step = size.map((extent) => (2 - 1e-7) / (extent - 1));
    return compute(
      outExtents(cx),
      ([n, dim, i, j]) => {
        const y = add(imm(-1, dtype), mul(cast(i!, dtype), imm(first(step, "step"), dtype)));
        const x = add(imm(-1, dtype), mul(cast(j!, dtype), imm(at(step, 1, "step"), dtype)));
        const place = (k: number) => data.at(n!, dim!, intImm(k));
        return add(add(mul(place(0), x), mul(place(1), y)), place(2));
      },
      { name: "affine_grid", tag: "affine_grid", origin: cx.origin },
    );
  },
  shapeFunc: affineGridShape,
  schedule: injectiveRecipe,
  doc: "For every batch element's 2x3 matrix the image of a regular grid on [-1, 1] x [-1, 1]: x positions, then y positions.",
  examples: [{ name: "3x4", args: ["Tensor[(2, 2, 3), float32]"], attrs: { target_shape: [3, 4] } }],
});
