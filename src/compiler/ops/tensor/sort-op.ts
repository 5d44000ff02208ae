// What the sorting operators share: attributes, type relation, compute.
// TVM: src/relay/op/algorithm/{argsort,sort,topk}.cc
import { at } from "../../../support/assert.ts";
import { dtypeAttr, flag, int, optionalInt, text } from "../../ir/attrs.ts";
import type { Dim, TensorType, Type } from "../../ir/type.ts";
import { acceptsDType } from "../math/unary.ts";
import { axisArg, tensorArg, type Asker } from "../_shared/type-helpers.ts";

export const sortAttrs = {
  axis: int({ default: -1, doc: "Axis along which elements are sorted." }),
  is_ascend: flag({ default: true, doc: "Least element first." }),
  dtype: dtypeAttr({ default: null, doc: "Dtype of positions." }),
};

export const topkAttrs = {
  k: optionalInt({ doc: "How many elements are kept; below 1 means all." }),
  axis: int({ default: -1, doc: "Axis along which elements are sorted." }),
  ret_type: text({
    default: "both",
    doc: '"both" gives a tuple of values and positions; "values" or "indices" one of them.',
  }),
  is_ascend: flag({ default: false, doc: "Take the least elements instead of the greatest." }),
  dtype: dtypeAttr({ default: null, doc: "Dtype of positions." }),
};

/** The data's type and the sorted axis; null after reporting or while unknown. */
export function sortedAxis(
  cx: Asker,
  data: Type,
  axis: number,
): { readonly type: TensorType; readonly axis: number; readonly extent: Dim } | null {
  const type = tensorArg(cx, "data", data);
  if (type === null || !acceptsDType(cx, "data", type, "number")) return null;
  const place = axisArg(cx, axis, type.shape.length);
  if (place === null) return null;
  return { type, axis: place, extent: at(type.shape, place, "input axis") };
}
