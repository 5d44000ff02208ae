// Boxes with a score worth looking at.  TVM: src/relay/op/vision/nms.cc (GetValidCountRel)
import { tuple } from "../../../support/assert.ts";
import { anyAttr, int } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { validCounts } from "../../topi/nms.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { validCountsShape } from "../_shape-funcs/boxes.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";
import { fieldIndex, isOneNumber } from "./box-types.ts";

export const getValidCounts = defineOp({
  name: "vision.get_valid_counts",
  inputs: ["data", "score_threshold"],
  attrs: {
    score_threshold: anyAttr({ doc: "Not used: the second argument says it." }),
    id_index: int({ default: 0, doc: "Field that holds a box's class; -1: none." }),
    score_index: int({ default: 1, doc: "Field that holds a box's score." }),
  },
  attrsKey: "relay.attrs.GetValidCountsAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "vision.get_valid_counts");
    const data = tensorArg(cx, "data", args.data);
    const threshold = tensorArg(cx, "score_threshold", args.score_threshold);
    if (
      data === null ||
      threshold === null ||
      !checkRank(cx, "data", data, [3]) ||
      !acceptsDType(cx, "data", data, "float") ||
      !isOneNumber(cx, "score_threshold", threshold)
    )
      return null;
    const [batch, boxes, fields] = tuple(data.shape, 3, "shape of data");
    if (
      !fieldIndex(cx, "id_index", attrs.id_index, { fields, optional: true }) ||
      !fieldIndex(cx, "score_index", attrs.score_index, { fields, optional: false })
    )
      return null;
    return tupleType([tensorType([batch], int32), data, tensorType([batch, boxes], int32)]);
  },
  compute: (args, attrs, cx) =>
    validCounts(args.data, args.score_threshold, { id: attrs.id_index, score: attrs.score_index }, cx.origin),
  shapeFunc: validCountsShape,
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "A tuple: how many boxes of each image have a score above the threshold (and a class that is not negative), the boxes with these in front, and where each of them stood. Behind them stands -1.",
  examples: [
    { name: "class, score, corners", args: ["Tensor[(2, 5, 6), float32]", "float32"], values: { 1: [0.1] } },
    {
      name: "score, corners",
      args: ["Tensor[(1, 4, 5), float32]", "Tensor[(1), float32]"],
      attrs: { id_index: -1, score_index: 0 },
      values: { 1: [-0.5] },
    },
  ],
});
