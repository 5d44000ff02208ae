// Maximum of regions.  TVM: src/relay/op/vision/rcnn_op.cc (ROIPoolRel),
// python/tvm/topi/vision/rcnn/roi_pool.py
import { at, first } from "../../../support/assert.ts";
import { float, ints, text } from "../../ir/attrs.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { roiPool as roiPoolCompute } from "../../topi/roi.ts";
import { defineOp } from "../define.ts";
import { boxesShape } from "../_shape-funcs/image.ts";
import { asker } from "../_shared/type-helpers.ts";
import { roiRelation } from "./roi-op.ts";

export const roiPool = defineOp({
  name: "vision.roi_pool",
  inputs: ["data", "rois"],
  attrs: {
    pooled_size: ints({ doc: "Height and width of the result." }),
    spatial_scale: float({ doc: "Factor from the regions' coordinates to pixels of data." }),
    layout: text({ default: "NCHW", doc: '"NCHW" or "NHWC".' }),
  },
  attrsKey: "relay.attrs.ROIPoolAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, rois }, attrs, t) => roiRelation(asker(t, "vision.roi_pool"), { data, rois }, attrs),
  compute: ({ data, rois }, attrs, cx) =>
    roiPoolCompute(
      data,
      rois,
      {
        layout: attrs.layout as "NCHW" | "NHWC",
        pooled: [first(attrs.pooled_size, "pooled_size"), at(attrs.pooled_size, 1, "pooled_size")],
        scale: attrs.spatial_scale,
      },
      cx.origin,
    ),
  shapeFunc: boxesShape("pooled_size"),
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "Divides every region (batch, left, top, right, bottom) into bins of whole pixels and gives the maximum of each bin, 0 where it is empty.",
  examples: [
    {
      name: "2x2",
      args: ["Tensor[(1, 2, 6, 6), float32]", "Tensor[(3, 5), float32]"],
      attrs: { pooled_size: [2, 2], spatial_scale: 1 },
    },
  ],
});
