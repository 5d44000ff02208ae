// nn.upsampling with factors given as tensors; with a constant it becomes nn.upsampling.
// TVM: src/relay/op/dyn/nn/upsampling.cc (UpSamplingRel)
import { only } from "../../../support/assert.ts";
import { axisOf } from "../../ir/layout.ts";
import { anyDim, tensorType, type Dim } from "../../ir/type.ts";
import { fitsLayout, layoutAttr } from "../nn/conv/conv-types.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { dynUpsamplingShape } from "../_shape-funcs/image.ts";
import { upsample, upsamplingAttrs, upsamplingMethods } from "../nn/upsampling.ts";
import { asker, checkRank, oneOf, tensorArg } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin } from "./dyn-op.ts";

export const dynUpsampling = defineOp({
  name: "dyn.nn.upsampling",
  inputs: ["data", "scale_h", "scale_w"],
  attrs: upsamplingAttrs,
  attrsKey: "relay.attrs.UpSamplingAttrs",
  pattern: "injective",
  type: (args, attrs, t) => {
    const cx = asker(t, "dyn.nn.upsampling");
    const type = tensorArg(cx, "data", args.data);
    const layout = layoutAttr(cx, "layout", attrs.layout, "NCHW");
    const scales = [tensorArg(cx, "scale_h", args.scale_h), tensorArg(cx, "scale_w", args.scale_w)];
    if (type === null || layout === null || !fitsLayout(cx, "data", type, layout)) return null;
    if (!scales.every((scale) => scale !== null && checkRank(cx, "scale", scale, [0]))) return null;
    if (!oneOf(cx, "method", attrs.method, upsamplingMethods)) return null;
    const shape: Dim[] = [...type.shape];
    for (const letter of ["H", "W"]) shape[axisOf(layout, letter)] = anyDim;
    return tensorType(shape, type.dtype);
  },
  compute: ({ data }, attrs, cx) => upsample(data, attrs, cx),
  shapeFunc: dynUpsamplingShape("HW"),
  schedule: injectiveRecipe,
  toStatic: staticTwin("nn.upsampling", {
    args: ["data"],
    constants: ["scale_h", "scale_w"],
    attrs: ({ scale_h: h, scale_w: w }, attrs) => ({
      ...othersOf(attrs, "scale_h", "scale_w"),
      scale_h: only(h, "scale_h"),
      scale_w: only(w, "scale_w"),
    }),
  }),
  doc: "nn.upsampling with the factors as arguments.",
  examples: [
    {
      name: "image",
      args: ["Tensor[(1, 2, 4, 4), float32]", "float32", "float32"],
      attrs: { scale_h: 1, scale_w: 1 },
      values: { 1: [2], 2: [1.5] },
      results: ["Tensor[(1, 2, 8, 6), float32]"],
    },
  ],
});
