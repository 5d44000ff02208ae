// expand_dims at an axis given as a tensor; with a constant it becomes expand_dims.
// TVM: src/relay/op/dyn/tensor/transform.cc (ExpandDimsRel)
import { only } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { reshape } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { dynExpandDimsShape } from "../_shape-funcs/transform.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";
import { maxNewAxes } from "../tensor/expand-dims.ts";
import { staticTwin, dynamicDims, othersOf } from "./dyn-op.ts";

export const dynExpandDims = defineOp({
  name: "dyn.expand_dims",
  inputs: ["data", "axis"],
  attrs: { num_newaxis: int({ default: 1, doc: "Number of axes that are put in." }) },
  attrsKey: "relay.attrs.DynExpandDimsAttrs",
  pattern: "injective",
  type: ({ data, axis }, attrs, t) => {
    const cx = asker(t, "dyn.expand_dims");
    const type = tensorArg(cx, "data", data);
    const at = tensorArg(cx, "axis", axis);
    if (
      type === null ||
      at === null ||
      !checkRank(cx, "axis", at, [0]) ||
      !acceptsDType(cx, "axis", at, "integer")
    )
      return null;
    if (attrs.num_newaxis >= 0 && attrs.num_newaxis <= maxNewAxes)
      return tensorType(dynamicDims(type.shape.length + attrs.num_newaxis), type.dtype);
    return t.error("RS2108", "dyn.expand_dims: attribute `num_newaxis` is not usable", {
      expected: `0 to ${maxNewAxes}`,
      got: String(attrs.num_newaxis),
    });
  },
  compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
  shapeFunc: dynExpandDimsShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("expand_dims", {
    args: ["data"],
    constants: ["axis"],
    attrs: ({ axis }, attrs) => ({ axis: only(axis, "axis"), ...othersOf(attrs, "axis") }),
  }),
  flags: { attrsInMeta: true },
  doc: "expand_dims with the axis as the second argument; a negative axis counts from the end of the result.",
  examples: [
    {
      name: "two axes",
      args: ["Tensor[(2, 3), float32]", "int64"],
      attrs: { num_newaxis: 2 },
      values: { 1: [1] },
      results: ["Tensor[(2, 1, 1, 3), float32]"],
    },
  ],
});
