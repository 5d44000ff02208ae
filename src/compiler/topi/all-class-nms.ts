// For every class the boxes that do not overlap a better one.  TVM: python/tvm/topi/vision/nms.py
// (all_class_non_max_suppression)
// Known differences: what stands behind the results is 0; boxes with scores of 0 and below take part as
// others do.
import { tuple } from "../../support/assert.ts";
import { bool, float32, int32, int64 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  falseImm,
  ge,
  gt,
  ifStmt,
  imm,
  intImm,
  knownInt,
  le,
  load,
  lt,
  or,
  seq,
  store,
  trueImm,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, loop, nest, onlyElement, withCells, type Cell } from "./extern-loops.ts";
import { overlap, type Corners } from "./nms.ts";
import { sortedPositions } from "./sort.ts";

export interface AllClassSpec {
  /**
   * "onnx": rows (batch, class, box) of all images together; "tensorflow": rows (class, box), scores and a
   * count an image.
   */
  readonly format: "onnx" | "tensorflow";
}

/**
 * Boxes (B, N, 4) and scores (B, C, N): in every class, best first, the boxes that do not overlap one chosen
 * before.
 */
export function allClassNms(
  boxes: Tensor,
  scores: Tensor,
  limits: readonly [most: Tensor, overlap: Tensor, score: Tensor],
  spec: AllClassSpec,
  origin: Origin,
): readonly Tensor[] {
  const [batch, classes, count] = tuple(scores.shape, 3, "shape of scores");
  const length = knownInt(count);
  const order =
    length > 0
      ? sortedPositions(scores, { axis: 2, ascending: false, count: length, name: "order" }, origin)
      : scores;
  const each = knownInt(classes) * length;
  const outputs =
    spec.format === "onnx"
      ? [
          { shape: [knownInt(batch) * each, 3], dtype: int64 },
          { shape: [1], dtype: int64 },
        ]
      : [
          { shape: [batch, each, 2], dtype: int64 },
          { shape: [batch, each], dtype: float32 },
          { shape: [batch], dtype: int64 },
        ];
  return extern(
    [boxes, scores, order, ...limits],
    outputs,
    ([places, values, sorted, most, limit, threshold], outs) => {
      const [chosen, row, good] = [
        cell("chosen", int32, origin),
        cell("row", int32, origin),
        cell("good", bool, origin),
      ];
      const list = buffer("list", int32, [Math.max(length, 1)], "global");
      const record = spec.format === "onnx" ? listForAll(outs, row, origin) : listForEach(outs, row, origin);
      const choosing = { places, values, most, limit, threshold, list, chosen, good, record, origin };
      const ofClass = (b: PrimExpr, c: PrimExpr): Stmt =>
        seq(
          [
            chosen.set(intImm(0)),
            loop(count, "j", origin, (j) => consider(choosing, b, c, load(sorted, [b, c, j]))),
          ],
          origin,
        );
      const image = (b: PrimExpr): Stmt =>
        seq([...record.start(b), loop(classes, "c", origin, (c) => ofClass(b, c))], origin);
      const all = seq([...record.clear, loop(batch, "b", origin, image), ...record.end], origin);
      return withCells([chosen, row, good], allocate(list, all, origin), origin);
    },
    { name: "all_class_nms", origin },
  );
}

interface Choosing {
  readonly places: Buffer;
  readonly values: Buffer;
  readonly most: Buffer;
  readonly limit: Buffer;
  readonly threshold: Buffer;
  /** Boxes chosen in this class, and how many. */
  readonly list: Buffer;
  readonly chosen: Cell;
  /** No chosen box overlaps this one. */
  readonly good: Cell;
  readonly record: ChoiceRows;
  readonly origin: Origin;
}

/**
 * Chooses `box` of class `c` if its score is high enough, there are not enough yet, and none chosen overlaps
 * it.
 */
function consider(choosing: Choosing, b: PrimExpr, c: PrimExpr, box: PrimExpr): Stmt {
  const { places, limit, list, chosen, good, record, origin } = choosing;
  const corners =
    (of: PrimExpr): Corners =>
    (k) =>
      load(places, [b, of, intImm(k)]);
  const score = load(choosing.values, [b, c, box]);
  const most = onlyElement(choosing.most);
  const wanted = and(
    gt(score, cast(onlyElement(choosing.threshold), score.dtype)),
    or(le(most, 0), lt(chosen.value, cast(most, int32))),
  );
  const compare = loop(chosen.value, "k", origin, (k) => {
    const common = overlap(corners(box), corners(load(list, [k])));
    const clash = ge(common, cast(onlyElement(limit), places.dtype));
    return ifStmt(and(good.value, clash), good.set(falseImm), null, origin);
  });
  const choose = seq(
    [
      store(list, [chosen.value], box, origin),
      chosen.set(add(chosen.value, 1)),
      ...record.add({ b, c, box, score }),
    ],
    origin,
  );
  return ifStmt(
    and(gt(onlyElement(limit), imm(0, limit.dtype)), wanted),
    seq([good.set(trueImm), compare, ifStmt(good.value, choose, null, origin)], origin),
    null,
    origin,
  );
}

interface Choice {
  readonly b: PrimExpr;
  readonly c: PrimExpr;
  readonly box: PrimExpr;
  readonly score: PrimExpr;
}

/** Where the chosen boxes are written. */
interface ChoiceRows {
  readonly clear: readonly Stmt[];
  readonly start: (b: PrimExpr) => readonly Stmt[];
  readonly add: (choice: Choice) => readonly Stmt[];
  readonly end: readonly Stmt[];
}

const zeroed = (of: Buffer, origin: Origin): Stmt =>
  nest(of.shape, origin, (i) => store(of, i, imm(0, of.dtype), origin));

/** Rows (batch, class, box) and how many there are. */
function listForAll([rows, total]: readonly Buffer[], row: Cell, origin: Origin): ChoiceRows {
  return {
    clear: [zeroed(rows!, origin), row.set(intImm(0))],
    start: () => [],
    add: ({ b, c, box }) => [
      ...[b, c, box].map((value, k) => store(rows!, [row.value, intImm(k)], cast(value, int64), origin)),
      row.set(add(row.value, 1)),
    ],
    end: [store(total!, [intImm(0)], cast(row.value, int64), origin)],
  };
}

/** For each image rows (class, box), their scores, and how many there are. */
function listForEach([rows, scores, totals]: readonly Buffer[], row: Cell, origin: Origin): ChoiceRows {
  return {
    clear: [rows!, scores!, totals!].map((of) => zeroed(of, origin)),
    start: () => [row.set(intImm(0))],
    add: ({ b, c, box, score }) => [
      ...[c, box].map((value, k) => store(rows!, [b, row.value, intImm(k)], cast(value, int64), origin)),
      store(scores!, [b, row.value], cast(score, float32), origin),
      row.set(add(row.value, 1)),
      store(totals!, [b], cast(row.value, int64), origin),
    ],
    end: [],
  };
}
