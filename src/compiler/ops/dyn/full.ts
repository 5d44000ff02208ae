// full with a shape given as a tensor; with a constant it becomes full.
// TVM: src/relay/op/dyn/tensor/transform.cc (FullRel)
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { cast } from "../../tir/build.ts";
import { defineOp } from "../define.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { filled, initSchema } from "../tensor/init-op.ts";
import { asker, checkRank, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynFull = defineOp({
  name: "dyn.full",
  inputs: ["fill_value", "shape"],
  attrs: initSchema,
  attrsKey: "relay.attrs.InitOpAttrs",
  pattern: "elemWise",
  type: ({ fill_value: value, shape }, attrs, t) => {
    const cx = asker(t, "dyn.full");
    const scalar = tensorArg(cx, "fill_value", value);
    const rank = vectorLength(cx, "shape", shape);
    if (scalar === null || rank === null || !checkRank(cx, "fill_value", scalar, [0])) return null;
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, scalar.dtype);
    return dtype === null ? null : tensorType(dynamicDims(rank), dtype);
  },
  compute: ({ fill_value: value }, _, cx) => filled(cx, cast(value.at(), cx.outType.dtype)),
  shapeFunc: shapeArgument(1, 2),
  schedule: injectiveRecipe,
  toStatic: staticTwin("full", {
    args: ["fill_value"],
    constants: ["shape"],
    attrs: ({ shape }, attrs) => ({ ...othersOf(attrs, "shape"), shape }),
  }),
  doc: "full with the shape as the second argument.",
  examples: [
    {
      name: "matrix",
      args: ["float32", "Tensor[(2), int64]"],
      attrs: { dtype: "float32" },
      values: { 1: [2, 4] },
      results: ["Tensor[(2, 4), float32]"],
    },
  ],
});
