// A value between neighbouring elements.  TVM: src/relay/op/nn/nn.cc (DilateRel),
// python/tvm/topi/nn/dilate.py
import { at } from "../../../support/assert.ts";
import { float, ints } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { imm } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { dilate as dilateCompute } from "../../topi/conv-transpose.ts";
import { defineOp } from "../define.ts";
import { dilateShape } from "../_shape-funcs/transform.ts";
import { asker, mapDim, tensorArg } from "../_shared/type-helpers.ts";

export const dilate = defineOp({
  name: "nn.dilate",
  inputs: ["x"],
  attrs: {
    strides: ints({ default: [1, 1], doc: "Distance that neighbours get along every axis." }),
    dilation_value: float({ default: 0, doc: "What stands between them." }),
  },
  attrsKey: "relay.attrs.DilateAttrs",
  pattern: "injective",
  type: ({ x }, { strides }, t) => {
    const cx = asker(t, "nn.dilate");
    const type = tensorArg(cx, "x", x);
    if (type === null) return null;
    if (strides.length === type.shape.length && strides.every((stride) => stride >= 1)) {
      return tensorType(
        type.shape.map((dim, i) => mapDim(dim, (n) => (n - 1) * at(strides, i, "stride") + 1)),
        type.dtype,
      );
    }
    return t.error("RS2108", "nn.dilate: attribute `strides` is not usable", {
      expected: `one number of at least 1 an axis of ${printType(type)}`,
      got: `[${strides.join(", ")}]`,
    });
  },
  compute: ({ x }, { strides, dilation_value: value }, cx) => {
    const spread = dilateCompute(
      x,
      strides.map((_, i) => i),
      strides,
      { name: "DilatedInput", origin: cx.origin, fill: imm(value, x.dtype) },
    );
    return spread === x
      ? compute(x.shape, (i) => x.at(...i), {
          name: "DilatedInput",
          tag: "injective,dilate",
          origin: cx.origin,
        })
      : spread;
  },
  shapeFunc: dilateShape,
  schedule: injectiveRecipe,
  flags: { attrsInMeta: true },
  doc: "Puts stride - 1 elements of a value between neighbours along every axis.",
  examples: [
    { name: "both axes", args: ["Tensor[(2, 3), float32]"], attrs: { strides: [2, 3] } },
    { name: "with ones", args: ["Tensor[(4), float32]"], attrs: { strides: [2], dilation_value: 1 } },
  ],
});
