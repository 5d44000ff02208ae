// A tensor filled with a scalar argument.  TVM: src/relay/op/tensor/transform.cc (FullRel)
import { cast } from "../../tir/build.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { shapeAttribute } from "../_shape-funcs/init.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";
import { filled, initSchema, initType } from "./init-op.ts";

export const full = defineOp({
  name: "full",
  inputs: ["fill_value"],
  attrs: initSchema,
  attrsKey: "relay.attrs.InitOpAttrs",
  pattern: "elemWise",
  type: ({ fill_value: value }, attrs, t) => {
    const cx = asker(t, "full");
    const type = tensorArg(cx, "fill_value", value);
    return type === null || !checkRank(cx, "fill_value", type, [0]) ? null : initType(cx, attrs, type.dtype);
  },
  compute: ({ fill_value: value }, _, cx) => filled(cx, cast(value.at(), cx.outType.dtype)),
  shapeFunc: shapeAttribute,
  schedule: injectiveRecipe,
  doc: "A tensor of the given shape in which every element is the scalar argument, converted to dtype.",
  examples: [
    { name: "floats", args: ["float32"], attrs: { shape: [2, 3], dtype: "float32" } },
    { name: "converted", args: ["float32"], attrs: { shape: [4], dtype: "int32" } },
  ],
});
