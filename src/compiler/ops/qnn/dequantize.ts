// From integers to the floats that they stand for.  TVM: src/relay/qnn/op/dequantize.cc
import { int } from "../../ir/attrs.ts";
import { float32, int32 } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { quantisedArg, quantisedTypes } from "./arguments.ts";
import { channelwise, channelwiseParams } from "./channelwise.ts";
import { lowering } from "./lowering.ts";

export const qnnDequantize = defineOp({
  name: "qnn.dequantize",
  inputs: ["data", "input_scale", "input_zero_point"],
  attrs: { axis: int({ default: -1, doc: "Axis of the channels, where scale or zero point is a vector." }) },
  attrsKey: "relay.attrs.DequantizeAttrs",
  pattern: "opaque",
  type: ({ data: given, input_scale: scale, input_zero_point: zeroPoint }, attrs, t) => {
    const cx = asker(t, "qnn.dequantize");
    const data = quantisedArg(cx, "data", given, quantisedTypes);
    return data !== null &&
      channelwiseParams(cx, data, attrs.axis, { input_scale: scale, input_zero_point: zeroPoint })
      ? tensorType(data.shape, float32)
      : null;
  },
  qnnCanonicalize: ({ node, args, attrs: { axis } }, cx) => {
    const l = lowering(node, cx);
    const { data, input_scale: scale, input_zero_point: zeroPoint } = args;
    const shifted = l.make("subtract", [l.cast(data, int32), channelwise(l, data, zeroPoint, axis)]);
    return l.make("multiply", [l.cast(shifted, float32), channelwise(l, data, scale, axis)]);
  },
  flags: { nonComputational: true },
  doc: "input_scale * (data - input_zero_point), in float32.",
  examples: [
    { name: "int8", args: ["Tensor[(2, 5), int8]", "float32", "int32"] },
    {
      name: "one scale a channel",
      args: ["Tensor[(1, 3, 2, 2), uint8]", "Tensor[(3), float32]", "Tensor[(3), int32]"],
      attrs: { axis: 1 },
    },
  ],
});
