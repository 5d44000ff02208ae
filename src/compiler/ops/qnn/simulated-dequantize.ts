// What dequantize would give, from floats.  TVM: src/relay/qnn/op/simulated_dequantize.cc,
// python/tvm/topi/nn/qnn.py
import { int } from "../../ir/attrs.ts";
import { cast, eq, mul, or, select, sub } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { dtypeCodes, ofChannel, simulatedRelation } from "./simulated.ts";

export const qnnSimulatedDequantize = defineOp({
  name: "qnn.simulated_dequantize",
  inputs: ["data", "in_dtype", "input_scale", "input_zero_point"],
  attrs: { axis: int({ default: -1, doc: "Axis of the channels, where scale or zero point is a vector." }) },
  attrsKey: "relay.attrs.DequantizeAttrs",
  pattern: "elemWise",
  type: (args, { axis }, t) =>
    simulatedRelation(
      asker(t, "qnn.simulated_dequantize"),
      {
        data: args.data,
        code: ["in_dtype", args.in_dtype],
        scale: ["input_scale", args.input_scale],
        zeroPoint: ["input_zero_point", args.input_zero_point],
      },
      axis,
    ),
  compute: ({ data, in_dtype: code, input_scale: scale, input_zero_point: zeroPoint }, { axis }, cx) =>
    compute(
      data.shape,
      (i) => {
        const x = data.at(...i);
        const real = mul(
          sub(x, cast(ofChannel(zeroPoint, i, axis), data.dtype)),
          cast(ofChannel(scale, i, axis), data.dtype),
        );
        const integers = Object.values(dtypeCodes)
          .map((value) => eq(code.at(), value))
          .reduce(or);
        return select(integers, real, x);
      },
      { name: "simulated_dequantize", tag: "elemwise", origin: cx.origin },
    ),
  schedule: injectiveRecipe,
  doc: "What qnn.dequantize gives, from floats, with dtype, scale and zero point as tensors: in_dtype is 0 (leave the data), 1 (int8), 2 (uint8) or 3 (int32).",
  examples: [
    { name: "whole tensor", args: ["Tensor[(2, 5), float32]", "int32", "float32", "int32"] },
    {
      name: "one zero point a channel",
      args: ["Tensor[(2, 3, 4), float32]", "int32", "float32", "Tensor[(3), int32]"],
      attrs: { axis: 1 },
    },
  ],
});
