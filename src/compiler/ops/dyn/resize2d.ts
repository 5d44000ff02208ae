// image.resize2d with a size given as a tensor; with a constant it becomes image.resize2d.
// TVM: src/relay/op/dyn/image/resize.cc (ResizeRel)
import { axisOf, knownLayout } from "../../ir/layout.ts";
import { anyDim, printType, tensorType, type Dim } from "../../ir/type.ts";
import { fitsLayout, layoutAttr } from "../nn/conv/conv-types.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { dynResizeShape } from "../_shape-funcs/image.ts";
import { resample, resizeAttrs, samplingFits } from "../image/resize.ts";
import { asker, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin, vectorLength } from "./dyn-op.ts";

export const dynResize2d = defineOp({
  name: "dyn.image.resize2d",
  inputs: ["data", "size"],
  attrs: resizeAttrs("HW"),
  attrsKey: "relay.attrs.Resize2DAttrs",
  pattern: "injective",
  type: ({ data, size }, attrs, t) => {
    const cx = asker(t, "dyn.image.resize2d");
    const type = tensorArg(cx, "data", data);
    const layout = layoutAttr(cx, "layout", attrs.layout, "NCHW");
    // TVM's own tests give the size in floats.
    const count = vectorLength(cx, "size", size, "any");
    if (type === null || layout === null || count === null) return null;
    if (!fitsLayout(cx, "data", type, layout) || !samplingFits(cx, attrs, type, "HW")) return null;
    if (count !== 2)
      return t.error("RS2105", "dyn.image.resize2d: argument `size` does not fit", {
        expected: "a vector of two elements, height and width",
        got: printType(size),
      });
    const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, type.dtype);
    const shape: Dim[] = [...type.shape];
    for (const letter of ["H", "W"]) shape[axisOf(knownLayout(attrs.layout, "NCHW"), letter)] = anyDim;
    // TVM's layouts forget the dimensions that stand where NCHW has the unknown ones, too.
    shape.fill(anyDim, 2, 4);
    return dtype === null ? null : tensorType(shape, dtype);
  },
  compute: ({ data }, attrs, cx) => resample(data, attrs, "HW", cx),
  shapeFunc: dynResizeShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("image.resize2d", {
    args: ["data"],
    constants: ["size"],
    attrs: ({ size }, attrs) => ({ ...othersOf(attrs, "size"), size }),
  }),
  doc: "image.resize2d with the size as the second argument.",
  examples: [
    {
      name: "image",
      args: ["Tensor[(1, 2, 4, 4), float32]", "Tensor[(2), int64]"],
      values: { 1: [3, 7] },
      results: ["Tensor[(1, 2, 3, 7), float32]"],
    },
  ],
});
