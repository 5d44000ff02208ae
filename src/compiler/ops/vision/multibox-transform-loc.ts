// Detections from anchor boxes.  TVM: src/relay/op/vision/multibox_op.cc (MultiBoxTransformLocRel)
import { first, at, tuple } from "../../../support/assert.ts";
import { flag, float, floats } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { printType, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { multiboxTransformLoc as multiboxTransformLocCompute } from "../../topi/multibox.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, mapDim, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const multiboxTransformLoc = defineOp({
  name: "vision.multibox_transform_loc",
  inputs: ["cls_prob", "loc_pred", "anchor"],
  attrs: {
    clip: flag({ default: true, doc: "Keep corners inside the image." }),
    threshold: float({ default: 0.01, doc: "Least probability of a detection." }),
    variances: floats({
      default: [0.1, 0.1, 0.2, 0.2],
      doc: "Factors of the predicted moves: across, down, width, height.",
    }),
  },
  attrsKey: "relay.attrs.MultiBoxTransformLocAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "vision.multibox_transform_loc");
    const classes = tensorArg(cx, "cls_prob", args.cls_prob);
    const moves = tensorArg(cx, "loc_pred", args.loc_pred);
    const anchors = tensorArg(cx, "anchor", args.anchor);
    if (classes === null || moves === null || anchors === null) return null;
    if (
      !checkRank(cx, "cls_prob", classes, [3]) ||
      !checkRank(cx, "loc_pred", moves, [2]) ||
      !checkRank(cx, "anchor", anchors, [3]) ||
      !acceptsDType(cx, "cls_prob", classes, "float")
    )
      return null;
    if (
      !sameDTypes(cx, ["cls_prob", classes], ["loc_pred", moves]) ||
      !sameDTypes(cx, ["cls_prob", classes], ["anchor", anchors])
    )
      return null;
    const [batch, , count] = tuple(classes.shape, 3, "shape of classes");
    const fits =
      t.dimEqual(batch, first(moves.shape, "box offsets axis")) &&
      // Anchors of several images are taken for those of the first one, as TVM does.
      first(anchors.shape, "anchors axis") !== 0 &&
      t.dimEqual(at(anchors.shape, 1, "anchors axis"), count) &&
      t.dimEqual(at(anchors.shape, 2, "anchors axis"), 4) &&
      t.dimEqual(
        at(moves.shape, 1, "box offsets axis"),
        mapDim(count, (n) => 4 * n),
      );
    if (!fits)
      return t.error("RS2105", "vision.multibox_transform_loc: the arguments do not fit together", {
        expected: "(N, classes, A), (N, 4 * A) and (1, A, 4)",
        got: [classes, moves, anchors].map(printType).join(", "),
      });
    if (attrs.variances.length === 4)
      return tupleType([tensorType([batch, count, 6], classes.dtype), tensorType([batch], int32)]);
    return t.error("RS2108", "vision.multibox_transform_loc: attribute `variances` is not usable", {
      expected: "4 numbers",
      got: `[${attrs.variances.join(", ")}]`,
    });
  },
  compute: (args, attrs, cx) =>
    multiboxTransformLocCompute(args.cls_prob, args.loc_pred, args.anchor, attrs, cx.origin),
  schedule: externRecipe,
  doc: "A tuple: for each image rows (class, probability, left, top, right, bottom) of the anchors whose best class is not the background, moved as predicted, and how many these are. Rows behind them are -1.",
  examples: [
    {
      name: "two images",
      args: ["Tensor[(2, 4, 5), float32]", "Tensor[(2, 20), float32]", "Tensor[(1, 5, 4), float32]"],
    },
    {
      name: "not clipped",
      args: ["Tensor[(1, 3, 4), float32]", "Tensor[(1, 16), float32]", "Tensor[(1, 4, 4), float32]"],
      attrs: { clip: false, threshold: 0.2, variances: [0.5, 0.25, 1, 1] },
    },
  ],
});
