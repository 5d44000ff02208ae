// As many elements as another tensor has.  TVM: src/relay/op/tensor/transform.cc (SliceLikeRel)
import { at } from "../../../support/assert.ts";
import { optionalInts } from "../../ir/attrs.ts";
import { printType, tensorType, type Dim } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sliceLikeShape } from "../_shape-funcs/transform.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, axesArg, tensorArg } from "../_shared/type-helpers.ts";

export const sliceLike = defineOp({
  name: "slice_like",
  inputs: ["data", "shape_like"],
  attrs: { axes: optionalInts({ doc: "Axes that are cut; None means all that both have." }) },
  attrsKey: "relay.attrs.SliceLikeAttrs",
  pattern: "injective",
  type: ({ data, shape_like: like }, attrs, t) => {
    const cx = asker(t, "slice_like");
    const type = tensorArg(cx, "data", data);
    const other = tensorArg(cx, "shape_like", like);
    if (type === null || other === null) return null;
    const axes =
      attrs.axes === null
        ? type.shape.map((_, i) => i).filter((i) => i < other.shape.length)
        : axesArg(cx, attrs.axes, type.shape.length, "axes");
    if (axes === null) return null;
    if (attrs.axes?.length === 0)
      return t.error("RS2108", "slice_like: attribute `axes` is not usable", {
        expected: "at least one axis, or None for all",
        got: "[]",
      });
    const shape: Dim[] = [...type.shape];
    for (const axis of axes) {
      const to = other.shape[axis];
      const from = at(shape, axis, "input axis");
      if (to === undefined || (typeof to === "number" && typeof from === "number" && to > from)) {
        return t.error(
          "RS2111",
          `slice_like: axis ${axis} of \`data\` cannot be cut to that of \`shape_like\``,
          { expected: `an extent of at most that of ${printType(type)}`, got: printType(other) },
        );
      }
      shape[axis] = to;
    }
    return tensorType(shape, type.dtype);
  },
  compute: ({ data }, _, cx) =>
    compute(outExtents(cx), (i) => data.at(...i), {
      name: "T_strided_slice",
      tag: "injective",
      origin: cx.origin,
    }),
  shapeFunc: sliceLikeShape,
  schedule: injectiveRecipe,
  doc: "The first elements of data along the axes, as many as the second argument has there.",
  examples: [
    { name: "all axes", args: ["Tensor[(3, 4), float32]", "Tensor[(2, 3), float32]"] },
    { name: "one axis", args: ["Tensor[(3, 4), float32]", "Tensor[(9, 2), float32]"], attrs: { axes: [-1] } },
  ],
});
