// The number of elements of a tensor.  TVM: src/relay/op/tensor/unary.cc (ndarray_size)
import { dtypeAttr } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { scalarType } from "../../ir/type.ts";
import { cast } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { product } from "../../topi/indexing.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { asker, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";

export const ndarraySize = defineOp({
  name: "ndarray_size",
  inputs: ["data"],
  attrs: { dtype: dtypeAttr({ default: null, doc: "Dtype of the result." }) },
  attrsKey: "relay.attrs.NdarraySizeAttrs",
  pattern: "injective",
  type: ({ data }, { dtype }, t) => {
    const cx = asker(t, "ndarray_size");
    const to = dtypeOf(cx, "dtype", dtype, int32);
    return tensorArg(cx, "data", data) === null || to === null ? null : scalarType(to);
  },
  compute: ({ data }, _, cx) =>
    compute([], () => cast(product(data.shape), cx.outType.dtype), {
      name: "ndarray_size",
      tag: "injective",
      origin: cx.origin,
    }),
  schedule: injectiveRecipe,
  doc: "The number of elements of the argument, as a scalar.",
  examples: [{ name: "matrix", args: ["Tensor[(3, 4), float32]"], attrs: { dtype: "int32" } }],
});
