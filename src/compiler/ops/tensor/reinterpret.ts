// The same bits as another dtype.  TVM: src/relay/op/tensor/transform.cc (reinterpret)
import { dtypeAttr } from "../../ir/attrs.ts";
import { byteSize } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { tirCall } from "../../tir/build.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";

export const reinterpret = defineOp({
  name: "reinterpret",
  inputs: ["data"],
  attrs: { dtype: dtypeAttr({ doc: "Dtype of the result, of the same size." }) },
  attrsKey: "relay.attrs.CastAttrs",
  pattern: "elemWise",
  type: ({ data }, { dtype }, t) => {
    const cx = asker(t, "reinterpret");
    const type = tensorArg(cx, "data", data);
    const to = dtypeOf(cx, "dtype", dtype, null);
    if (type === null || to === null) return null;
    if (byteSize(to) === byteSize(type.dtype) && to.code !== "bool" && type.dtype.code !== "bool")
      return tensorType(type.shape, to);
    return t.error("RS2110", "reinterpret: the dtypes do not have the same size", {
      expected: `${byteSize(type.dtype)} bytes, as ${type.dtype.name}`,
      got: `${to.name}, ${byteSize(to)} bytes`,
    });
  },
  compute: ({ data }, _, cx) =>
    elementwise(data, "tensor", cx.origin, (x) =>
      x.dtype === cx.outType.dtype ? x : tirCall("tir.reinterpret", cx.outType.dtype, [x]),
    ),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "The bits of every element read as another dtype of the same size.",
  examples: [{ name: "float to bits", args: ["Tensor[(4), float32]"], attrs: { dtype: "int32" } }],
});
