// Overlapping boxes left out, class by class.  TVM: src/relay/op/vision/nms.cc (AllClassNMSRel)
import { first, at, tuple } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { float32, int64 } from "../../ir/dtype.ts";
import { printType, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { allClassNms, type AllClassSpec } from "../../topi/all-class-nms.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { allClassNmsShape } from "../_shape-funcs/boxes.ts";
import { asker, checkRank, oneOf, productDim, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";
import { isOneNumber } from "./box-types.ts";

export const allClassNonMaxSuppression = defineOp({
  name: "vision.all_class_non_max_suppression",
  inputs: ["boxes", "scores", "max_output_boxes_per_class", "iou_threshold", "score_threshold"],
  attrs: {
    output_format: text({
      default: "onnx",
      doc: '"onnx": rows (batch, class, box) and their number; "tensorflow": rows (class, box), scores and a number for each image.',
    }),
  },
  attrsKey: "relay.attrs.AllClassNonMaximumSuppressionAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "vision.all_class_non_max_suppression");
    const boxes = tensorArg(cx, "boxes", args.boxes);
    const scores = tensorArg(cx, "scores", args.scores);
    const limits = (["max_output_boxes_per_class", "iou_threshold", "score_threshold"] as const).map(
      (name) => ({ name, type: tensorArg(cx, name, args[name]) }),
    );
    if (
      boxes === null ||
      scores === null ||
      !limits.every(({ name, type }) => type !== null && isOneNumber(cx, name, type))
    )
      return null;
    if (
      !checkRank(cx, "boxes", boxes, [3]) ||
      !checkRank(cx, "scores", scores, [3]) ||
      !acceptsDType(cx, "boxes", boxes, "float") ||
      !sameDTypes(cx, ["boxes", boxes], ["scores", scores])
    )
      return null;
    if (!oneOf(cx, "output_format", attrs.output_format, ["onnx", "tensorflow"])) return null;
    const [batch, classes, count] = tuple(scores.shape, 3, "shape of scores");
    if (
      !t.dimEqual(first(boxes.shape, "boxes axis"), batch) ||
      !t.dimEqual(at(boxes.shape, 1, "boxes axis"), count) ||
      !t.dimEqual(at(boxes.shape, 2, "boxes axis"), 4)
    ) {
      return t.error("RS2105", "vision.all_class_non_max_suppression: boxes and scores do not fit together", {
        expected: "(batch, boxes, 4) and (batch, classes, boxes)",
        got: `${printType(boxes)} and ${printType(scores)}`,
      });
    }
    if (attrs.output_format === "onnx")
      return tupleType([tensorType([productDim([batch, classes, count]), 3], int64), tensorType([1], int64)]);
    const each = productDim([classes, count]);
    return tupleType([
      tensorType([batch, each, 2], int64),
      tensorType([batch, each], float32),
      tensorType([batch], int64),
    ]);
  },
  compute: (args, attrs, cx) =>
    allClassNms(
      args.boxes,
      args.scores,
      [args.max_output_boxes_per_class, args.iou_threshold, args.score_threshold],
      { format: attrs.output_format as AllClassSpec["format"] },
      cx.origin,
    ),
  shapeFunc: allClassNmsShape,
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "In every class, best first, the boxes with a score above score_threshold that overlap no box chosen before (intersection over union at least iou_threshold), at most max_output_boxes_per_class (0 or less: all). Rows behind the chosen ones are 0.",
  examples: [
    {
      name: "rows of all images",
      args: ["Tensor[(1, 4, 4), float32]", "Tensor[(1, 2, 4), float32]", "int64", "float32", "float32"],
      values: {
        0: [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 0, 10.2, 1, 11.2],
        1: [0.9, 0.75, 0.6, 0.95, 0.2, 0.8, 0.1, 0.7],
        2: [3],
        3: [0.5],
        4: [0.15],
      },
    },
    {
      name: "image by image",
      args: [
        "Tensor[(2, 3, 4), float32]",
        "Tensor[(2, 2, 3), float32]",
        "Tensor[(1), int64]",
        "Tensor[(1), float32]",
        "Tensor[(1), float32]",
      ],
      attrs: { output_format: "tensorflow" },
      values: {
        0: [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 0, 0, 2, 2, 2, 2, 3, 3, 0, 0, 2, 1.9],
        2: [2],
        3: [0.5],
        4: [0],
      },
    },
  ],
});
