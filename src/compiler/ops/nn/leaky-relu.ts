// x where positive, else alpha * x.  TVM: src/relay/op/nn/nn.cc (nn.leaky_relu), include/tvm/topi/nn.h
import { float } from "../../ir/attrs.ts";
import { gt, imm, mul, select } from "../../tir/build.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const leakyRelu = defineOp({
  name: "nn.leaky_relu",
  inputs: ["data"],
  attrs: { alpha: float({ default: 0.25, doc: "Slope for negative elements." }) },
  attrsKey: "relay.attrs.LeakyReluAttrs",
  pattern: "elemWise",
  type: ({ data }, _, t) => {
    const cx = asker(t, "nn.leaky_relu");
    const type = tensorArg(cx, "data", data);
    return type !== null && acceptsDType(cx, "data", type, "float") ? type : null;
  },
  compute: ({ data }, { alpha }, cx) =>
    elementwise(data, "T_leaky_relu", cx.origin, (x) => select(gt(x, 0), x, mul(x, imm(alpha, data.dtype)))),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Elements above zero stay, the others are multiplied by `alpha`.",
  examples: [
    { name: "default slope", args: ["Tensor[(2, 5), float32]"] },
    { name: "given slope", args: ["Tensor[(2, 5), float32]"], attrs: { alpha: 0.1 } },
  ],
});
