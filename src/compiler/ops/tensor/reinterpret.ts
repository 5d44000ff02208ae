// The same bits as another dtype.  TVM: src/relay/op/tensor/transform.cc (reinterpret)
import { dtypeAttr } from "../../ir/attrs.ts";
import { byteSize, isFloat, isInteger } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { cast, tirCall } from "../../tir/build.ts";
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
    if (to === type.dtype) return type;
    const isHalf = to.bits === 16 && (isFloat(to) || isFloat(type.dtype));
    if (to.bits === type.dtype.bits && to.code !== "bool" && type.dtype.code !== "bool" && !isHalf)
      return tensorType(type.shape, to);
    if (isHalf && type.dtype.bits === 16)
      return t.error(
        "RS2110",
        "reinterpret: half floats cannot be read as another dtype, nor be made of one",
        {
          expected: "dtypes of 8, 32 or 64 bits, or two integers of 16",
          got: `${type.dtype.name} and ${to.name}`,
          because: "kernels keep half floats as float32 while they compute",
        },
      );
    return t.error("RS2110", "reinterpret: the dtypes do not have the same size", {
      expected: `${byteSize(type.dtype)} bytes, as ${type.dtype.name}`,
      got: `${to.name}, ${byteSize(to)} bytes`,
    });
  },
  // Between integers of a size a cast keeps the bits.
  compute: ({ data }, _, { outType: { dtype }, origin }) =>
    elementwise(data, "tensor", origin, (x) => {
      if (x.dtype === dtype) return x;
      return isInteger(x.dtype) && isInteger(dtype) ? cast(x, dtype) : tirCall("tir.reinterpret", dtype, [x]);
    }),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "The bits of every element read as another dtype of the same size.",
  examples: [
    { name: "float to bits", args: ["Tensor[(4), float32]"], attrs: { dtype: "int32" } },
    { name: "bytes", args: ["Tensor[(4), uint8]"], attrs: { dtype: "int8" } },
  ],
});
