// Conversion to another dtype.  TVM: src/relay/op/tensor/transform.cc (CastRel)
import { dtypeAttr } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { cast as castExpr, imm, ne } from "../../tir/build.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";

export const cast = defineOp({
  name: "cast",
  inputs: ["data"],
  attrs: { dtype: dtypeAttr({ doc: "Dtype of the result." }) },
  attrsKey: "relay.attrs.CastAttrs",
  pattern: "elemWise",
  type: ({ data }, { dtype }, t) => {
    const cx = asker(t, "cast");
    const type = tensorArg(cx, "data", data);
    const to = dtypeOf(cx, "dtype", dtype, null);
    return type === null || to === null ? null : tensorType(type.shape, to);
  },
  compute: ({ data }, _, cx) => {
    const to = cx.outType.dtype;
    return elementwise(data, "T_cast", cx.origin, (x) =>
      to.code === "bool" && x.dtype !== to ? ne(x, imm(0, x.dtype)) : castExpr(x, to),
    );
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Every element converted to `dtype`. Floats become integers by dropping the fraction; anything but zero becomes true.",
  examples: [
    { name: "float to int", args: ["Tensor[(2, 3), float32]"], attrs: { dtype: "int32" } },
    { name: "int to float", args: ["Tensor[(4), int8]"], attrs: { dtype: "float32" } },
    { name: "to bool", args: ["Tensor[(4), int32]"], attrs: { dtype: "bool" } },
  ],
});
