// one_hot with a depth given as a tensor; with a constant it becomes one_hot.
// TVM: src/relay/op/dyn/tensor/transform.cc (OneHotRel)
import { only } from "../../../support/assert.ts";
import { anyDim, tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { dynOneHotShape } from "../_shape-funcs/transform.ts";
import { hotPositions, oneHotAttrs, oneHotCompute } from "../tensor/one-hot.ts";
import { asker, axisArg, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";
import { isOneNumber, othersOf, staticTwin } from "./dyn-op.ts";

export const dynOneHot = defineOp({
  name: "dyn.one_hot",
  inputs: ["indices", "on_value", "off_value", "depth"],
  attrs: oneHotAttrs,
  attrsKey: "relay.attrs.OneHotAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "dyn.one_hot");
    const positions = hotPositions(cx, args);
    const depth = tensorArg(cx, "depth", args.depth);
    if (positions === null || depth === null || !isOneNumber(cx, "depth", depth)) return null;
    const axis = axisArg(cx, attrs.axis, positions.shape.length + 1);
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, null);
    return axis === null || dtype === null
      ? null
      : tensorType([...positions.shape.slice(0, axis), anyDim, ...positions.shape.slice(axis)], dtype);
  },
  compute: oneHotCompute,
  shapeFunc: dynOneHotShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("one_hot", {
    args: ["indices", "on_value", "off_value"],
    constants: ["depth"],
    attrs: ({ depth }, attrs) => ({ ...othersOf(attrs, "depth"), depth: only(depth, "depth") }),
  }),
  doc: "one_hot with the depth as the fourth argument.",
  examples: [
    {
      name: "vector",
      args: ["Tensor[(4), int32]", "float32", "float32", "int64"],
      attrs: { dtype: "float32" },
      values: { 3: [5] },
      results: ["Tensor[(4, 5), float32]"],
    },
  ],
});
