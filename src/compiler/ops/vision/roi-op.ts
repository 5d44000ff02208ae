// Attributes and type relation that the pools of regions share.
// TVM: src/relay/op/vision/rcnn_op.cc (ROIAlignRel, ROIPoolRel)
import { at, first } from "../../../support/assert.ts";
import { float, ints, text } from "../../ir/attrs.ts";
import { printType, tensorType, type TensorType, type Type } from "../../ir/type.ts";
import type { RoiSpec } from "../../topi/roi.ts";
import { acceptsDType } from "../math/unary.ts";
import { checkRank, intsAttr, oneOf, requiredAttr, tensorArg, type Asker } from "../_shared/type-helpers.ts";

interface RoiAttrs {
  readonly pooled_size: readonly number[];
  readonly spatial_scale: number;
  readonly layout: string;
}

export const roiBins = {
  pooled_size: ints({ doc: "Height and width of the result." }),
  spatial_scale: float({ doc: "Factor from the regions' coordinates to pixels of data." }),
};
export const roiLayout = text({ default: "NCHW", doc: '"NCHW" or "NHWC".' });

/** What loops over the bins take of the attributes. */
export function roiSpec({ layout, pooled_size: size, spatial_scale: scale }: RoiAttrs): RoiSpec {
  return {
    layout: layout as "NCHW" | "NHWC",
    pooled: [first(size, "pooled_size"), at(size, 1, "pooled_size")],
    scale,
  };
}

export function roiRelation(
  cx: Asker,
  args: { readonly data: Type; readonly rois: Type },
  attrs: RoiAttrs,
): TensorType | null {
  const data = tensorArg(cx, "data", args.data);
  const rois = tensorArg(cx, "rois", args.rois);
  if (
    data === null ||
    rois === null ||
    !checkRank(cx, "data", data, [4]) ||
    !checkRank(cx, "rois", rois, [2])
  )
    return null;
  if (!acceptsDType(cx, "data", data, "float") || !acceptsDType(cx, "rois", rois, "float")) return null;
  const size = intsAttr(cx, "pooled_size", attrs.pooled_size, { lengths: [2], least: 1 });
  if (
    size === null ||
    requiredAttr(cx, "spatial_scale", attrs.spatial_scale) === null ||
    !oneOf(cx, "layout", attrs.layout, ["NCHW", "NHWC"])
  )
    return null;
  if (!cx.t.dimEqual(at(rois.shape, 1, "rois axis"), 5)) {
    return cx.t.error("RS2105", `${cx.op}: argument \`rois\` does not list regions`, {
      expected: "rows of 5: batch, left, top, right, bottom",
      got: printType(rois),
    });
  }
  const shape =
    attrs.layout === "NCHW"
      ? [first(rois.shape, "rois axis"), at(data.shape, 1, "data axis"), ...size]
      : [first(rois.shape, "rois axis"), ...size, at(data.shape, 3, "data axis")];
  return tensorType(shape, data.dtype);
}
