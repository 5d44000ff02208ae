// Regions to look at.  TVM: src/relay/op/vision/rcnn_op.cc (ProposalRel)
import { first, at, tuple } from "../../../support/assert.ts";
import { flag, float, floats, int } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { proposal as proposalCompute } from "../../topi/proposal.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, mapDim, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const proposal = defineOp({
  name: "vision.proposal",
  inputs: ["cls_prob", "bbox_pred", "im_info"],
  attrs: {
    scales: floats({ default: [4, 8, 16, 32], doc: "Scales of anchors." }),
    ratios: floats({ default: [0.5, 1, 2], doc: "Height by width of anchors." }),
    feature_stride: int({ default: 16, doc: "Pixels of the image for one position." }),
    threshold: float({
      default: 0.7,
      doc: "Boxes that overlap a better one by more than this are left out.",
    }),
    rpn_pre_nms_top_n: int({ default: 6000, doc: "How many of the best boxes are looked at; -1: all." }),
    rpn_post_nms_top_n: int({ default: 300, doc: "How many boxes an image gives." }),
    rpn_min_size: int({
      default: 16,
      doc: "Least width and height of a box, in pixels of the image before it was scaled.",
    }),
    iou_loss: flag({
      default: false,
      doc: "The network predicts moves of corners instead of centre and size.",
    }),
  },
  attrsKey: "relay.attrs.ProposalAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "vision.proposal");
    const classes = tensorArg(cx, "cls_prob", args.cls_prob);
    const moves = tensorArg(cx, "bbox_pred", args.bbox_pred);
    const images = tensorArg(cx, "im_info", args.im_info);
    if (classes === null || moves === null || images === null) return null;
    if (
      !checkRank(cx, "cls_prob", classes, [4]) ||
      !checkRank(cx, "bbox_pred", moves, [4]) ||
      !checkRank(cx, "im_info", images, [2]) ||
      !acceptsDType(cx, "cls_prob", classes, "float")
    )
      return null;
    if (
      !sameDTypes(cx, ["cls_prob", classes], ["bbox_pred", moves]) ||
      !sameDTypes(cx, ["cls_prob", classes], ["im_info", images])
    )
      return null;
    const anchors = attrs.scales.length * attrs.ratios.length;
    const [batch, , height, width] = tuple(classes.shape, 4, "shape of classes");
    const fits =
      anchors > 0 &&
      t.dimEqual(at(classes.shape, 1, "class scores axis"), 2 * anchors) &&
      t.dimEqual(at(moves.shape, 1, "box offsets axis"), 4 * anchors) &&
      t.dimEqual(first(moves.shape, "box offsets axis"), batch) &&
      t.dimEqual(at(moves.shape, 2, "box offsets axis"), height) &&
      t.dimEqual(at(moves.shape, 3, "box offsets axis"), width) &&
      t.dimEqual(first(images.shape, "image axis"), batch) &&
      t.dimEqual(at(images.shape, 1, "image axis"), 3);
    if (!fits)
      return t.error("RS2105", "vision.proposal: the arguments do not fit together", {
        expected: `(N, ${2 * anchors}, H, W), (N, ${4 * anchors}, H, W) and (N, 3)`,
        got: [classes, moves, images].map(printType).join(", "),
      });
    if (attrs.rpn_post_nms_top_n > 0 && attrs.feature_stride > 0)
      return tensorType([mapDim(batch, (n) => n * attrs.rpn_post_nms_top_n), 5], classes.dtype);
    return t.error("RS2108", "vision.proposal: the attributes are not usable", {
      expected: "feature_stride and rpn_post_nms_top_n above 0",
      got: `${attrs.feature_stride} and ${attrs.rpn_post_nms_top_n}`,
    });
  },
  compute: (args, attrs, cx) =>
    proposalCompute(
      args.cls_prob,
      args.bbox_pred,
      args.im_info,
      {
        scales: attrs.scales,
        ratios: attrs.ratios,
        stride: attrs.feature_stride,
        threshold: attrs.threshold,
        before: attrs.rpn_pre_nms_top_n,
        after: attrs.rpn_post_nms_top_n,
        minSize: attrs.rpn_min_size,
        iouLoss: attrs.iou_loss,
      },
      cx.origin,
    ),
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "Rows (image, left, top, right, bottom) of the best boxes of every image that do not overlap a better one too much, repeated from the first where there are fewer than rpn_post_nms_top_n.",
  examples: [
    {
      name: "one anchor",
      args: ["Tensor[(1, 2, 3, 3), float32]", "Tensor[(1, 4, 3, 3), float32]", "Tensor[(1, 3), float32]"],
      attrs: { scales: [0.5], ratios: [0.5], rpn_pre_nms_top_n: 200, rpn_post_nms_top_n: 4 },
      values: { 2: [48, 48, 1] },
    },
    {
      name: "corners, two images",
      args: ["Tensor[(2, 8, 2, 3), float32]", "Tensor[(2, 16, 2, 3), float32]", "Tensor[(2, 3), float32]"],
      attrs: { scales: [1, 2], ratios: [0.5, 2], rpn_post_nms_top_n: 6, rpn_min_size: 2, iou_loss: true },
      values: { 2: [32, 48, 1, 24, 40, 1] },
    },
  ],
});
