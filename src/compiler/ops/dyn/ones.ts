// ones with a shape given as a tensor; with a constant it becomes ones.
// TVM: src/relay/op/dyn/tensor/transform.cc (InitOpRel)
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { imm } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { initSchema } from "../tensor/init-op.ts";
import { asker, dtypeOf } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynOnes = defineOp({
  name: "dyn.ones",
  inputs: ["shape"],
  attrs: initSchema,
  attrsKey: "relay.attrs.InitOpAttrs",
  pattern: "elemWise",
  type: ({ shape }, attrs, t) => {
    const cx = asker(t, "dyn.ones");
    const rank = vectorLength(cx, "shape", shape);
    if (rank === null) return null;
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, null);
    return dtype === null ? null : tensorType(dynamicDims(rank), dtype);
  },
  compute: (_, __, cx) =>
    compute(outExtents(cx), () => imm(1, cx.outType.dtype), {
      name: "T_full",
      tag: "elemwise",
      origin: cx.origin,
    }),
  shapeFunc: shapeArgument(0, 1),
  schedule: injectiveRecipe,
  toStatic: staticTwin("ones", {
    args: [],
    constants: ["shape"],
    attrs: ({ shape }, attrs) => ({ ...othersOf(attrs, "shape"), shape }),
  }),
  doc: "ones with the shape as argument.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2), int64]"],
      attrs: { dtype: "float32" },
      values: { 0: [3, 2] },
      results: ["Tensor[(3, 2), float32]"],
    },
  ],
});
