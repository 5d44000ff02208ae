// Bilinear samples of regions.  TVM: src/relay/op/vision/rcnn_op.cc (ROIAlignRel),
// python/tvm/topi/vision/rcnn/roi_align.py
import { int, text } from "../../ir/attrs.ts";
import { mostSamples } from "../../limits.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { roiAlign as roiAlignCompute } from "../../topi/roi.ts";
import { defineOp } from "../define.ts";
import { boxesShape } from "../_shape-funcs/image.ts";
import { asker, oneOf } from "../_shared/type-helpers.ts";
import { roiBins, roiLayout, roiRelation, roiSpec } from "./roi-op.ts";

export const roiAlign = defineOp({
  name: "vision.roi_align",
  inputs: ["data", "rois"],
  attrs: {
    ...roiBins,
    sample_ratio: int({ default: -1, doc: "Samples along each axis of a bin; below 1: about one a pixel." }),
    layout: roiLayout,
    mode: text({ default: "avg", doc: '"avg" or "max" of the samples.' }),
  },
  attrsKey: "relay.attrs.ROIAlignAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, rois }, attrs, t) => {
    const cx = asker(t, "vision.roi_align");
    const type = roiRelation(cx, { data, rois }, attrs);
    if (type === null || !oneOf(cx, "mode", attrs.mode, ["avg", "max"])) return null;
    if (attrs.sample_ratio <= mostSamples) return type;
    return t.error("RS2108", "vision.roi_align: attribute `sample_ratio` is not usable", {
      expected: `at most ${mostSamples} samples along an axis of a bin`,
      got: String(attrs.sample_ratio),
      hint: "-1 takes about one sample a pixel",
    });
  },
  compute: ({ data, rois }, attrs, cx) =>
    roiAlignCompute(
      data,
      rois,
      { ...roiSpec(attrs), mode: attrs.mode as "avg" | "max", samples: attrs.sample_ratio },
      cx.origin,
    ),
  shapeFunc: boxesShape("pooled_size"),
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "Divides every region (batch, left, top, right, bottom) into bins and gives the average, or maximum, of bilinear samples of each bin.",
  examples: [
    {
      name: "two samples",
      args: ["Tensor[(1, 2, 6, 6), float32]", "Tensor[(3, 5), float32]"],
      attrs: { pooled_size: [2, 2], spatial_scale: 1, sample_ratio: 2 },
    },
    {
      name: "NHWC, maximum",
      args: ["Tensor[(1, 6, 5, 2), float32]", "Tensor[(2, 5), float32]"],
      attrs: { pooled_size: [2, 3], spatial_scale: 0.5, layout: "NHWC", mode: "max" },
    },
  ],
});
