// The last operator of single-shot detectors: boxes from anchors, the best of them kept.
// TVM: python/tvm/relay/frontend/tflite.py (convert_detection_postprocess)
// Known differences, as TFLite computes it: a box suppresses others whatever their class, what is behind the
// detections is 0, and their number is a float.
import { float32, int32 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { readFlexMap, type FlexValue } from "../flexbuffer.ts";
import { field, fields, refuse, scalarOf, typeOf, extentOf, shapeOfRank } from "../../import-node.ts";
import { call, dtypeOf, type TfNode } from "../graph.ts";
import { realInput } from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

interface Options {
  readonly detections: number;
  readonly scoreThreshold: number;
  readonly overlapThreshold: number;
  readonly classes: number;
  /** x, y, width, height: what predicted moves are divided by. */
  readonly scales: readonly [number, number, number, number];
}

function optionsOf(n: TfNode): Options {
  const read = readFlexMap(n.op.customOptions ?? new Uint8Array(0));
  if (typeof read === "string") return refuse(n, `its options cannot be read: ${read}`, {}, "RS1840");
  const number = (name: string): number =>
    Number(
      read.get(name) ?? refuse(n, `its option ${name} is missing`, { got: [...read.keys()].join(", ") }),
    );
  const plain = (name: string, wanted: FlexValue): void => {
    if (read.has(name) && Number(read.get(name)) !== Number(wanted))
      refuse(n, `its option ${name} is not taken`, { expected: String(wanted), got: String(read.get(name)) });
  };
  plain("use_regular_nms", false);
  plain("max_classes_per_detection", 1);
  return {
    detections: number("max_detections"),
    scoreThreshold: number("nms_score_threshold"),
    overlapThreshold: number("nms_iou_threshold"),
    classes: number("num_classes"),
    scales: [number("x_scale"), number("y_scale"), number("w_scale"), number("h_scale")],
  };
}

/** Part `i` of `x` cut into `parts` along `axis`. */
const parted = (n: TfNode, x: Expr, parts: number, axis: number): ((i: number) => Expr) => {
  const made = call(n, "split", [x], { indices_or_sections: parts, axis });
  return (i) => field(n, made, i);
};

const joined = (n: TfNode, parts: readonly Expr[], axis: number): Expr =>
  call(n, "concatenate", [fields(n, parts)], { axis });

/** (N, classes, anchors) with the background first. */
function classScores(n: TfNode, classes: number): Expr {
  const scores = realInput(n, 1);
  const [batch, anchors, given] = shapeOfRank(n, scores, 3, "the scores");
  if (given !== classes && given !== classes + 1)
    refuse(n, "its scores fit no number of classes", {
      expected: `${classes} or ${classes + 1}, with a background`,
      got: String(given),
    });
  const background = call(n, "zeros", [], { shape: [batch, anchors, 1], dtype: float32.name });
  return call(n, "transpose", [given === classes + 1 ? scores : joined(n, [background, scores], 2)], {
    axes: [0, 2, 1],
  });
}

/** Moves (N, 4 * anchors) as x, y, width, height; the file has y, x, height, width. */
function boxMoves(n: TfNode): Expr {
  const moves = realInput(n, 0);
  const [batch, anchors] = shapeOfRank(n, moves, 3, "the boxes");
  const part = parted(n, moves, 4, 2);
  const [y, x, h, w] = [part(0), part(1), part(2), part(3)];
  return call(n, "reshape", [joined(n, [x, y, w, h], 2)], { newshape: [batch, anchors * 4] });
}

/** Corners (1, anchors, 4); the file has centre and size, y and height first. */
function anchorCorners(n: TfNode): Expr {
  const part = parted(n, realInput(n, 2), 4, 1);
  const [y, x, h, w] = [part(0), part(1), part(2), part(3)];
  const side = (middle: Expr, size: Expr, half: number): Expr =>
    call(n, "add", [middle, call(n, "multiply", [size, scalarOf(n, float32, half)])]);
  return call(
    n,
    "expand_dims",
    [joined(n, [side(x, w, -0.5), side(y, h, -0.5), side(x, w, 0.5), side(y, h, 0.5)], 1)],
    { axis: 0, num_newaxis: 1 },
  );
}

/** The first `count` rows of `rows` (N, anchors, 6), filled up where there are fewer. */
function firstRows(n: TfNode, rows: Expr, count: number): Expr {
  const [batch, anchors, width] = shapeOfRank(n, rows, 3);
  if (anchors >= count)
    return call(n, "strided_slice", [rows], {
      begin: [0, 0, 0],
      end: [batch, count, width],
      strides: [1, 1, 1],
    });
  return call(n, "nn.pad", [rows, scalarOf(n, float32, -1)], {
    pad_width: [
      [0, 0],
      [0, count - anchors],
      [0, 0],
    ],
  });
}

const detectionPostprocess = tfOp("TFLite_Detection_PostProcess", (n) => {
  const options = optionsOf(n);
  const decoded = call(
    n,
    "vision.multibox_transform_loc",
    [classScores(n, options.classes), boxMoves(n), anchorCorners(n)],
    { clip: false, threshold: options.scoreThreshold, variances: options.scales.map((scale) => 1 / scale) },
  );
  const [boxes, counts] = [field(n, decoded, 0), field(n, decoded, 1)];
  const kept = call(
    n,
    "vision.non_max_suppression",
    [
      boxes,
      counts,
      counts,
      scalarOf(n, int32, options.detections),
      scalarOf(n, float32, options.overlapThreshold),
    ],
    { return_indices: false, force_suppress: true },
  );
  const valid = call(n, "vision.get_valid_counts", [kept, scalarOf(n, float32, 0)], {
    score_threshold: null,
  });
  const rows = firstRows(n, field(n, valid, 1), options.detections);
  const part = parted(n, rows, 6, 2);
  const [kind, score] = [part(0), part(1)];
  const [left, top, right, bottom] = [part(2), part(3), part(4), part(5)];
  const found = call(n, "greater", [score, scalarOf(n, float32, 0)]);
  const shown = (x: Expr): Expr => call(n, "where", [found, x, call(n, "zeros_like", [x])]);
  const flat = (x: Expr): Expr => call(n, "reshape", [shown(x)], { newshape: [extentOf(n, x, 0), -1] });
  const corners = joined(n, [top, left, bottom, right].map(shown), 2);
  const total = field(n, valid, 0);
  const wanted = n.outputs[3] === undefined ? typeOf(n, total).dtype : dtypeOf(n, n.outputs[3]);
  return [corners, flat(kind), flat(score), call(n, "cast", [total], { dtype: wanted.name })];
});

export const detectionOps: readonly TfOp[] = [detectionPostprocess];
