// Convolution of quantised images.  TVM: src/relay/qnn/op/convolution.cc,
// python/tvm/relay/qnn/op/legalizations.py
import { at } from "../../../support/assert.ts";
import type { AttrsOf } from "../../ir/attrs.ts";
import { int16 } from "../../ir/dtype.ts";
import { staticShape } from "../../ir/type.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { convRelation } from "../nn/conv/conv-types.ts";
import { defineOp, type OpRewrite } from "../define.ts";
import { convAttrs } from "../nn/conv/conv-attrs.ts";
import { asker } from "../_shared/type-helpers.ts";
import { convResult, productInputs, qnnProductRelation } from "./product-relation.ts";
import { convByTerms, convShifted, type QnnConv } from "./conv2d-terms.ts";
import { fourPads, legalizeToInt16 } from "./legalize-int16.ts";
import { lowering, scalarValue, type Lowering, type QuantisedProduct } from "./lowering.ts";

const dataLayouts: readonly string[] = ["NCHW", "NHWC"] satisfies QnnConv["dataLayout"][];
const kernelLayouts: readonly string[] = ["OIHW", "HWIO", "HWOI"] satisfies QnnConv["kernelLayout"][];
const isDataLayout = (layout: string): layout is QnnConv["dataLayout"] => dataLayouts.includes(layout);
const isKernelLayout = (layout: string): layout is QnnConv["kernelLayout"] => kernelLayouts.includes(layout);

type QnnConvAttrs = AttrsOf<ReturnType<typeof convAttrs>>;

const canonicalize: OpRewrite<keyof QuantisedProduct, QnnConvAttrs> = ({ node, args, attrs }, cx) => {
  const l = lowering(node, cx);
  // Sums are int32; TVM leaves int16 results to fail.
  const narrow = attrs.out_dtype === "int16";
  const conv = convOf(l, args, narrow ? { ...attrs, out_dtype: "int32" } : attrs);
  if (conv === null) return null;
  const dilated = conv.attrs.dilation.some((step) => step !== 1);
  const groupsFit = conv.attrs.groups === 1 || conv.depthwise;
  const result =
    groupsFit && (!dilated || scalarValue(conv.weightZero) === 0)
      ? convByTerms(l, conv)
      : convShifted(l, conv);
  return narrow ? l.cast(result, int16) : result;
};

function convOf(l: Lowering, args: QuantisedProduct, attrs: QnnConvAttrs): QnnConv | null {
  const { data, weight, input_zero_point: dataZero, weight_zero_point: weightZero } = args;
  const { data_layout: dataLayout, kernel_layout: kernelLayout, groups } = attrs;
  if (!isDataLayout(dataLayout) || !isKernelLayout(kernelLayout)) {
    return l.refuse("the layouts cannot be split into integer sums", {
      expected: `${dataLayouts.join(" or ")}, ${kernelLayouts.join(", ")}`,
      got: `${dataLayout}, ${kernelLayout}`,
    });
  }
  const shape = staticShape(tensorTypeOf(weight));
  const channels = tensorTypeOf(data).shape[dataLayout.indexOf("C")];
  if (shape === null || typeof channels !== "number" || attrs.kernel_size === null) {
    return l.refuse("the window or the channels are dynamic", {
      expected: "static channels, a static weight, kernel_size=[...]",
      got: "a part of them",
    });
  }
  const extent = (letter: string): number => at(shape, kernelLayout.indexOf(letter), `extent of ${letter}`);
  return {
    data,
    weight,
    dataZero,
    weightZero,
    attrs: { ...attrs, padding: fourPads(attrs.padding) },
    dataLayout,
    kernelLayout,
    inChannels: channels,
    kernel: { O: extent("O"), I: extent("I"), H: extent("H"), W: extent("W") },
    depthwise: groups !== 1 && attrs.channels === groups,
  };
}

export const qnnConv2d = defineOp({
  name: "qnn.conv2d",
  inputs: productInputs,
  attrs: convAttrs("HW"),
  attrsKey: "relay.attrs.Conv2DAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "qnn.conv2d");
    return qnnProductRelation(cx, args, {
      ...convResult(attrs),
      relation: (types) => convRelation(cx, types, attrs, "HW"),
      scalars: ["input_zero_point", "input_scale"],
      byChannel: ["weight_zero_point", "weight_scale"],
    });
  },
  qnnLegalize: ({ node, args, attrs }, cx) =>
    legalizeToInt16(node, cx, args, {
      op: "nn.conv2d",
      attrs: { ...attrs, padding: fourPads(attrs.padding) },
      weightAxis: attrs.kernel_layout.indexOf("O"),
    }),
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
