// Maximum of regions.  TVM: src/relay/op/vision/rcnn_op.cc (ROIPoolRel),
// python/tvm/topi/vision/rcnn/roi_pool.py
import { extern as externRecipe } from "../../recipes/extern.ts";
import { roiPool as roiPoolCompute } from "../../topi/roi.ts";
import { defineOp } from "../define.ts";
import { boxesShape } from "../_shape-funcs/image.ts";
import { asker } from "../_shared/type-helpers.ts";
import { roiBins, roiLayout, roiRelation, roiSpec } from "./roi-op.ts";

export const roiPool = defineOp({
  name: "vision.roi_pool",
  inputs: ["data", "rois"],
  attrs: { ...roiBins, layout: roiLayout },
  attrsKey: "relay.attrs.ROIPoolAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, rois }, attrs, t) => roiRelation(asker(t, "vision.roi_pool"), { data, rois }, attrs),
  compute: ({ data, rois }, attrs, cx) => roiPoolCompute(data, rois, { ...roiSpec(attrs) }, cx.origin),
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
