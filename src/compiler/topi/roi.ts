// Pooling of regions of an image that another tensor lists.  TVM: python/tvm/topi/vision/rcnn/roi_align.py,
// roi_pool.py
import { at, first, tuple } from "../../support/assert.ts";
import { float32, int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  and,
  cast,
  div,
  eq,
  floatImm,
  gt,
  ifThenElse,
  imm,
  intImm,
  letStmt,
  load,
  lt,
  max,
  min,
  mul,
  or,
  seq,
  store,
  sub,
  tirVar,
  unary,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr, TirVar } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern, minValue } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop, nest } from "./extern-loops.ts";

export interface RoiSpec {
  readonly layout: "NCHW" | "NHWC";
  readonly pooled: readonly [height: number, width: number];
  readonly scale: number;
}

const real = (value: number): PrimExpr => floatImm(value, float32);

/** Names a chain of values, then builds the statement that uses them. */
function lets(values: readonly (readonly [TirVar, PrimExpr])[], body: Stmt, origin: Origin): Stmt {
  return values.reduceRight<Stmt>(
    (inner, [variable, value]) => letStmt(variable, value, inner, origin),
    body,
  );
}

interface Place {
  readonly roi: PrimExpr;
  readonly channel: PrimExpr;
  readonly ph: PrimExpr;
  readonly pw: PrimExpr;
}

function outShape(data: Tensor, rois: Tensor, spec: RoiSpec): PrimExpr[] {
  const [h, w] = [intImm(spec.pooled[0]), intImm(spec.pooled[1])];
  return spec.layout === "NCHW"
    ? [first(rois.shape, "rois axis"), at(data.shape, 1, "data axis"), h, w]
    : [first(rois.shape, "rois axis"), h, w, at(data.shape, 3, "data axis")];
}

function placeOf(i: readonly PrimExpr[], spec: RoiSpec): Place {
  const [roi, a, b, c] = tuple(i, 4, "place in the result");
  return spec.layout === "NCHW" ? { roi, channel: a, ph: b, pw: c } : { roi, channel: c, ph: a, pw: b };
}

interface Pixel {
  readonly batch: PrimExpr;
  readonly channel: PrimExpr;
  readonly y: PrimExpr;
  readonly x: PrimExpr;
}

/** A pixel of the image, the batch cut to those that there are; 0 where there is no pixel at all. */
function pixel(data: Buffer, spec: RoiSpec, { batch, channel, y, x }: Pixel): PrimExpr {
  if (data.shape.some((extent) => knownInt(extent) === 0)) return imm(0, data.dtype);
  const inBatch = max(min(batch, sub(first(data.shape, "data axis"), 1)), 0);
  return load(data, spec.layout === "NCHW" ? [inBatch, channel, y, x] : [inBatch, y, x, channel]);
}

function imageSize(data: Tensor, spec: RoiSpec): readonly [number, number] {
  const [h, w] = spec.layout === "NCHW" ? [2, 3] : [1, 2];
  return [knownInt(at(data.shape, h, "data axis")), knownInt(at(data.shape, w, "data axis"))];
}

interface RoiAlignSpec extends RoiSpec {
  readonly mode: "avg" | "max";
  /** Samples along each axis of a bin; 0 or less takes about one per pixel. */
  readonly samples: number;
}

/**
 * Average or maximum of bilinear samples in each of the bins that a region is divided into. rois: (batch, x1,
 * y1, x2, y2).
 */
export function roiAlign(data: Tensor, rois: Tensor, spec: RoiAlignSpec, origin: Origin): Tensor {
  const [height, width] = imageSize(data, spec);
  return extern(
    [data, rois],
    [{ shape: outShape(data, rois, spec), dtype: data.dtype }],
    ([from, regions], [to]) =>
      nest(to.shape, origin, (i) => {
        const place = placeOf(i, spec);
        const field = (k: number): PrimExpr => load(regions, [place.roi, intImm(k)]);
        const v = (name: string, dtype = float32): TirVar => tirVar(name, dtype);
        const [batch, y0, x0, binH, binW, countH, countW] = [
          v("batch", int32),
          v("y0"),
          v("x0"),
          v("bin_h"),
          v("bin_w"),
          v("count_h", int32),
          v("count_w", int32),
        ];
        const [firstH, firstW, endH, endW] = [
          v("first_h", int32),
          v("first_w", int32),
          v("end_h", int32),
          v("end_w", int32),
        ];
        const scaled = (k: number): PrimExpr => mul(cast(field(k), float32), real(spec.scale));
        const bin = (from_: number, to_: number, parts: number): PrimExpr =>
          div(max(sub(scaled(to_), scaled(from_)), real(1)), real(parts));
        const count = (size: PrimExpr): PrimExpr =>
          spec.samples > 0 ? intImm(spec.samples) : cast(unary("tir.ceil", size), int32);
        const sample = (start: TirVar, size: TirVar, parts: TirVar, k: PrimExpr): PrimExpr =>
          add(start, div(mul(add(cast(k, float32), real(0.5)), size), cast(parts, float32)));
        const value = (rh: PrimExpr, rw: PrimExpr): PrimExpr =>
          bilinear(from, spec, {
            batch,
            at: place,
            y: sample(y0, binH, countH, rh),
            x: sample(x0, binW, countW, rw),
            height,
            width,
          });
        const average = (one: PrimExpr): PrimExpr =>
          add(load(to, i), cast(div(one, mul(cast(countH, float32), cast(countW, float32))), data.dtype));
        const most = (one: PrimExpr): PrimExpr => max(load(to, i), cast(one, data.dtype));
        const body = loop(sub(endH, firstH), "rh", origin, (rh) =>
          loop(sub(endW, firstW), "rw", origin, (rw) => {
            const one = value(add(firstH, rh), add(firstW, rw));
            return store(to, i, spec.mode === "max" ? most(one) : average(one), origin);
          }),
        );
        const all = and(and(eq(firstH, 0), eq(firstW, 0)), and(eq(endH, countH), eq(endW, countW)));
        const zero = imm(0, data.dtype);
        const start = store(
          to,
          i,
          spec.mode === "max" ? ifThenElse(all, minValue(data.dtype), zero) : zero,
          origin,
        );
        return lets(
          [
            [batch, cast(field(0), int32)],
            [binH, bin(2, 4, spec.pooled[0])],
            [binW, bin(1, 3, spec.pooled[1])],
            [countH, count(binH)],
            [countW, count(binW)],
            [y0, add(scaled(2), mul(cast(place.ph, float32), binH))],
            [x0, add(scaled(1), mul(cast(place.pw, float32), binW))],
            [firstH, firstInside(y0, binH, countH)],
            [firstW, firstInside(x0, binW, countW)],
            [endH, endInside(y0, binH, countH, { first: firstH, extent: height })],
            [endW, endInside(x0, binW, countW, { first: firstW, extent: width })],
          ],
          seq([start, body], origin),
          origin,
        );
      }),
    { name: "roi_align", tag: "pool,roi_align_nchw", origin },
  )[0];
}

/** A real number as int32, cut so that sums of three of them do not wrap. */
const asIndex = (value: PrimExpr): PrimExpr => cast(min(max(value, real(-(2 ** 29))), real(2 ** 29)), int32);

/**
 * Of the samples of a bin only those within a pixel of the image are not 0: where a region is far larger than
 * the image, the loops leave out the others. Two more are taken on either side, for the rounding.
 */
function firstInside(start: PrimExpr, size: PrimExpr, count: PrimExpr): PrimExpr {
  const at_ = div(mul(sub(real(-1), start), cast(count, float32)), size);
  return min(max(sub(asIndex(unary("tir.floor", at_)), 2), 0), max(count, 0));
}

/** Sample behind the last one that counts, as firstInside. */
function endInside(
  start: PrimExpr,
  size: PrimExpr,
  count: PrimExpr,
  { first: from, extent }: { readonly first: PrimExpr; readonly extent: number },
): PrimExpr {
  const at_ = div(mul(sub(real(extent), start), cast(count, float32)), size);
  return max(min(add(asIndex(unary("tir.ceil", at_)), 2), count), from);
}

interface Sample {
  readonly batch: PrimExpr;
  readonly at: Place;
  readonly y: PrimExpr;
  readonly x: PrimExpr;
  readonly height: number;
  readonly width: number;
}

/** The image at a real position; 0 more than one pixel outside. */
function bilinear(data: Buffer, spec: RoiSpec, s: Sample): PrimExpr {
  const outside = or(
    or(lt(s.y, real(-1)), lt(s.x, real(-1))),
    or(gt(s.y, real(s.height)), gt(s.x, real(s.width))),
  );
  const y = min(max(s.y, real(0)), real(s.height - 1));
  const x = min(max(s.x, real(0)), real(s.width - 1));
  const whole = (value: PrimExpr): PrimExpr => cast(unary("tir.floor", value), int32);
  const [low, left] = [whole(y), whole(x)];
  const [high, right] = [min(add(low, 1), s.height - 1), min(add(left, 1), s.width - 1)];
  const [fy, fx] = [sub(y, unary("tir.floor", y)), sub(x, unary("tir.floor", x))];
  const { batch, at: place } = s;
  const get = (row: PrimExpr, column: PrimExpr): PrimExpr =>
    cast(pixel(data, spec, { batch, channel: place.channel, y: row, x: column }), float32);
  const mix = (a: PrimExpr, b: PrimExpr, t: PrimExpr): PrimExpr => add(mul(a, sub(real(1), t)), mul(b, t));
  const value = mix(mix(get(low, left), get(low, right), fx), mix(get(high, left), get(high, right), fx), fy);
  return ifThenElse(outside, real(0), value);
}

/** Maximum of the pixels in each of the bins that a region is divided into; 0 where a bin is empty. */
export function roiPool(data: Tensor, rois: Tensor, spec: RoiSpec, origin: Origin): Tensor {
  const [height, width] = imageSize(data, spec);
  return extern(
    [data, rois],
    [{ shape: outShape(data, rois, spec), dtype: data.dtype }],
    ([from, regions], [to]) =>
      nest(to.shape, origin, (i) => {
        const place = placeOf(i, spec);
        const field = (k: number): PrimExpr => load(regions, [place.roi, intImm(k)]);
        const rounded = (k: number): PrimExpr =>
          asIndex(unary("tir.round", mul(cast(field(k), float32), real(spec.scale))));
        const v = (name: string, dtype = int32): TirVar => tirVar(name, dtype);
        const [batch, y1, x1, binH, binW] = [
          v("batch"),
          v("y1"),
          v("x1"),
          v("bin_h", float32),
          v("bin_w", float32),
        ];
        const [hBegin, hEnd, wBegin, wEnd] = [v("h_begin"), v("h_end"), v("w_begin"), v("w_end")];
        const bin = (start: TirVar, end: number, parts: number): PrimExpr =>
          div(cast(max(add(sub(rounded(end), start), 1), 1), float32), real(parts));
        const inside = (value: PrimExpr, start: TirVar, extent: number): PrimExpr =>
          min(max(add(value, start), 0), extent);
        const begin = (k: PrimExpr, size: TirVar): PrimExpr =>
          cast(unary("tir.floor", add(mul(cast(k, float32), size), real(1e-5))), int32);
        const end = (k: PrimExpr, size: TirVar): PrimExpr =>
          cast(unary("tir.ceil", sub(mul(cast(add(k, 1), float32), size), real(1e-5))), int32);
        const filled = and(lt(hBegin, hEnd), lt(wBegin, wEnd));
        const start = store(to, i, ifThenElse(filled, minValue(data.dtype), imm(0, data.dtype)), origin);
        const body = loop(sub(hEnd, hBegin), "rh", origin, (rh) =>
          loop(sub(wEnd, wBegin), "rw", origin, (rw) =>
            store(
              to,
              i,
              max(
                load(to, i),
                pixel(from, spec, { batch, channel: place.channel, y: add(hBegin, rh), x: add(wBegin, rw) }),
              ),
              origin,
            ),
          ),
        );
        return lets(
          [
            [batch, cast(field(0), int32)],
            [y1, rounded(2)],
            [x1, rounded(1)],
            [binH, bin(y1, 4, spec.pooled[0])],
            [binW, bin(x1, 3, spec.pooled[1])],
            [hBegin, inside(begin(place.ph, binH), y1, height)],
            [hEnd, inside(end(place.ph, binH), y1, height)],
            [wBegin, inside(begin(place.pw, binW), x1, width)],
            [wEnd, inside(end(place.pw, binW), x1, width)],
          ],
          seq([start, body], origin),
          origin,
        );
      }),
    { name: "roi_pool", tag: "pool,roi_pool", origin },
  )[0];
}
