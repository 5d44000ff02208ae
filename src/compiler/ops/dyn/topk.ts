// topk with a count given as a tensor; with a constant it becomes topk.
// TVM: src/relay/op/dyn/algorithm/topk.cc (TopKRel)
import { only, last } from "../../../support/assert.ts";
import { int32 } from "../../ir/dtype.ts";
import { anyDim, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sort } from "../../topi/sort.ts";
import { topkOutputs } from "../tensor/topk.ts";
import { defineOp } from "../define.ts";
import { dynTopkShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, dtypeOf, oneOf, tensorArg } from "../_shared/type-helpers.ts";
import { isOneNumber, othersOf, staticTwin } from "./dyn-op.ts";
import { topkAttrs } from "../tensor/sort-op.ts";

export const dynTopk = defineOp({
  name: "dyn.topk",
  inputs: ["data", "k"],
  attrs: topkAttrs,
  attrsKey: "relay.attrs.TopkAttrs",
  pattern: "opaque",
  type: ({ data, k }, attrs, t) => {
    const cx = asker(t, "dyn.topk");
    const type = tensorArg(cx, "data", data);
    const count = tensorArg(cx, "k", k);
    if (type === null || count === null || !isOneNumber(cx, "k", count)) return null;
    const axis = axisArg(cx, attrs.axis, type.shape.length);
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, int32);
    if (
      axis === null ||
      dtype === null ||
      !oneOf(cx, "ret_type", attrs.ret_type, ["both", "values", "indices"])
    )
      return null;
    const shape = type.shape.map((dim, i) => (i === axis ? anyDim : dim));
    const [values, indices] = [tensorType(shape, type.dtype), tensorType(shape, dtype)];
    return attrs.ret_type === "both"
      ? tupleType([values, indices])
      : attrs.ret_type === "values"
        ? values
        : indices;
  },
  compute: ({ data }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    const outputs = topkOutputs(attrs.ret_type, data.dtype, last(cx.outTypes, "result type").dtype);
    return sort(
      data,
      { axis, ascending: attrs.is_ascend, count: Number(cx.outType.shape[axis]), outputs, name: "topk_cpu" },
      cx.origin,
    );
  },
  shapeFunc: dynTopkShape,
  schedule: externRecipe,
  toStatic: staticTwin("topk", {
    args: ["data"],
    constants: ["k"],
    attrs: ({ k }, attrs) => ({ ...othersOf(attrs, "k"), k: only(k, "k") }),
  }),
  doc: "topk with the count as the second argument; all elements where the axis has no more.",
  examples: [
    {
      name: "both",
      args: ["Tensor[(2, 7), float32]", "int64"],
      attrs: { dtype: "int32" },
      values: { 1: [3] },
      results: ["Tensor[(2, 3), float32]", "Tensor[(2, 3), int32]"],
    },
  ],
});
