// Regions that a region proposal network suggests.  TVM: python/tvm/topi/vision/rcnn/proposal.py
// Known difference: without any box the result is 0 (TVM leaves it as it was).
import { last, at, tuple } from "../../support/assert.ts";
import { bool, int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  buffer,
  cast,
  div,
  eq,
  falseImm,
  floorDiv,
  floorMod,
  forLoop,
  ge,
  gt,
  ifStmt,
  imm,
  intImm,
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
  unary,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, loop, withCells } from "./extern-loops.ts";
import { sortedPositions } from "./sort.ts";

interface ProposalSpec {
  readonly scales: readonly number[];
  readonly ratios: readonly number[];
  readonly stride: number;
  readonly threshold: number;
  /** Boxes that are looked at, best first; 0 or less: all. */
  readonly before: number;
  /** Boxes an image of the result. */
  readonly after: number;
  readonly minSize: number;
  /** The network predicts moves of the corners, not of centre and size. */
  readonly iouLoss: boolean;
}

/** Corners of the anchor of one ratio and scale around a cell of `base` pixels. */
function anchorOf(ratio: number, scale: number, base: number): readonly [number, number, number, number] {
  const center = 0.5 * (base - 1);
  const side = Math.floor(Math.sqrt(Math.floor((base * base) / ratio)) + 0.5);
  const [w, h] = [side * scale, Math.floor(side * ratio + 0.5) * scale];
  return [center - 0.5 * (w - 1), center - 0.5 * (h - 1), center + 0.5 * (w - 1), center + 0.5 * (h - 1)];
}

/**
 * (batch * after, 5): image number and corners. Probabilities (N, 2A, H, W), moves (N, 4A, H, W), images (N,
 * 3): height, width, scale.
 */
export function proposal(
  probabilities: Tensor,
  moves: Tensor,
  images: Tensor,
  spec: ProposalSpec,
  origin: Origin,
): Tensor {
  const boxes = predictedBoxes(probabilities, moves, images, spec, origin);
  const [batch, count] = tuple(boxes.shape, 3, "shape of boxes");
  const scores = compute([batch, count], ([b, i]) => boxes.at(b, i, 4), {
    name: "scores",
    tag: "injective",
    origin,
  });
  const all = knownInt(count);
  const looked = spec.before > 0 ? Math.min(spec.before, all) : all;
  const order = sortedPositions(scores, { axis: 1, ascending: false, count: looked, name: "order" }, origin);
  const rows = mul(batch, spec.after);
  return extern(
    [boxes, order],
    [{ shape: [rows, 5], dtype: boxes.dtype }],
    ([from, sorted], [to]) => {
      const removed = buffer("removed", bool, [looked], "global");
      const [kept, next] = [cell("kept", int32, origin), cell("next", int32, origin)];
      const image = (b: PrimExpr): Stmt =>
        seq(
          [
            suppress(from, sorted, removed, { b, looked, threshold: spec.threshold, kept, origin }),
            copyKept(from, sorted, { removed, to, b, kept, next, looked, after: spec.after, origin }),
          ],
          origin,
        );
      const clear = loop(rows, "r", origin, (r) =>
        loop(intImm(5), "k", origin, (k) => store(to, [r, k], imm(0, boxes.dtype), origin)),
      );
      return allocate(
        removed,
        withCells([kept, next], seq([clear, loop(batch, "b", origin, image)], origin), origin),
        origin,
      );
    },
    { name: "proposal", origin },
  )[0];
}

/** (N, H * W * A, 5): corners and score of every anchor moved as predicted. */
function predictedBoxes(
  probabilities: Tensor,
  moves: Tensor,
  images: Tensor,
  spec: ProposalSpec,
  origin: Origin,
): Tensor {
  const [batch, , height, width] = tuple(probabilities.shape, 4, "shape of probabilities");
  const anchors = spec.ratios.flatMap((ratio) =>
    spec.scales.map((scale) => anchorOf(ratio, scale, spec.stride)),
  );
  const { dtype } = probabilities;
  const real = (value: number): PrimExpr => imm(value, dtype);
  const pick = (k: PrimExpr, side: number): PrimExpr =>
    anchors
      .slice(0, -1)
      .reduceRight<PrimExpr>(
        (rest, anchor, i) => select(eq(k, i), real(at(anchor, side, "side of an anchor")), rest),
        real(at(last(anchors, "anchor"), side, "side of an anchor")),
      );
  return compute(
    [batch, mul(mul(height, width), anchors.length), 5],
    ([b, index, field]) => {
      const k = floorMod(index, anchors.length);
      const place = floorDiv(index, anchors.length);
      const [y, x] = [floorDiv(place, width), floorMod(place, width)];
      const [rows, columns, scale] = [images.at(b, 0), images.at(b, 1), images.at(b, 2)];
      const move = (side: number): PrimExpr => moves.at(b, add(mul(k, 4), side), y, x);
      const start = (side: number): PrimExpr =>
        add(pick(k, side), mul(cast(side % 2 === 0 ? x : y, dtype), real(spec.stride)));
      const corner = (side: 0 | 1 | 2 | 3): PrimExpr => {
        const limit = sub(side % 2 === 0 ? columns : rows, real(1));
        return max(min(moved(side, spec, start, move, real), limit), real(0));
      };
      const least = mul(scale, real(spec.minSize));
      const narrow = or(
        lt(add(sub(corner(2), corner(0)), real(1)), least),
        lt(add(sub(corner(3), corner(1)), real(1)), least),
      );
      const outside = or(
        ge(y, cast(div(rows, real(spec.stride)), int32)),
        ge(x, cast(div(columns, real(spec.stride)), int32)),
      );
      const score = select(or(narrow, outside), real(-1), probabilities.at(b, add(k, anchors.length), y, x));
      const grown = (side: 0 | 1 | 2 | 3): PrimExpr => {
        const by = div(least, real(2));
        return select(narrow, side < 2 ? sub(corner(side), by) : add(corner(side), by), corner(side));
      };
      return [0, 1, 2, 3].reduceRight<PrimExpr>(
        (rest, side) => select(eq(field, side), grown(side as 0 | 1 | 2 | 3), rest),
        score,
      );
    },
    { name: "predict_bbox", tag: "injective", origin },
  );
}

type SideOf = (side: number) => PrimExpr;

/** One corner after the prediction. */
function moved(
  side: 0 | 1 | 2 | 3,
  spec: ProposalSpec,
  start: SideOf,
  move: SideOf,
  real: (value: number) => PrimExpr,
): PrimExpr {
  if (spec.iouLoss) return add(start(side), move(side));
  const axis = side % 2;
  const extent = add(sub(start(axis + 2), start(axis)), real(1));
  const middle = add(mul(move(axis), extent), add(start(axis), mul(real(0.5), sub(extent, real(1)))));
  const half = mul(real(0.5), sub(mul(unary("tir.exp", move(axis + 2)), extent), real(1)));
  return side < 2 ? sub(middle, half) : add(middle, half);
}

interface Suppress {
  readonly b: PrimExpr;
  readonly looked: number;
  readonly threshold: number;
  readonly kept: ReturnType<typeof cell>;
  readonly origin: Origin;
}

/**
 * Marks the boxes of image b that overlap a better one, and counts the others. Both ends of a side count as
 * pixels.
 */
function suppress(
  boxes: Buffer,
  order: Buffer,
  removed: Buffer,
  { b, looked, threshold, kept, origin }: Suppress,
): Stmt {
  const one = imm(1, boxes.dtype);
  const side = (j: PrimExpr, k: number): PrimExpr => load(boxes, [b, load(order, [b, j]), intImm(k)]);
  const extent = (j: PrimExpr, axis: number): PrimExpr => add(sub(side(j, axis + 2), side(j, axis)), one);
  const overlap = (j: PrimExpr, k: PrimExpr): PrimExpr => {
    const common = (axis: number): PrimExpr =>
      max(
        imm(0, boxes.dtype),
        add(sub(min(side(j, axis + 2), side(k, axis + 2)), max(side(j, axis), side(k, axis))), one),
      );
    const both = mul(common(0), common(1));
    return div(both, sub(add(mul(extent(j, 0), extent(j, 1)), mul(extent(k, 0), extent(k, 1))), both));
  };
  const later = tirVar("k");
  return seq(
    [
      kept.set(intImm(0)),
      loop(intImm(looked), "j", origin, (j) => store(removed, [j], falseImm, origin)),
      loop(intImm(looked), "j", origin, (j) =>
        ifStmt(
          eq(load(removed, [j]), falseImm),
          seq(
            [
              kept.set(add(kept.value, 1)),
              forLoop(
                later,
                { min: add(j, 1), extent: sub(intImm(looked), add(j, 1)) },
                ifStmt(
                  gt(overlap(j, later), imm(threshold, boxes.dtype)),
                  store(removed, [later], trueImm, origin),
                  null,
                  origin,
                ),
                origin,
              ),
            ],
            origin,
          ),
          null,
          origin,
        ),
      ),
    ],
    origin,
  );
}

interface CopyKept extends Omit<Suppress, "threshold"> {
  readonly removed: Buffer;
  readonly to: Buffer;
  readonly next: ReturnType<typeof cell>;
  readonly after: number;
}

/** The kept boxes in order, again and again until image b has its rows. */
function copyKept(
  boxes: Buffer,
  order: Buffer,
  { removed, to, b, kept, next, looked, after, origin }: CopyKept,
): Stmt {
  const row = add(mul(b, after), next.value);
  const put = (j: PrimExpr): Stmt =>
    seq(
      [
        store(to, [row, intImm(0)], cast(b, boxes.dtype), origin),
        loop(intImm(4), "k", origin, (k) =>
          store(to, [row, add(k, 1)], load(boxes, [b, load(order, [b, j]), k]), origin),
        ),
        next.set(add(next.value, 1)),
      ],
      origin,
    );
  const rounds = floorDiv(add(intImm(after - 1), max(kept.value, 1)), max(kept.value, 1));
  return seq(
    [
      next.set(intImm(0)),
      loop(rounds, "round", origin, () =>
        loop(intImm(looked), "j", origin, (j) =>
          ifStmt(
            eq(load(removed, [j]), falseImm),
            ifStmt(lt(next.value, after), put(j), null, origin),
            null,
            origin,
          ),
        ),
      ),
    ],
    origin,
  );
}
