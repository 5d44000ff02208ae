// From floats to integers.  TVM: src/relay/qnn/op/quantize.cc
import { tensorTypeOf } from "../../relay/op.ts";
import { dtypeAttr, int } from "../../ir/attrs.ts";
import { float32, int32 } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { asker, dtypeOf } from "../_shared/type-helpers.ts";
import { quantisedArg, quantisedTypes } from "./arguments.ts";
import { channelwise, channelwiseParams } from "./channelwise.ts";
import { lowering, saturate } from "./lowering.ts";

export const qnnQuantize = defineOp({
  name: "qnn.quantize",
  inputs: ["data", "output_scale", "output_zero_point"],
  attrs: {
    out_dtype: dtypeAttr({ doc: "Dtype of the result: int8, uint8 or int32." }),
    axis: int({ default: -1, doc: "Axis of the channels, where scale or zero point is a vector." }),
  },
  attrsKey: "relay.attrs.QuantizeAttrs",
  pattern: "opaque",
  type: ({ data: given, output_scale: scale, output_zero_point: zeroPoint }, attrs, t) => {
    const cx = asker(t, "qnn.quantize");
    const data = quantisedArg(cx, "data", given, [float32]);
    if (
      data === null ||
      !channelwiseParams(cx, data, attrs.axis, { output_scale: scale, output_zero_point: zeroPoint })
    )
      return null;
    const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, null);
    if (dtype === null || quantisedTypes.includes(dtype))
      return dtype === null ? null : tensorType(data.shape, dtype);
    return t.error("RS2108", "qnn.quantize: attribute `out_dtype` is not usable", {
      expected: "int8, uint8 or int32",
      got: dtype.name,
    });
  },
  qnnCanonicalize: ({ node, args, attrs: { axis } }, cx) => {
    const l = lowering(node, cx);
    const { data, output_scale: scale, output_zero_point: zeroPoint } = args;
    const scaled = l.make("divide", [data, channelwise(l, data, scale, axis)]);
    const shifted = l.make("add", [scaled, l.cast(channelwise(l, data, zeroPoint, axis), float32)]);
    return saturate(l, l.cast(l.make("round", [shifted]), int32), tensorTypeOf(node).dtype);
  },
  flags: { nonComputational: true },
  doc: "round(data / output_scale + output_zero_point), halves away from zero, held in the range of out_dtype.",
  examples: [
    { name: "int8", args: ["Tensor[(2, 5), float32]", "float32", "int32"], attrs: { out_dtype: "int8" } },
    {
      name: "one scale a channel",
      args: ["Tensor[(1, 3, 2, 2), float32]", "Tensor[(3), float32]", "Tensor[(3), int32]"],
      attrs: { out_dtype: "uint8", axis: 1 },
    },
  ],
});
