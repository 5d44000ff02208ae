// squeeze of axes given as a tensor; with a constant it becomes squeeze.
// TVM: src/relay/op/dyn/tensor/transform.cc (DynamicSqueezeRel)
import { optionalInts } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { reshape } from "../../topi/transform.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { dynSqueezeShape } from "../_shape-funcs/transform.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynSqueeze = defineOp({
  name: "dyn.squeeze",
  inputs: ["data", "axes"],
  attrs: { axis: optionalInts({ default: null, doc: "Not used." }) },
  attrsKey: "relay.attrs.SqueezeAttrs",
  pattern: "injective",
  type: ({ data, axes }, _, t) => {
    const cx = asker(t, "dyn.squeeze");
    const type = tensorArg(cx, "data", data);
    const count = vectorLength(cx, "axes", axes);
    if (type === null || count === null) return null;
    if (count <= type.shape.length) return tensorType(dynamicDims(type.shape.length - count), type.dtype);
    return t.error("RS2104", "dyn.squeeze: more axes are removed than there are", {
      expected: `at most ${type.shape.length} axes, those of ${printType(type)}`,
      got: String(count),
    });
  },
  compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
  shapeFunc: dynSqueezeShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("squeeze", {
    args: ["data"],
    constants: ["axes"],
    attrs: ({ axes: axis }) => ({ axis }),
  }),
  flags: { reshapeOnly: true },
  doc: "squeeze with the axes as the second argument.",
  examples: [
    {
      name: "one axis",
      args: ["Tensor[(1, 3, 1), float32]", "Tensor[(1), int64]"],
      values: { 1: [-1] },
      results: ["Tensor[(1, 3), float32]"],
    },
  ],
});
