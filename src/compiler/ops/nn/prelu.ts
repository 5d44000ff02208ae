// Leaky relu with a slope a channel.  TVM: src/relay/op/nn/nn.cc (PReluRel), include/tvm/topi/nn.h
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { gt, mul, select } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, axisArg, fillArgument, tensorArg } from "../_shared/type-helpers.ts";

export const prelu = defineOp({
  name: "nn.prelu",
  inputs: ["data", "alpha"],
  attrs: { axis: int({ default: 1, doc: "Axis of data along which the slopes run." }) },
  attrsKey: "relay.attrs.PReluAttrs",
  pattern: "broadcast",
  type: ({ data, alpha }, { axis }, t) => {
    const cx = asker(t, "nn.prelu");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const place = axisArg(cx, axis, type.shape.length);
    if (place === null) return null;
    const wanted = tensorType([at(type.shape, place, "input axis")], type.dtype);
    return fillArgument(cx, "alpha", alpha, {
      wanted,
      because: `the slopes run along axis ${place} of ${printType(type)}`,
    })
      ? type
      : null;
  },
  compute: ({ data, alpha }, { axis }, cx) => {
    const place = axis < 0 ? axis + data.shape.length : axis;
    return compute(
      data.shape,
      (i) => select(gt(data.at(...i), 0), data.at(...i), mul(data.at(...i), alpha.at(at(i, place, "index")))),
      { name: "T_prelu", tag: "broadcast", origin: cx.origin },
    );
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Elements above zero stay, the others are multiplied by the slope of their channel along `axis`.",
  examples: [{ name: "channels", args: ["Tensor[(2, 5, 3), float32]", "Tensor[(5), float32]"] }],
});
