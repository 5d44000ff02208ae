// From one scale and zero point to another.  TVM: src/relay/qnn/op/requantize.cc
import { roundings } from "./fixed-point.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { dtypeAttr, int, text } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { asker, axisArg, dtypeOf, oneOf, knownWord } from "../_shared/type-helpers.ts";
import { channelParam, quantisedArg, quantisedTypes, scalarParams } from "./arguments.ts";
import { lowering } from "./lowering.ts";
import { requantize } from "./requantize-lower.ts";

export const qnnRequantize = defineOp({
  name: "qnn.requantize",
  inputs: ["data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"],
  attrs: {
    axis: int({
      default: -1,
      doc: "Axis of the channels, where input_scale or input_zero_point is a vector.",
    }),
    rounding: text({
      default: "UPWARD",
      doc: "Where halves go: UPWARD to the greater integer, TONEAREST away from zero.",
    }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result: int8, uint8 or int32." }),
  },
  attrsKey: "relay.attrs.RequantizeAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "qnn.requantize");
    const data = quantisedArg(cx, "data", args.data, quantisedTypes);
    if (data === null || !oneOf(cx, "rounding", attrs.rounding, roundings)) return null;
    const rank = data.shape.length;
    const axis = rank === 0 ? 0 : axisArg(cx, attrs.axis, rank);
    const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, null);
    if (axis === null || dtype === null) return null;
    const channels = data.shape[axis] ?? 1;
    if (
      !channelParam(cx, "input_scale", args.input_scale, channels) ||
      !channelParam(cx, "input_zero_point", args.input_zero_point, channels)
    )
      return null;
    if (!scalarParams(cx, { output_scale: args.output_scale, output_zero_point: args.output_zero_point }))
      return null;
    if (quantisedTypes.includes(dtype)) return tensorType(data.shape, dtype);
    return t.error("RS2108", "qnn.requantize: attribute `out_dtype` is not usable", {
      expected: "int8, uint8 or int32",
      got: dtype.name,
    });
  },
  qnnCanonicalize: ({ node, args, attrs }, cx) =>
    requantize(lowering(node, cx), args.data, {
      type: tensorTypeOf(args.data),
      from: { scale: args.input_scale, zeroPoint: args.input_zero_point },
      to: { scale: args.output_scale, zeroPoint: args.output_zero_point },
      axis: attrs.axis,
      rounding: knownWord(attrs.rounding, roundings),
      outDType: tensorTypeOf(node).dtype,
    }),
  flags: { nonComputational: true, noPattern: true },
  doc:
    "The same numbers in another scale and zero point: output_zero_point + input_scale / output_scale * (data - input_zero_point), rounded and held " +
    "in the range of out_dtype. Integer arithmetic only: the factor is a 31-bit multiplier and a shift.",
  examples: [
    {
      name: "int32 to int8",
      args: ["Tensor[(2, 5), int32]", "float32", "int32", "float32", "int32"],
      attrs: { out_dtype: "int8" },
    },
    {
      name: "one scale a channel",
      args: ["Tensor[(1, 3, 3, 4), int32]", "Tensor[(4), float32]", "int32", "float32", "int32"],
      attrs: { axis: 3, out_dtype: "uint8" },
    },
    {
      name: "halves away from zero",
      args: ["Tensor[(8), int8]", "float32", "int32", "float32", "int32"],
      attrs: { rounding: "TONEAREST", out_dtype: "int8" },
    },
  ],
});
