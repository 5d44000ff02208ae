// What quantize would give, in floats.  TVM: src/relay/qnn/op/simulated_quantize.cc,
// python/tvm/topi/nn/qnn.py
import { int } from "../../ir/attrs.ts";
import { int32, int8, uint8 } from "../../ir/dtype.ts";
import { add, cast, div, eq, imm, max, min, select, unary } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { integerRange } from "./lowering.ts";
import { dtypeCodes, ofChannel, simulatedRelation } from "./simulated.ts";

export const qnnSimulatedQuantize = defineOp({
  name: "qnn.simulated_quantize",
  inputs: ["data", "out_dtype", "output_scale", "output_zero_point"],
  attrs: { axis: int({ default: -1, doc: "Axis of the channels, where scale or zero point is a vector." }) },
  attrsKey: "relay.attrs.SimulatedQuantizeAttrs",
  pattern: "elemWise",
  type: (args, { axis }, t) =>
    simulatedRelation(
      asker(t, "qnn.simulated_quantize"),
      {
        data: args.data,
        code: ["out_dtype", args.out_dtype],
        scale: ["output_scale", args.output_scale],
        zeroPoint: ["output_zero_point", args.output_zero_point],
      },
      axis,
    ),
  compute: ({ data, out_dtype: code, output_scale: scale, output_zero_point: zeroPoint }, { axis }, cx) =>
    compute(
      data.shape,
      (i) => {
        const x = data.at(...i);
        const steps = add(
          unary("tir.round", div(x, cast(ofChannel(scale, i, axis), data.dtype))),
          cast(ofChannel(zeroPoint, i, axis), data.dtype),
        );
        return [int8, uint8, int32].reduce((otherwise, dtype) => {
          const [low, high] = integerRange(dtype);
          const held = max(min(steps, imm(high, data.dtype)), imm(low, data.dtype));
          return select(eq(code.at(), dtypeCodes[dtype.name as keyof typeof dtypeCodes]), held, otherwise);
        }, x);
      },
      { name: "simulated_quantize", tag: "elemwise", origin: cx.origin },
    ),
  schedule: injectiveRecipe,
  doc: "What qnn.quantize gives, but as floats, with dtype, scale and zero point as tensors: out_dtype is 0 (leave the data), 1 (int8), 2 (uint8) or 3 (int32).",
  examples: [
    { name: "whole tensor", args: ["Tensor[(2, 5), float32]", "int32", "float32", "int32"] },
    {
      name: "one scale a channel",
      args: ["Tensor[(2, 3, 4), float32]", "int32", "Tensor[(3), float32]", "Tensor[(1), int32]"],
      attrs: { axis: 1 },
    },
  ],
});
