// Conversion to the dtype of another tensor.  TVM: src/relay/op/tensor/transform.cc (CastLikeRel)
import { tensorType } from "../../ir/type.ts";
import { cast, imm, ne } from "../../tir/build.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const castLike = defineOp({
  name: "cast_like",
  inputs: ["data", "dtype_like"],
  attrs: {},
  pattern: "elemWise",
  type: ({ data, dtype_like: like }, _, t) => {
    const cx = asker(t, "cast_like");
    const type = tensorArg(cx, "data", data);
    const to = tensorArg(cx, "dtype_like", like);
    return type === null || to === null ? null : tensorType(type.shape, to.dtype);
  },
  compute: ({ data, dtype_like: like }, _, cx) =>
    elementwise(data, "T_cast", cx.origin, (x) =>
      like.dtype.code === "bool" && x.dtype !== like.dtype ? ne(x, imm(0, x.dtype)) : cast(x, like.dtype),
    ),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Every element converted to the dtype of the second argument, of which only the dtype matters.",
  examples: [{ name: "float to int64", args: ["Tensor[(3, 4), float32]", "Tensor[(2), int64]"] }],
});
