// Anchor boxes of single-shot detectors.  TVM: python/tvm/topi/vision/ssd/multibox.py
// Known difference: rows behind the detections are -1 (TVM leaves them as they were).
import { last, at, first, tuple } from "../../support/assert.ts";
import { int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  and,
  cast,
  div,
  eq,
  floorDiv,
  floorMod,
  ge,
  gt,
  ifStmt,
  imm,
  intImm,
  load,
  max,
  min,
  mul,
  select,
  seq,
  store,
  sub,
  unary,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, loop, withCells, type Cell } from "./extern-loops.ts";

interface PriorSpec {
  readonly sizes: readonly number[];
  readonly ratios: readonly number[];
  readonly steps: readonly number[];
  readonly offsets: readonly number[];
  readonly clip: boolean;
}

/**
 * Corners (1, H * W * (sizes + ratios - 1), 4) of boxes around every position of data (N, C, H, W), in parts
 * of the image.
 */
export function multiboxPrior(data: Tensor, spec: PriorSpec, origin: Origin): Tensor {
  const [height, width] = [
    knownInt(at(data.shape, 2, "data axis")),
    knownInt(at(data.shape, 3, "data axis")),
  ];
  // Half width and height: all sizes with the ratio 1, then the first size with the other ratios.
  const halves = [
    ...spec.sizes.map((size) => [(size * height) / width / 2, size / 2] as const),
    ...spec.ratios
      .slice(1)
      .map(
        (ratio) =>
          [
            (((first(spec.sizes, "size") * height) / width) * Math.sqrt(ratio)) / 2,
            first(spec.sizes, "size") / Math.sqrt(ratio) / 2,
          ] as const,
      ),
  ];
  const real = (value: number): PrimExpr => imm(value, data.dtype);
  const pick = (k: PrimExpr, values: readonly number[]): PrimExpr =>
    values
      .slice(0, -1)
      .reduceRight<PrimExpr>(
        (rest, value, i) => select(eq(k, i), real(value), rest),
        real(last(values, "value")),
      );
  return compute(
    [1, height * width * halves.length, 4],
    ([, count, side]) => {
      const place = floorDiv(count, halves.length);
      const kind = floorMod(count, halves.length);
      const center = (of: PrimExpr, axis: 0 | 1, extent: number): PrimExpr =>
        mul(
          add(cast(of, data.dtype), real(at(spec.offsets, axis, "offset"))),
          real(at(spec.steps, axis, "step") > 0 ? at(spec.steps, axis, "step") : 1 / extent),
        );
      const along = eq(floorMod(side, 2), 0);
      const middle = select(
        along,
        center(floorMod(place, width), 1, width),
        center(floorDiv(place, width), 0, height),
      );
      const half = select(
        along,
        pick(
          kind,
          halves.map(([w]) => w),
        ),
        pick(
          kind,
          halves.map(([, h]) => h),
        ),
      );
      const corner = select(ge(side, 2), add(middle, half), sub(middle, half));
      return spec.clip ? max(min(corner, real(1)), real(0)) : corner;
    },
    { name: "multibox_prior", tag: "injective", origin },
  );
}

interface TransformSpec {
  readonly clip: boolean;
  readonly threshold: number;
  readonly variances: readonly number[];
}

/**
 * Detections (N, anchors, 6) as (class, score, corners), those found first, and how many (N). Class 0 is the
 * background.
 */
export function multiboxTransformLoc(
  probabilities: Tensor,
  shifts: Tensor,
  anchors: Tensor,
  spec: TransformSpec,
  origin: Origin,
): readonly Tensor[] {
  const [batch, , count] = tuple(probabilities.shape, 3, "shape of probabilities");
  const { dtype } = probabilities;
  return extern(
    [probabilities, shifts, anchors],
    [
      { shape: [batch, count, 6], dtype },
      { shape: [batch], dtype: int32 },
    ],
    ([from, moved, boxes], [to, totals]) => {
      const [kind, score] = [cell("kind", int32, origin), cell("score", dtype, origin)];
      const detection: Detection = { spec, from, moved, boxes, to, totals, kind, score, origin };
      const clear = (i: PrimExpr): Stmt =>
        loop(count, "j", origin, (j) =>
          loop(intImm(6), "k", origin, (k) => store(to, [i, j, k], imm(-1, dtype), origin)),
        );
      const image = (i: PrimExpr): Stmt =>
        seq(
          [
            store(totals, [i], intImm(0), origin),
            clear(i),
            loop(count, "j", origin, (j) => detect(detection, i, j)),
          ],
          origin,
        );
      return withCells([kind, score], loop(batch, "i", origin, image), origin);
    },
    { name: "multibox_transform_loc", origin },
  );
}

interface Detection {
  readonly spec: TransformSpec;
  /** Probabilities, shifts of the anchors, and the anchors. */
  readonly from: Buffer;
  readonly moved: Buffer;
  readonly boxes: Buffer;
  readonly to: Buffer;
  readonly totals: Buffer;
  /** The best class of the anchor at hand, and its probability. */
  readonly kind: Cell;
  readonly score: Cell;
  readonly origin: Origin;
}

/** Adds what anchor j of image i shows, if it is probable enough. */
function detect(d: Detection, i: PrimExpr, j: PrimExpr): Stmt {
  const { spec, from, to, totals, kind, score, origin } = d;
  const { dtype } = to;
  const row = load(totals, [i]);
  const value = (c: PrimExpr): PrimExpr => load(from, [i, add(c, 1), j]);
  const best = loop(sub(at(from.shape, 1, "input axis"), 1), "c", origin, (c) =>
    ifStmt(gt(value(c), score.value), seq([kind.set(add(c, 1)), score.set(value(c))], origin), null, origin),
  );
  const fields = [sub(cast(kind.value, dtype), imm(1, dtype)), score.value, ...movedCorners(d, i, j)];
  const found = seq(
    [
      ...fields.map((field, k) => store(to, [i, row, intImm(k)], field, origin)),
      store(totals, [i], add(row, 1), origin),
    ],
    origin,
  );
  const probable = and(gt(kind.value, 0), ge(score.value, imm(spec.threshold, dtype)));
  return seq(
    [kind.set(intImm(0)), score.set(imm(-1, dtype)), best, ifStmt(probable, found, null, origin)],
    origin,
  );
}

/** Anchor j, moved and stretched by the shifts of image i. */
function movedCorners({ spec, moved, boxes }: Detection, i: PrimExpr, j: PrimExpr): readonly PrimExpr[] {
  const real = (value: number): PrimExpr => imm(value, moved.dtype);
  const corner = (k: number): PrimExpr => load(boxes, [intImm(0), j, intImm(k)]);
  const shift = (k: number): PrimExpr =>
    mul(load(moved, [i, add(mul(j, 4), k)]), real(at(spec.variances, k, "variance")));
  const side = (axis: 0 | 1, sign: 1 | -1): PrimExpr => {
    const extent = sub(corner(axis + 2), corner(axis));
    const middle = add(mul(shift(axis), extent), div(add(corner(axis), corner(axis + 2)), real(2)));
    const half = div(mul(unary("tir.exp", shift(axis + 2)), extent), real(2));
    const value = sign > 0 ? add(middle, half) : sub(middle, half);
    return spec.clip ? max(real(0), min(real(1), value)) : value;
  };
  return [side(0, -1), side(1, -1), side(0, 1), side(1, 1)];
}
