// Boxes of which those that overlap a better one are left out.  TVM: python/tvm/topi/vision/nms.py, nms_util.py
// Known differences: what stands behind the results is 0 or -1 (TVM leaves some of it as it was); in the operator for all classes
// boxes with scores of 0 and below take part as others do.
import { tuple } from "../../support/assert.ts";
import { bool, float32, int32, int64 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  div,
  eq,
  falseImm,
  forLoop,
  ge,
  gt,
  ifStmt,
  imm,
  intImm,
  le,
  load,
  lt,
  max,
  min,
  mul,
  or,
  select,
  seq,
  store,
  sub,
  tirVar,
  trueImm,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern, minValue } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, loop, nest, onlyElement, withCells, type Cell } from "./extern-loops.ts";
import { sortedPositions } from "./sort.ts";

/** Coordinate 0 … 3 of a box: two opposite corners. */
type Corners = (k: 0 | 1 | 2 | 3) => PrimExpr;

/** Intersection over union; 0 where the union has no area. */
function overlap(a: Corners, b: Corners): PrimExpr {
  const low = (of: Corners, k: 0 | 1): PrimExpr => min(of(k), of((k + 2) as 2 | 3));
  const high = (of: Corners, k: 0 | 1): PrimExpr => max(of(k), of((k + 2) as 2 | 3));
  const side = (of: Corners, k: 0 | 1): PrimExpr => sub(high(of, k), low(of, k));
  const zero = imm(0, a(0).dtype);
  const common = (k: 0 | 1): PrimExpr =>
    max(zero, sub(min(high(a, k), high(b, k)), max(low(a, k), low(b, k))));
  const both = mul(common(0), common(1));
  const union = sub(add(mul(side(a, 0), side(a, 1)), mul(side(b, 0), side(b, 1))), both);
  return select(le(union, zero), zero, div(both, union));
}

const within = (value: PrimExpr, extent: PrimExpr): PrimExpr => max(min(value, extent), 0);

/** Counts (B), boxes (B, N, E) with those above the threshold in front, and where each of these stood (B, N); -1 behind them. */
export function validCounts(
  data: Tensor,
  threshold: Tensor,
  spec: { readonly id: number; readonly score: number },
  origin: Origin,
): readonly Tensor[] {
  const [batch, boxes, fields] = tuple(data.shape, 3, "shape of data");
  const outputs = [
    { shape: [batch], dtype: int32 },
    { shape: data.shape, dtype: data.dtype },
    { shape: [batch, boxes], dtype: int32 },
  ];
  return extern(
    [data, threshold],
    outputs,
    ([from, limit], [counts, to, places]) =>
      loop(batch, "i", origin, (i) => {
        const found = load(counts!, [i]);
        const box = (j: PrimExpr): Stmt => {
          const known = spec.id < 0 ? trueImm : ge(load(from, [i, j, intImm(spec.id)]), imm(0, data.dtype));
          const taken = seq(
            [
              loop(fields, "k", origin, (k) => store(to!, [i, found, k], load(from, [i, j, k]), origin)),
              store(places!, [i, found], j, origin),
              store(counts!, [i], add(found, 1), origin),
            ],
            origin,
          );
          return ifStmt(
            and(gt(load(from, [i, j, intImm(spec.score)]), cast(onlyElement(limit), data.dtype)), known),
            taken,
            null,
            origin,
          );
        };
        const clear = (j: PrimExpr): Stmt =>
          seq(
            [
              loop(fields, "k", origin, (k) => store(to!, [i, j, k], imm(-1, data.dtype), origin)),
              store(places!, [i, j], intImm(-1), origin),
            ],
            origin,
          );
        return seq(
          [
            store(counts!, [i], intImm(0), origin),
            loop(boxes, "j", origin, clear),
            loop(boxes, "j", origin, box),
          ],
          origin,
        );
      }),
    { name: "get_valid_counts", origin },
  );
}

interface NmsSpec {
  /** Boxes of different classes suppress each other too. */
  readonly force: boolean;
  readonly topK: number;
  readonly coordinates: number;
  readonly score: number;
  readonly id: number;
  readonly asIndices: boolean;
  readonly invalidToBottom: boolean;
}

interface Nms {
  readonly spec: NmsSpec;
  readonly data: Tensor;
  readonly counts: Tensor;
  readonly places: Tensor;
  readonly most: Tensor;
  readonly limit: Tensor;
  readonly origin: Origin;
}

/** With asIndices (indices (B, N), counts (B, 1)), else boxes (B, N, E); what was left out is -1. */
export function nonMaxSuppression(
  data: Tensor,
  counts: Tensor,
  places: Tensor,
  limits: readonly [most: Tensor, overlap: Tensor],
  spec: NmsSpec,
  origin: Origin,
): readonly Tensor[] {
  const [kept, indices] = suppressed({
    spec,
    data,
    counts,
    places,
    most: limits[0],
    limit: limits[1],
    origin,
  }) as [Tensor, Tensor];
  if (spec.asIndices) return gatheredIndices(indices, origin);
  return spec.invalidToBottom ? [gatheredBoxes(kept, origin)] : [kept];
}

/** Boxes in the order of scores with -1 for those left out, and their positions in `places`' terms. */
function suppressed(n: Nms): readonly Tensor[] {
  const { data, spec, origin } = n;
  const [batch, boxes, fields] = tuple(data.shape, 3, "shape of data");
  const scores = compute(
    [batch, boxes],
    ([i, j]) => select(lt(j, n.counts.at(i)), data.at(i, j, spec.score), minValue(data.dtype)),
    { name: "scores", tag: "injective", origin },
  );
  const count = knownInt(boxes);
  const order =
    count > 0
      ? sortedPositions(scores, { axis: 1, ascending: false, count, name: "order" }, origin)
      : n.places;
  return extern(
    [data, order, n.counts, n.places, n.most, n.limit],
    [
      { shape: data.shape, dtype: data.dtype },
      { shape: [batch, boxes], dtype: int32 },
    ],
    ([from, sorted, counts, places, most, limit], [to, indices]) => {
      const [taken, good] = [cell("taken", int32, origin), cell("good", bool, origin)];
      const image = (i: PrimExpr): Stmt => {
        const valid = within(load(counts, [i]), boxes);
        const put = (j: PrimExpr, source: PrimExpr): Stmt =>
          seq(
            [
              loop(fields, "k", origin, (k) => store(to, [i, j, k], load(from, [i, source, k]), origin)),
              store(indices, [i, j], source, origin),
            ],
            origin,
          );
        const drop = (j: PrimExpr): Stmt =>
          seq(
            [
              loop(fields, "k", origin, (k) => store(to, [i, j, k], imm(-1, data.dtype), origin)),
              store(indices, [i, j], intImm(-1), origin),
            ],
            origin,
          );
        const keep = spec.topK > 0 ? min(valid, spec.topK) : valid;
        const one = (j: PrimExpr): Stmt =>
          ifStmt(
            eq(taken.value, onlyElement(most)),
            drop(j),
            ifStmt(
              gt(load(to, [i, j, intImm(spec.score)]), imm(0, data.dtype)),
              seq(
                [
                  good.set(trueImm),
                  loop(j, "k", origin, (k) =>
                    ifStmt(
                      and(good.value, clashes(n, to, i, [j, k], limit)),
                      good.set(falseImm),
                      null,
                      origin,
                    ),
                  ),
                  ifStmt(good.value, taken.set(add(taken.value, 1)), drop(j), origin),
                ],
                origin,
              ),
              null,
              origin,
            ),
            origin,
          );
        const named = (j: PrimExpr): Stmt =>
          ifStmt(
            ge(load(indices, [i, j]), 0),
            store(indices, [i, j], load(places, [i, load(indices, [i, j])]), origin),
            null,
            origin,
          );
        return seq(
          [
            loop(boxes, "j", origin, drop),
            ifStmt(
              gt(onlyElement(limit), imm(0, n.limit.dtype)),
              seq(
                [
                  loop(keep, "j", origin, (j) => put(j, load(sorted, [i, j]))),
                  taken.set(intImm(0)),
                  loop(valid, "j", origin, one),
                ],
                origin,
              ),
              loop(valid, "j", origin, (j) => put(j, j)),
              origin,
            ),
            ...(spec.asIndices ? [loop(valid, "j", origin, named)] : []),
          ],
          origin,
        );
      };
      return withCells([taken, good], loop(batch, "i", origin, image), origin);
    },
    { name: "nms", origin },
  );
}

/** Whether box k, which was kept, forbids box j. */
function clashes(
  { spec }: Nms,
  boxes: Buffer,
  i: PrimExpr,
  [j, k]: readonly [PrimExpr, PrimExpr],
  limit: Buffer,
): PrimExpr {
  const field = (of: PrimExpr, at: number): PrimExpr => load(boxes, [i, of, intImm(at)]);
  const zero = imm(0, boxes.dtype);
  const known = spec.id < 0 ? trueImm : ge(field(k, spec.id), zero);
  const related = spec.force || spec.id < 0 ? trueImm : eq(field(j, spec.id), field(k, spec.id));
  const apart = overlap(
    (at) => field(j, spec.coordinates + at),
    (at) => field(k, spec.coordinates + at),
  );
  return and(
    and(gt(field(k, spec.score), zero), and(known, related)),
    ge(apart, cast(onlyElement(limit), boxes.dtype)),
  );
}

function gatheredIndices(indices: Tensor, origin: Origin): readonly Tensor[] {
  const [batch, boxes] = tuple(indices.shape, 2, "shape of indices");
  return extern(
    [indices],
    [
      { shape: indices.shape, dtype: int32 },
      { shape: [batch, 1], dtype: int32 },
    ],
    ([from], [to, counts]) =>
      loop(batch, "i", origin, (i) => {
        const count = load(counts, [i, intImm(0)]);
        const up = store(counts, [i, intImm(0)], add(count, 1), origin);
        return seq(
          [
            store(counts, [i, intImm(0)], intImm(0), origin),
            loop(boxes, "j", origin, (j) => store(to, [i, j], intImm(-1), origin)),
            loop(boxes, "j", origin, (j) =>
              ifStmt(
                ge(load(from, [i, j]), 0),
                seq([store(to, [i, count], load(from, [i, j]), origin), up], origin),
                null,
                origin,
              ),
            ),
          ],
          origin,
        );
      }),
    { name: "rearrange_indices_out", origin },
  );
}

function gatheredBoxes(kept: Tensor, origin: Origin): Tensor {
  const [batch, boxes, fields] = tuple(kept.shape, 3, "shape of kept");
  return extern(
    [kept],
    [{ shape: kept.shape, dtype: kept.dtype }],
    ([from], [to]) => {
      const count = cell("count", int32, origin);
      return withCells(
        [count],
        loop(batch, "i", origin, (i) => {
          const put = (j: PrimExpr, value: (k: PrimExpr) => PrimExpr): Stmt =>
            loop(fields, "k", origin, (k) => store(to, [i, j, k], value(k), origin));
          const move = (j: PrimExpr): Stmt =>
            seq([put(count.value, (k) => load(from, [i, j, k])), count.set(add(count.value, 1))], origin);
          return seq(
            [
              count.set(intImm(0)),
              loop(boxes, "j", origin, (j) => put(j, () => imm(-1, kept.dtype))),
              loop(boxes, "j", origin, (j) =>
                ifStmt(ge(load(from, [i, j, intImm(0)]), imm(0, kept.dtype)), move(j), null, origin),
              ),
            ],
            origin,
          );
        }),
        origin,
      );
    },
    { name: "rearrange_box_out", origin },
  )[0];
}

export interface AllClassSpec {
  /** "onnx": rows (batch, class, box) of all images together; "tensorflow": rows (class, box), scores and a count an image. */
  readonly format: "onnx" | "tensorflow";
}

/** Boxes (B, N, 4) and scores (B, C, N): in every class, best first, the boxes that do not overlap one chosen before. */
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
      const k0 = tirVar("k");
      const limitOfBoxes = onlyElement(most);
      const apart = (b: PrimExpr, x: PrimExpr, y: PrimExpr): PrimExpr =>
        overlap(
          (k) => load(places, [b, x, intImm(k)]),
          (k) => load(places, [b, y, intImm(k)]),
        );
      const consider = (b: PrimExpr, c: PrimExpr, box: PrimExpr): Stmt => {
        const score = load(values, [b, c, box]);
        const wanted = and(
          gt(score, cast(onlyElement(threshold), scores.dtype)),
          or(le(limitOfBoxes, 0), lt(chosen.value, cast(limitOfBoxes, int32))),
        );
        const clash = ge(apart(b, box, load(list, [k0])), cast(onlyElement(limit), boxes.dtype));
        return ifStmt(
          and(gt(onlyElement(limit), imm(0, limit.dtype)), wanted),
          seq(
            [
              good.set(trueImm),
              forLoop(
                k0,
                intImm(0),
                chosen.value,
                "serial",
                ifStmt(and(good.value, clash), good.set(falseImm), null, origin),
                origin,
              ),
              ifStmt(
                good.value,
                seq(
                  [
                    store(list, [chosen.value], box, origin),
                    chosen.set(add(chosen.value, 1)),
                    ...record.add({ b, c, box, score }),
                  ],
                  origin,
                ),
                null,
                origin,
              ),
            ],
            origin,
          ),
          null,
          origin,
        );
      };
      const image = (b: PrimExpr): Stmt =>
        seq(
          [
            ...record.start(b),
            loop(classes, "c", origin, (c) =>
              seq(
                [
                  chosen.set(intImm(0)),
                  loop(count, "j", origin, (j) => consider(b, c, load(sorted, [b, c, j]))),
                ],
                origin,
              ),
            ),
          ],
          origin,
        );
      return withCells(
        [chosen, row, good],
        allocate(
          list,
          seq([...record.clear, loop(batch, "b", origin, image), ...record.end], origin),
          origin,
        ),
        origin,
      );
    },
    { name: "all_class_nms", origin },
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
