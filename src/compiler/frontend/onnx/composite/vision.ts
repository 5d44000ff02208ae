// Regions, boxes and sampled grids.  TVM: python/tvm/relay/frontend/onnx.py (RoiAlign, MaxRoiPool,
// NonMaxSuppression)
import { at } from "../../../../support/assert.ts";
import { float32, int64, type DType } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, concatenate, expandDims, number, scaled, subtract } from "../arithmetic.ts";
import { firstOf } from "../dynamic.ts";
import { constantOf, field, refuse, scalarOf, shapeOfRank } from "../../import-node.ts";
import {
  call,
  cast,
  dtypeOf,
  float,
  input,
  int,
  ints,
  known,
  optional,
  reshape,
  text,
  valueOf,
  type Importer,
  type OnnxNode,
  numberOf,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { fromNumbers, numbersOf } from "../../values.ts";

/** Regions get their batch index in front; half_pixel moves them by half a pixel. */
const roiAlign: Importer = (n) => {
  const [x, rois, batch] = [input(n, 0), input(n, 1), input(n, 2)];
  const scale = float(n, "spatial_scale", 1);
  const half = n.opset >= 16 && text(n, "coordinate_transformation_mode", "half_pixel") === "half_pixel";
  const moved = half ? subtract(n, rois, number(n, 0.5 / scale, rois)) : rois;
  const indexed = concatenate(n, [cast(n, expandDims(n, batch, 1), dtypeOf(n, rois)), moved], 1);
  return call(n, "vision.roi_align", [x, indexed], {
    pooled_size: [int(n, "output_height", 1), int(n, "output_width", 1)],
    spatial_scale: scale,
    sample_ratio: int(n, "sampling_ratio", 0),
    layout: "NCHW",
    mode: text(n, "mode", "avg"),
  });
};

const maxRoiPool: Importer = (n) => {
  const pooled_size = ints(n, "pooled_shape") ?? refuse(n, "pooled_shape is missing");
  return call(n, "vision.roi_pool", [input(n, 0), input(n, 1)], {
    pooled_size,
    spatial_scale: float(n, "spatial_scale", 1),
    layout: "NCHW",
  });
};

type Box = readonly [y1: number, x1: number, y2: number, x2: number];

function overlap(a: Box, b: Box): number {
  const side = (low: number, high: number): number => Math.max(high - low, 0);
  const common =
    side(Math.max(a[0], b[0]), Math.min(a[2], b[2])) * side(Math.max(a[1], b[1]), Math.min(a[3], b[3]));
  const area = (box: Box): number => (box[2] - box[0]) * (box[3] - box[1]);
  const union = area(a) + area(b) - common;
  return union > 0 ? common / union : 0;
}

/** Boxes and scores that only running tells: Relay gives all places and how many of them count. */
function suppressionDynamic(n: OnnxNode): Expr {
  const boxes = int(n, "center_point_box", 0) !== 0 ? corners(n, input(n, 0)) : input(n, 0);
  const limit = (index: number, dtype: DType, otherwise: number): Expr => {
    const given = optional(n, index);
    return given === null ? scalarOf(n, dtype, otherwise) : reshape(n, given, []);
  };
  const limits = [limit(2, int64, 0), limit(3, float32, 0), limit(4, float32, lowest)];
  const made = call(n, "vision.all_class_non_max_suppression", [boxes, input(n, 1), ...limits]);
  return firstOf(n, field(n, made, 0), field(n, made, 1));
}

/** No score lies below it. */
const lowest = -3.4028234663852886e38;

/** (centre x, centre y, width, height) as (y1, x1, y2, x2). */
function corners(n: OnnxNode, boxes: Expr): Expr {
  const parts = call(n, "split", [boxes], { indices_or_sections: 4, axis: 2 });
  const [x, y] = [field(n, parts, 0), field(n, parts, 1)];
  const [w, h] = [scaled(n, field(n, parts, 2), 0.5), scaled(n, field(n, parts, 3), 0.5)];
  return concatenate(n, [subtract(n, y, h), subtract(n, x, w), add(n, y, h), add(n, x, w)], 2);
}

/** What is known already is worked out; in score order, as ONNX Runtime gives them. */
const nonMaxSuppression: Importer = (n) => {
  if (n.inputs.some((value) => value !== null && value.kind !== "sequence" && known(n, value) === null))
    return suppressionDynamic(n);
  const what = "the boxes and scores, which decide how many boxes stay,";
  const [boxes, scores] = [valueOf(n, input(n, 0), what), valueOf(n, input(n, 1), what)];
  const setting = (index: number, otherwise: number): number => {
    const given = optional(n, index);
    return given === null ? otherwise : numberOf(n, given, "the limit");
  };
  const [most, iou, least] = [setting(2, 0), setting(3, 0), setting(4, -Infinity)];
  const [batches, count] = shapeOfRank(n, input(n, 0), 3, "the boxes");
  const [, classes] = shapeOfRank(n, input(n, 1), 3, "the scores");
  const [sides, values] = [numbersOf(boxes), numbersOf(scores)];
  const centred = int(n, "center_point_box", 0) !== 0;
  const chosen: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const all = Array.from({ length: count }, (_, i) => boxAt(sides, batch * count + i, centred));
    for (let label = 0; label < classes; label++) {
      const first = (batch * classes + label) * count;
      const scored = all.map((box, i) => ({ box, index: i, score: at(values, first + i, "score") }));
      for (const { index } of suppressed(scored, { most, iou, least })) chosen.push(batch, label, index);
    }
  }
  return constantOf(n, fromNumbers(int64, [chosen.length / 3, 3], chosen));
};

function boxAt(sides: readonly number[], index: number, centred: boolean): Box {
  const side = (i: number): number => at(sides, 4 * index + i, "side of a box");
  const [a, b, c, d] = [side(0), side(1), side(2), side(3)];
  if (centred) return [b - d / 2, a - c / 2, b + d / 2, a + c / 2];
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

interface ScoredBox {
  readonly box: Box;
  readonly index: number;
  readonly score: number;
}

/** Best score first, each box that overlaps none of those kept by more than the threshold. */
function suppressed(
  boxes: readonly ScoredBox[],
  limits: { readonly most: number; readonly iou: number; readonly least: number },
): readonly ScoredBox[] {
  const order = boxes
    .filter(({ score }) => score > limits.least)
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const kept: ScoredBox[] = [];
  for (const one of order) {
    if (kept.length >= limits.most) break;
    if (kept.every((other) => overlap(one.box, other.box) <= limits.iou)) kept.push(one);
  }
  return kept;
}

export const visionOps: readonly OnnxOp[] = [
  onnxOp("RoiAlign", roiAlign),
  onnxOp("MaxRoiPool", maxRoiPool),
  onnxOp("NonMaxSuppression", nonMaxSuppression, { values: [0, 1, 2, 3, 4] }),
];
