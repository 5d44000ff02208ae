// Convolution of quantised images.  TVM: src/relay/qnn/op/convolution.cc, python/tvm/relay/qnn/op/legalizations.py
import { int16 } from "../../ir/dtype.ts";
import { convertibleLayout, axisOf } from "../../ir/layout.ts";
import { staticShape, type TensorType } from "../../ir/type.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import type { CallRewrite } from "../../relay/op.ts";
import { convRelation } from "../nn/conv/conv-types.ts";
import { defineOp } from "../define.ts";
import { convAttrs } from "../nn/conv/conv-attrs.ts";
import { asker, oneOf } from "../_shared/type-helpers.ts";
import { byteTypes, channelParam, quantisedArg, scalarParams } from "./arguments.ts";
import { convByTerms, convShifted, type QnnConv } from "./conv2d-terms.ts";
import { fourPads, legalizeToInt16 } from "./legalize-int16.ts";
import { lowering, scalarValue, type Lowering } from "./lowering.ts";

const dataLayouts = ["NCHW", "NHWC"];
const kernelLayouts = ["OIHW", "HWIO", "HWOI"];

const canonicalize: CallRewrite = (node, cx) => {
  const l = lowering(node, cx);
  // Sums are int32; TVM leaves int16 results to fail.
  const narrow = node.attrs["out_dtype"] === "int16";
  const conv = convOf(l, narrow ? { ...node, attrs: { ...node.attrs, out_dtype: "int32" } } : node);
  if (conv === null) return null;
  const dilated = (conv.attrs["dilation"] as readonly number[]).some((step) => step !== 1);
  const groupsFit = conv.attrs["groups"] === 1 || conv.depthwise;
  const result =
    groupsFit && (!dilated || scalarValue(conv.weightZero) === 0)
      ? convByTerms(l, conv)
      : convShifted(l, conv);
  return narrow ? (l.cast(result, int16) as Call) : result;
};

function convOf(l: Lowering, node: Call): QnnConv | null {
  const [data, weight, dataZero, weightZero] = node.args as readonly [Expr, Expr, Expr, Expr];
  const { attrs } = node;
  const [dataLayout, kernelLayout] = [String(attrs["data_layout"]), String(attrs["kernel_layout"])];
  if (!dataLayouts.includes(dataLayout) || !kernelLayouts.includes(kernelLayout)) {
    return l.refuse("the layouts cannot be split into integer sums", {
      expected: `${dataLayouts.join(" or ")}, ${kernelLayouts.join(", ")}`,
      got: `${dataLayout}, ${kernelLayout}`,
    });
  }
  const shape = staticShape(weight.type as TensorType);
  const channels = (data.type as TensorType).shape[dataLayout.indexOf("C")];
  if (shape === null || typeof channels !== "number" || attrs["kernel_size"] === null) {
    return l.refuse("the window or the channels are not known when compiling", {
      expected: "static channels, a static weight, kernel_size=[...]",
      got: "a part of them",
    });
  }
  const extent = (letter: string): number => shape[kernelLayout.indexOf(letter)]!;
  const groups = Number(attrs["groups"]);
  return {
    data,
    weight,
    dataZero,
    weightZero,
    attrs: { ...attrs, padding: fourPads(attrs["padding"]!) },
    dataLayout: dataLayout as QnnConv["dataLayout"],
    kernelLayout: kernelLayout as QnnConv["kernelLayout"],
    inChannels: channels,
    kernel: { O: extent("O"), I: extent("I"), H: extent("H"), W: extent("W") },
    depthwise: groups !== 1 && attrs["channels"] === groups,
  };
}

export const qnnConv2d = defineOp({
  name: "qnn.conv2d",
  inputs: ["data", "weight", "input_zero_point", "weight_zero_point", "input_scale", "weight_scale"],
  attrs: convAttrs("HW"),
  attrsKey: "relay.attrs.Conv2DAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "qnn.conv2d");
    const data = quantisedArg(cx, "data", args.data, byteTypes);
    const weight = quantisedArg(cx, "weight", args.weight, byteTypes);
    if (
      data === null ||
      weight === null ||
      !oneOf(cx, "out_dtype", attrs.out_dtype ?? "", ["int32", "int16"])
    )
      return null;
    const result = convRelation(cx, { data, weight }, attrs, "HW");
    if (
      result === null ||
      !scalarParams(cx, { input_zero_point: args.input_zero_point, input_scale: args.input_scale })
    )
      return null;
    const channels =
      result.shape[
        axisOf(
          convertibleLayout(attrs.out_layout === "" ? attrs.data_layout : attrs.out_layout, "NCHW")!,
          "C",
        )
      ]!;
    return channelParam(cx, "weight_zero_point", args.weight_zero_point, channels) &&
      channelParam(cx, "weight_scale", args.weight_scale, channels)
      ? result
      : null;
  },
  qnnLegalize: legalizeToInt16((node) => ({
    op: "nn.conv2d",
    attrs: { ...node.attrs, padding: fourPads(node.attrs["padding"]!) },
    weightAxis: String(node.attrs["kernel_layout"]).indexOf("O"),
  })),
  qnnCanonicalize: canonicalize,
  flags: { nonComputational: true, noPattern: true },
  doc:
    "nn.conv2d of the data minus its zero point and the weight minus its own: int32 with scale input_scale * weight_scale and zero point 0. " +
    "Padding stands for the number 0, so it is the data's zero point.",
  examples: [
    {
      name: "3x3",
      args: [
        "Tensor[(1, 3, 6, 6), uint8]",
        "Tensor[(4, 3, 3, 3), int8]",
        "int32",
        "int32",
        "float32",
        "float32",
      ],
      attrs: { padding: [1, 1, 1, 1], channels: 4, kernel_size: [3, 3], out_dtype: "int32" },
    },
    {
      name: "depthwise NHWC, one scale a channel",
      args: [
        "Tensor[(1, 5, 5, 4), int8]",
        "Tensor[(3, 3, 4, 1), int8]",
        "int32",
        "int32",
        "float32",
        "Tensor[(4), float32]",
      ],
      attrs: {
        strides: [2, 2],
        groups: 4,
        channels: 4,
        kernel_size: [3, 3],
        data_layout: "NHWC",
        kernel_layout: "HWOI",
        out_dtype: "int32",
      },
    },
  ],
});
