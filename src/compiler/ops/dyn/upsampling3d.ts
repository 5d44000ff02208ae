// nn.upsampling3d with factors given as tensors; with constants it becomes nn.upsampling3d.
// TVM: src/relay/op/dyn/nn/upsampling.cc (UpSampling3DRel)
import { only } from "../../../support/assert.ts";
import { axisOf } from "../../ir/layout.ts";
import { anyDim, tensorType, type Dim } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { fitsLayout, layoutAttr } from "../nn/conv/conv-types.ts";
import { defineOp } from "../define.ts";
import { checkWords, upsample3d, upsampling3dAttrs } from "../nn/upsampling3d.ts";
import { dynUpsamplingShape } from "../_shape-funcs/image.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin } from "./dyn-op.ts";

export const dynUpsampling3d = defineOp({
  name: "dyn.nn.upsampling3d",
  inputs: ["data", "scale_d", "scale_h", "scale_w"],
  attrs: upsampling3dAttrs,
  attrsKey: "relay.attrs.UpSampling3DAttrs",
  pattern: "injective",
  type: (args, attrs, t) => {
    const cx = asker(t, "dyn.nn.upsampling3d");
    const type = tensorArg(cx, "data", args.data);
    const layout = layoutAttr(cx, "layout", attrs.layout, "NCDHW");
    const scales = [
      tensorArg(cx, "scale_d", args.scale_d),
      tensorArg(cx, "scale_h", args.scale_h),
      tensorArg(cx, "scale_w", args.scale_w),
    ];
    if (
      type === null ||
      layout === null ||
      !scales.every((scale) => scale !== null && checkRank(cx, "scale", scale, [0])) ||
      !fitsLayout(cx, "data", type, layout) ||
      !checkWords(cx, attrs)
    )
      return null;
    const shape: Dim[] = [...type.shape];
    for (const letter of ["D", "H", "W"]) shape[axisOf(layout, letter)] = anyDim;
    return tensorType(shape, type.dtype);
  },
  compute: ({ data }, attrs, cx) => upsample3d(data, attrs, cx),
  shapeFunc: dynUpsamplingShape("DHW"),
  schedule: injectiveRecipe,
  toStatic: staticTwin("nn.upsampling3d", {
    args: ["data"],
    constants: ["scale_d", "scale_h", "scale_w"],
    attrs: ({ scale_d: d, scale_h: h, scale_w: w }, attrs) => ({
      ...othersOf(attrs, "scale_d", "scale_h", "scale_w"),
      scale_d: only(d, "scale_d"),
      scale_h: only(h, "scale_h"),
      scale_w: only(w, "scale_w"),
    }),
  }),
  doc: "nn.upsampling3d with the factors as arguments.",
  examples: [
    {
      name: "volume",
      args: ["Tensor[(1, 2, 2, 3, 2), float32]", "float32", "float32", "float32"],
      attrs: { scale_d: 1, scale_h: 1, scale_w: 1 },
      values: { 1: [2], 2: [1], 3: [1.5] },
      results: ["Tensor[(1, 2, 4, 3, 3), float32]"],
    },
  ],
});
