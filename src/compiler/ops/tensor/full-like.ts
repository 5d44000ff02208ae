// A tensor like another, filled with a scalar argument.  TVM: src/relay/op/tensor/transform.cc (FullLikeRel)
import { cast } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";

export const fullLike = defineOp({
  name: "full_like",
  inputs: ["data", "fill_value"],
  attrs: {},
  pattern: "elemWise",
  type: ({ data, fill_value: value }, _, t) => {
    const cx = asker(t, "full_like");
    const type = tensorArg(cx, "data", data);
    const scalar = tensorArg(cx, "fill_value", value);
    return type === null || scalar === null || !checkRank(cx, "fill_value", scalar, [0]) ? null : type;
  },
  compute: ({ data, fill_value: value }, _, cx) =>
    compute(data.shape, () => cast(value.at(), data.dtype), {
      name: "T_full_like",
      tag: "elemwise",
      origin: cx.origin,
    }),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "A tensor of data's shape and dtype in which every element is the scalar argument.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), float32]", "float32"] }],
});
