// Axes in another order.  TVM: src/relay/op/tensor/transform.cc (TransposeRel)
import { at } from "../../../support/assert.ts";
import { optionalInts } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { transpose as transposeCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { transposeShape } from "../_shape-funcs/transform.ts";
import { asker, axesArg, tensorArg } from "../_shared/type-helpers.ts";

function orderOf(axes: readonly number[] | null, rank: number): readonly number[] {
  if (axes === null) return Array.from({ length: rank }, (_, i) => rank - 1 - i);
  return axes.map((axis) => (axis < 0 ? axis + rank : axis));
}

export const transpose = defineOp({
  name: "transpose",
  inputs: ["data"],
  attrs: { axes: optionalInts({ doc: "For every result axis the axis it comes from; None reverses them." }) },
  attrsKey: "relay.attrs.TransposeAttrs",
  pattern: "injective",
  type: ({ data }, { axes }, t) => {
    const cx = asker(t, "transpose");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const rank = type.shape.length;
    if (axes !== null && axes.length !== rank) {
      return t.error("RS2104", "transpose: attribute `axes` does not name every axis", {
        expected: `${rank} axes`,
        got: `[${axes.join(", ")}]`,
      });
    }
    if (axes !== null && axesArg(cx, axes, rank, "axes") === null) return null;
    return tensorType(
      orderOf(axes, rank).map((axis) => at(type.shape, axis, "input axis")),
      type.dtype,
    );
  },
  compute: ({ data }, { axes }, cx) => transposeCompute(data, orderOf(axes, data.shape.length), cx.origin),
  shapeFunc: transposeShape,
  schedule: injectiveRecipe,
  doc: "Result axis i is axis axes[i] of data.",
  examples: [
    { name: "NCHW to NHWC", args: ["Tensor[(1, 2, 3, 4), float32]"], attrs: { axes: [0, 2, 3, 1] } },
    { name: "reversed", args: ["Tensor[(2, 3, 4), float32]"] },
    { name: "from the end", args: ["Tensor[(2, 3, 4), int32]"], attrs: { axes: [-1, 0, 1] } },
  ],
});
