// Enlarging a volume.  TVM: src/relay/op/nn/upsampling.cc (UpSampling3DRel), python/tvm/topi/nn/upsampling.py
import { at, present } from "../../../support/assert.ts";
import { float, text } from "../../ir/attrs.ts";
import { axisOf, fromPlainShape, toPlainShape, knownLayout } from "../../ir/layout.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { resize, type CoordinateMode, type ResizeSpec } from "../../topi/resize.ts";
import type { Tensor } from "../../te/tensor.ts";
import { fitsLayout, layoutAttr } from "./conv/conv-types.ts";
import { defineOp, type ComputeContext } from "../define.ts";
import { upsamplingShape } from "../_shape-funcs/image.ts";
import { asker, mapDim, oneOf, requiredAttr, tensorArg, type Asker } from "../_shared/type-helpers.ts";

const methods: Readonly<Record<string, ResizeSpec["method"]>> = {
  nearest_neighbor: "nearest_neighbor",
  trilinear: "linear",
};
const modes: readonly CoordinateMode[] = ["half_pixel", "align_corners", "asymmetric"];

export const upsampling3dAttrs = {
  scale_d: float({ doc: "Factor for the depth." }),
  scale_h: float({ doc: "Factor for the height." }),
  scale_w: float({ doc: "Factor for the width." }),
  layout: text({ default: "NCDHW", doc: "Order of the axes." }),
  method: text({ default: "nearest_neighbor", doc: '"nearest_neighbor" or "trilinear".' }),
  coordinate_transformation_mode: text({
    default: "half_pixel",
    doc: "Where in the source a position of the result lies, as ONNX Resize says.",
  }),
};

interface Upsampling3dAttrs {
  readonly layout: string;
  readonly method: string;
  readonly coordinate_transformation_mode: string;
}

/** Whether the words among the attributes are known; false after reporting. */
export function checkWords(cx: Asker, attrs: Upsampling3dAttrs): boolean {
  return (
    oneOf(cx, "method", attrs.method, Object.keys(methods)) &&
    oneOf(cx, "coordinate_transformation_mode", attrs.coordinate_transformation_mode, modes)
  );
}

/** `data` enlarged to the extents of the result's type. */
export function upsample3d(data: Tensor, attrs: Upsampling3dAttrs, cx: ComputeContext): Tensor {
  const layout = knownLayout(attrs.layout, "NCDHW");
  const axes = ["D", "H", "W"].map((letter) => axisOf(layout, letter));
  return resize(
    data,
    {
      method: present(methods[attrs.method], "method"),
      axes,
      size: axes.map((axis) => Number(cx.outType.shape[axis])),
      mode: attrs.coordinate_transformation_mode as CoordinateMode,
      rounding: "",
      cubicAlpha: -0.5,
      cubicExclude: false,
      outDType: data.dtype,
    },
    cx.origin,
  );
}

export const upsampling3d = defineOp({
  name: "nn.upsampling3d",
  inputs: ["data"],
  attrs: upsampling3dAttrs,
  attrsKey: "relay.attrs.UpSampling3DAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.upsampling3d");
    const type = tensorArg(cx, "data", data);
    const layout = layoutAttr(cx, "layout", attrs.layout, "NCDHW");
    if (type === null || layout === null || !fitsLayout(cx, "data", type, layout)) return null;
    if (!checkWords(cx, attrs)) return null;
    const scales = [
      requiredAttr(cx, "scale_d", attrs.scale_d),
      requiredAttr(cx, "scale_h", attrs.scale_h),
      requiredAttr(cx, "scale_w", attrs.scale_w),
    ].filter((scale) => scale !== null);
    if (scales.length < 3) return null;
    const dims = toPlainShape(type.shape, layout, "NCDHW").map((dim, i) =>
      i < 2 ? dim : mapDim(dim, (n) => Math.floor(n * at(scales, i - 2, "scale") + 0.5)),
    );
    if (dims.every((dim) => typeof dim !== "number" || dim >= 1))
      return tensorType(fromPlainShape(dims, layout, "NCDHW"), type.dtype);
    return t.error("RS2108", "nn.upsampling3d: the factors leave no element", {
      expected: "factors that give at least one element an axis",
      got: scales.join(", "),
    });
  },
  compute: ({ data }, attrs, cx) => upsample3d(data, attrs, cx),
  shapeFunc: upsamplingShape("DHW", ["scale_d", "scale_h", "scale_w"]),
  schedule: injectiveRecipe,
  doc: "Enlarges a volume by the factors, by nearest neighbour or trilinear interpolation.",
  examples: [
    {
      name: "nearest",
      args: ["Tensor[(1, 2, 2, 3, 2), float32]"],
      attrs: { scale_d: 2, scale_h: 2, scale_w: 2, coordinate_transformation_mode: "asymmetric" },
    },
    {
      name: "trilinear",
      args: ["Tensor[(1, 1, 2, 3, 2), float32]"],
      attrs: { scale_d: 2, scale_h: 1.5, scale_w: 2, method: "trilinear" },
    },
  ],
});
