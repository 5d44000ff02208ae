// Boxes of which those that overlap a better one are left out.  TVM: python/tvm/topi/vision/nms.py,
// nms_util.py
// Known difference: what stands behind the results is 0 or -1 (TVM leaves some of it as it was).
import { tuple } from "../../support/assert.ts";
import { bool, int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  and,
  cast,
  div,
  eq,
  falseImm,
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
  select,
  seq,
  store,
  sub,
  trueImm,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern, minValue } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, loop, onlyElement, withCells, type Cell } from "./extern-loops.ts";
import { sortedPositions } from "./sort.ts";

/** Coordinate 0 … 3 of a box: two opposite corners. */
export type Corners = (k: 0 | 1 | 2 | 3) => PrimExpr;

/** Intersection over union; 0 where the union has no area. */
export function overlap(a: Corners, b: Corners): PrimExpr {
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

/**
 * Counts (B), boxes (B, N, E) with those above the threshold in front, and where each of these stood (B, N);
 * -1 behind them.
 */
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
  /** How many are kept at most. */
  readonly most: Tensor;
  /** The overlap from which the worse of two boxes goes. */
  readonly limit: Tensor;
  readonly origin: Origin;
}

/** With asIndices (indices (B, N), counts (B, 1)), else boxes (B, N, E); what was left out is -1. */
export function nonMaxSuppression(n: Nms): readonly Tensor[] {
  const [kept, indices] = tuple(suppressed(n), 2, "results of the suppression");
  if (n.spec.asIndices) return gatheredIndices(indices, n.origin);
  return n.spec.invalidToBottom ? [gatheredBoxes(kept, n.origin)] : [kept];
}

/** Boxes in the order of scores with -1 for those left out, and their positions in `places`' terms. */
function suppressed(n: Nms): readonly Tensor[] {
  const { data, spec, origin } = n;
  const [batch, boxes] = tuple(data.shape, 3, "shape of data");
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
      const suppression = { ...n, from, sorted, counts, places, most, limit, to, indices, taken, good };
      const images = loop(batch, "i", origin, (i) => suppressImage(suppression, i));
      return withCells([taken, good], images, origin);
    },
    { name: "nms", origin },
  );
}

/** The buffers of one suppression, and what its loops carry. */
interface Suppression {
  readonly spec: NmsSpec;
  readonly origin: Origin;
  readonly from: Buffer;
  /** Positions of the boxes, best first. */
  readonly sorted: Buffer;
  readonly counts: Buffer;
  readonly places: Buffer;
  readonly most: Buffer;
  readonly limit: Buffer;
  readonly to: Buffer;
  readonly indices: Buffer;
  /** Boxes kept so far. */
  readonly taken: Cell;
  /** No box kept so far forbids this one. */
  readonly good: Cell;
}

/**
 * Boxes of image i in order of scores, those that a better one forbids dropped; a limit of 0 and below keeps
 * all as they were.
 */
function suppressImage(s: Suppression, i: PrimExpr): Stmt {
  const { spec, from, to, indices, origin } = s;
  const [, boxes, fields] = tuple(from.shape, 3, "shape of data");
  const valid = within(load(s.counts, [i]), boxes);
  const put = (j: PrimExpr, source: PrimExpr): Stmt =>
    seq(
      [
        loop(fields, "k", origin, (k) => store(to, [i, j, k], load(from, [i, source, k]), origin)),
        store(indices, [i, j], source, origin),
      ],
      origin,
    );
  const keep = spec.topK > 0 ? min(valid, spec.topK) : valid;
  const named = (j: PrimExpr): Stmt =>
    ifStmt(
      ge(load(indices, [i, j]), 0),
      store(indices, [i, j], load(s.places, [i, load(indices, [i, j])]), origin),
      null,
      origin,
    );
  return seq(
    [
      loop(boxes, "j", origin, (j) => dropBox(s, i, j)),
      ifStmt(
        gt(onlyElement(s.limit), imm(0, s.limit.dtype)),
        seq(
          [
            loop(keep, "j", origin, (j) => put(j, load(s.sorted, [i, j]))),
            s.taken.set(intImm(0)),
            loop(valid, "j", origin, (j) => judgeBox(s, i, j)),
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
}

function dropBox({ to, indices, origin }: Suppression, i: PrimExpr, j: PrimExpr): Stmt {
  const [, , fields] = tuple(to.shape, 3, "shape of data");
  return seq(
    [
      loop(fields, "k", origin, (k) => store(to, [i, j, k], imm(-1, to.dtype), origin)),
      store(indices, [i, j], intImm(-1), origin),
    ],
    origin,
  );
}

/** Box j stays if there are not enough yet and none of those kept before forbids it. */
function judgeBox(s: Suppression, i: PrimExpr, j: PrimExpr): Stmt {
  const { to, taken, good, origin } = s;
  const compare = loop(j, "k", origin, (k) =>
    ifStmt(and(good.value, clashes(s, i, [j, k])), good.set(falseImm), null, origin),
  );
  const decide = ifStmt(good.value, taken.set(add(taken.value, 1)), dropBox(s, i, j), origin);
  return ifStmt(
    eq(taken.value, onlyElement(s.most)),
    dropBox(s, i, j),
    ifStmt(
      gt(load(to, [i, j, intImm(s.spec.score)]), imm(0, to.dtype)),
      seq([good.set(trueImm), compare, decide], origin),
      null,
      origin,
    ),
    origin,
  );
}

/** Whether box k, which was kept, forbids box j. */
function clashes(
  { spec, to: boxes, limit }: Suppression,
  i: PrimExpr,
  [j, k]: readonly [PrimExpr, PrimExpr],
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
