// Resampling of images.  TVM: python/tvm/relay/frontend/tflite.py (_convert_resize)
// Known difference: TVM leaves out how nearest neighbours are rounded, and gets other neighbours than TFLite.
import { int32 } from "../../../ir/dtype.ts";
import { tensorData } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import { constantOf, listed, shapeOfRank } from "../../import-node.ts";
import { flag } from "../flatbuffer.ts";
import { call, exprOf, input, intsOf, option, type TfNode } from "../graph.ts";
import { inFloats } from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

/** RESIZE_BILINEAR; its options begin with two fields that are not used any more. */
const bilinear = tfOp("RESIZE_BILINEAR", (n) => {
  const size = intsOf(n, 1, "the size");
  const [corners, centers] = [option(n, flag, 2, false), option(n, flag, 3, false)];
  const mode = centers ? "half_pixel" : corners ? "align_corners" : "asymmetric";
  return inFloats(n, (x) =>
    call(n, "image.resize2d", [x], {
      size,
      layout: "NHWC",
      method: "linear",
      coordinate_transformation_mode: mode,
    }),
  );
});

interface Nearest {
  readonly corners: boolean;
  readonly centers: boolean;
}

/** Halves go away from zero. */
const rounded = (x: number): number => Math.floor(x + 0.5);

/**
 * Where each of `size` positions reads, as TFLite computes it in 32-bit floats.  Source:
 * reference/resize_nearest_neighbor.h
 */
function tfliteIndices(extent: number, size: number, { corners, centers }: Nearest): readonly number[] {
  const scale = Math.fround(corners && size > 1 ? (extent - 1) / (size - 1) : extent / size);
  return Array.from({ length: size }, (_, i) => {
    const place = Math.fround(Math.fround(i + (centers ? 0.5 : 0)) * scale);
    return Math.min(corners ? rounded(place) : Math.floor(place), extent - 1);
  });
}

/**
 * The same of image.resize2d in the mode that stands for it, which adds a small number before it rounds down.
 */
function relayIndices(extent: number, size: number, { corners, centers }: Nearest): readonly number[] {
  if (!corners && !centers && size % extent === 0)
    return Array.from({ length: size }, (_, i) => Math.floor((i * extent) / size));
  const scale = Math.fround(corners && !centers ? (size > 1 ? (extent - 1) / (size - 1) : 0) : extent / size);
  return Array.from({ length: size }, (_, i) => {
    const place = Math.fround(Math.fround(i + (centers ? 0.5 : 0)) * scale);
    const index = corners && !centers ? rounded(place) : Math.floor(Math.fround(place + Math.fround(1e-5)));
    return Math.min(index, extent - 1);
  });
}

/** image.resize2d where it reads what TFLite reads; else rows and columns are taken by number. */
const nearest = tfOp("RESIZE_NEAREST_NEIGHBOR", (n) => {
  const data = exprOf(n, input(n, 0));
  const [, height, width] = shapeOfRank(n, data, 4, "its data");
  const sizes = intsOf(n, 1, "the size");
  const how = { corners: option(n, flag, 0, false), centers: option(n, flag, 1, false) };
  const axes = [height, width].map((extent, i) => ({ extent, size: listed(n, sizes, i, "sizes") }));
  const same = axes.every(({ extent, size }) => {
    const wanted = tfliteIndices(extent, size, how);
    return relayIndices(extent, size, how).every((index, i) => index === wanted[i]);
  });
  if (same)
    return call(n, "image.resize2d", [data], {
      size: sizes,
      layout: "NHWC",
      method: "nearest_neighbor",
      coordinate_transformation_mode: how.centers
        ? "tf_half_pixel_for_nn"
        : how.corners
          ? "align_corners"
          : "asymmetric",
      rounding_method: how.corners && !how.centers ? "round" : "floor",
    });
  return axes.reduce<Expr>(
    (x, { extent, size }, i) => taken(n, x, tfliteIndices(extent, size, how), i + 1),
    data,
  );
});

function taken(n: TfNode, x: Expr, indices: readonly number[], axis: number): Expr {
  const numbers = constantOf(n, tensorData(int32, [indices.length], Int32Array.from(indices)));
  return call(n, "take", [x, numbers], { axis, mode: "fast" });
}

export const resizeOps: readonly TfOp[] = [bilinear, nearest];
