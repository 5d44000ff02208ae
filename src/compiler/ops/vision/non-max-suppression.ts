// Overlapping boxes left out.  TVM: src/relay/op/vision/nms.cc (NMSRel)
import { first, at, tuple } from "../../../support/assert.ts";
import { flag, int } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { printType, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { nonMaxSuppression as nonMaxSuppressionCompute } from "../../topi/nms.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { nmsShape } from "../_shape-funcs/boxes.ts";
import { asker, checkRank, tensorArg, type Asker } from "../_shared/type-helpers.ts";
import { fieldIndex, isOneNumber } from "./box-types.ts";

interface Fields {
  readonly coord_start: number;
  readonly score_index: number;
  readonly id_index: number;
}

function fieldsFit(cx: Asker, attrs: Fields, fields: Parameters<typeof fieldIndex>[3]["fields"]): boolean {
  return (
    fieldIndex(cx, "coord_start", attrs.coord_start, { fields, optional: false, count: 4 }) &&
    fieldIndex(cx, "score_index", attrs.score_index, { fields, optional: false }) &&
    fieldIndex(cx, "id_index", attrs.id_index, { fields, optional: true })
  );
}

export const nonMaxSuppression = defineOp({
  name: "vision.non_max_suppression",
  inputs: ["data", "valid_count", "indices", "max_output_size", "iou_threshold"],
  attrs: {
    force_suppress: flag({ default: false, doc: "Boxes of different classes suppress each other too." }),
    top_k: int({ default: -1, doc: "Only this many of the best boxes are looked at; -1: all." }),
    coord_start: int({ default: 2, doc: "First of the four fields that hold two opposite corners." }),
    score_index: int({ default: 1, doc: "Field that holds a box's score." }),
    id_index: int({ default: 0, doc: "Field that holds a box's class; -1: none." }),
    return_indices: flag({
      default: true,
      doc: "Give the kept boxes' places and their number instead of the boxes.",
    }),
    invalid_to_bottom: flag({ default: false, doc: "Boxes that are kept come first." }),
  },
  attrsKey: "relay.attrs.NonMaximumSuppressionAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "vision.non_max_suppression");
    const data = tensorArg(cx, "data", args.data);
    const counts = tensorArg(cx, "valid_count", args.valid_count);
    const places = tensorArg(cx, "indices", args.indices);
    const most = tensorArg(cx, "max_output_size", args.max_output_size);
    const limit = tensorArg(cx, "iou_threshold", args.iou_threshold);
    if (data === null || counts === null || places === null || most === null || limit === null) return null;
    if (
      !checkRank(cx, "data", data, [3]) ||
      !acceptsDType(cx, "data", data, "float") ||
      !isOneNumber(cx, "max_output_size", most) ||
      !isOneNumber(cx, "iou_threshold", limit)
    )
      return null;
    const [batch, boxes, fields] = tuple(data.shape, 3, "shape of data");
    if (!fieldsFit(cx, attrs, fields)) return null;
    // Where boxes are asked for nobody reads their places, and TVM's importers put the counts there.
    const placesFit =
      !attrs.return_indices ||
      (places.dtype === int32 &&
        places.shape.length === 2 &&
        t.dimEqual(first(places.shape, "indices axis"), batch) &&
        t.dimEqual(at(places.shape, 1, "indices axis"), boxes));
    const fits =
      placesFit &&
      counts.dtype === int32 &&
      counts.shape.length === 1 &&
      t.dimEqual(first(counts.shape, "lengths axis"), batch);
    if (!fits)
      return t.error("RS2105", "vision.non_max_suppression: counts and places do not fit the boxes", {
        expected: "int32: a count an image, a place a box",
        got: `${printType(counts)} and ${printType(places)} for ${printType(data)}`,
      });
    return attrs.return_indices
      ? tupleType([tensorType([batch, boxes], int32), tensorType([batch, 1], int32)])
      : data;
  },
  compute: (args, attrs, cx) =>
    nonMaxSuppressionCompute({
      data: args.data,
      counts: args.valid_count,
      places: args.indices,
      most: args.max_output_size,
      limit: args.iou_threshold,
      spec: {
        force: attrs.force_suppress,
        topK: attrs.top_k,
        coordinates: attrs.coord_start,
        score: attrs.score_index,
        id: attrs.id_index,
        asIndices: attrs.return_indices,
        invalidToBottom: attrs.invalid_to_bottom,
      },
      origin: cx.origin,
    }),
  shapeFunc: nmsShape,
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "Of the first valid_count boxes of each image those that overlap no better one (intersection over union at least iou_threshold) of their class, at most max_output_size. Gives their places and number, or with return_indices=False the boxes, -1 where one was left out.",
  examples: [
    {
      name: "places",
      args: ["Tensor[(1, 4, 6), float32]", "Tensor[(1), int32]", "Tensor[(1, 4), int32]", "int32", "float32"],
      values: {
        0: [0, 0.8, 1, 20, 25, 45, 1, 0.7, 30, 60, 50, 80, 0, 0.4, 4, 21, 19, 40, 2, 0.9, 35, 61, 52, 79],
        1: [4],
        2: [0, 1, 2, 3],
        3: [-1],
        4: [0.5],
      },
    },
    {
      name: "boxes, all classes together",
      args: ["Tensor[(1, 4, 6), float32]", "Tensor[(1), int32]", "Tensor[(1, 4), int32]", "int32", "float32"],
      attrs: { force_suppress: true, return_indices: false, invalid_to_bottom: true, top_k: 3 },
      values: {
        0: [0, 0.8, 1, 20, 25, 45, 1, 0.7, 30, 60, 50, 80, 0, 0.4, 4, 21, 19, 40, 2, 0.9, 35, 61, 52, 79],
        1: [4],
        2: [0, 1, 2, 3],
        3: [2],
        4: [0.5],
      },
    },
  ],
});
