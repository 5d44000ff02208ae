// Convolution of numbers of few bits.  TVM: src/relay/op/nn/bitserial.cc (BinaryConv2DRel)
// Known difference: a packed weight is what nn.bitpack makes for NHWC too, (KH, KW, words, O, bits).
import { at, tuple, present } from "../../../../support/assert.ts";
import { dtypeAttr, flag, int, ints, optionalInt, text } from "../../../ir/attrs.ts";
import { int16, parseDType, uint32 } from "../../../ir/dtype.ts";
import { printType, tensorType, type Dim } from "../../../ir/type.ts";
import { reduce as reduceRecipe } from "../../../recipes/reduce.ts";
import {
  bitserialConv2d as bitserialConv2dCompute,
  type BitserialConvSpec,
} from "../../../topi/bitserial.ts";
import { paddingAttr, paddingPairs, windowCount } from "./conv-types.ts";
import { defineOp } from "../../define.ts";
import { acceptsDType } from "../../math/unary.ts";
import { asker, checkRank, intsAttr, oneOf, requiredAttr, tensorArg } from "../../_shared/type-helpers.ts";
import { packedDim, packType, sumType, usableBits } from "../bitserial-types.ts";

/** Layouts of the weight for each layout of the data. */
const kernels: Readonly<Record<string, readonly string[]>> = {
  NCHW: ["OIHW", "OIHWi"],
  NHWC: ["HWIO", "HWIOi"],
};

export const bitserialConv2d = defineOp({
  name: "nn.bitserial_conv2d",
  inputs: ["data", "weight"],
  attrs: {
    strides: ints({ default: [1, 1], doc: "Step of the window along HW." }),
    padding: ints({
      default: [0, 0],
      doc: "Zeros around the data: one number, one an axis, or all begins and then all ends.",
    }),
    kernel_size: ints({ default: [3, 3], doc: "Size of the window along HW." }),
    channels: optionalInt({ default: null, doc: "Number of output channels." }),
    activation_bits: int({ default: 1, doc: "Bits of data that count." }),
    weight_bits: int({ default: 1, doc: "Bits of the weight that count." }),
    data_layout: text({ default: "NCHW", doc: '"NCHW" or "NHWC".' }),
    kernel_layout: text({
      default: "OIHW",
      doc: '"OIHW" with NCHW, "HWIO" with NHWC; an i at the end for a packed weight.',
    }),
    pack_dtype: dtypeAttr({ default: null, doc: "Dtype of words; None means uint32." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result; None means int16." }),
    unipolar: flag({ default: true, doc: "A weight's bit means -1 or 1 instead of 0 or 1." }),
  },
  attrsKey: "relay.attrs.BinaryConv2DAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.bitserial_conv2d");
    const data = tensorArg(cx, "data", args.data);
    const weight = tensorArg(cx, "weight", args.weight);
    const channels = requiredAttr(cx, "channels", attrs.channels);
    const size = intsAttr(cx, "kernel_size", attrs.kernel_size, { lengths: [2], least: 1 });
    const strides = intsAttr(cx, "strides", attrs.strides, { lengths: [2], least: 1 });
    const padding = paddingAttr(cx, attrs.padding, 2);
    const word = packType(cx, "pack_dtype", attrs.pack_dtype, uint32);
    const dtype = sumType(cx, "out_dtype", attrs.out_dtype, int16);
    if (
      data === null ||
      weight === null ||
      channels === null ||
      size === null ||
      strides === null ||
      padding === null ||
      word === null ||
      dtype === null
    )
      return null;
    if (
      !checkRank(cx, "data", data, [4]) ||
      !checkRank(cx, "weight", weight, [4, 5]) ||
      !acceptsDType(cx, "data", data, "integer") ||
      !acceptsDType(cx, "weight", weight, "integer")
    )
      return null;
    if (
      !oneOf(cx, "data_layout", attrs.data_layout, Object.keys(kernels)) ||
      !oneOf(cx, "kernel_layout", attrs.kernel_layout, present(kernels[attrs.data_layout], "kernel layouts"))
    )
      return null;
    if (
      !usableBits(cx, "activation_bits", attrs.activation_bits) ||
      !usableBits(cx, "weight_bits", attrs.weight_bits)
    )
      return null;
    const plain = attrs.data_layout === "NCHW";
    const [n, c, h, w] = tuple(
      plain ? data.shape : [0, 3, 1, 2].map((axis) => at(data.shape, axis, "data axis")),
      4,
      "element",
    );
    const words = packedDim(cx, c, word);
    if (words === null) return null;
    const inputs: Dim = weight.shape.length === 4 ? c : words;
    const wanted = [
      ...(plain ? [channels, inputs, ...size] : [...size, inputs, channels]),
      ...(weight.shape.length === 5 ? [attrs.weight_bits] : []),
    ];
    const fits =
      (weight.shape.length === 4 || weight.dtype === word) &&
      weight.shape.every((dim, i) => t.dimEqual(dim, at(wanted, i, "dimension")));
    if (!fits)
      return t.error("RS2105", "nn.bitserial_conv2d: argument `weight` does not fit", {
        expected: printType(tensorType(wanted, weight.shape.length === 4 ? weight.dtype : word)),
        got: printType(weight),
      });
    const out = [h, w].map((dim, k) =>
      windowCount(
        cx,
        dim,
        {
          kernel: at(size, k, "size"),
          stride: at(strides, k, "stride"),
          dilation: 1,
          padding: at(padding, k, "padding"),
        },
        at("HW", k, "element"),
      ),
    );
    const [oh, ow] = out;
    if (oh == null || ow == null) return null;
    return tensorType(plain ? [n, channels, oh, ow] : [n, oh, ow, channels], dtype);
  },
  compute: (args, attrs, cx) =>
    bitserialConv2dCompute(
      args.data,
      args.weight,
      {
        layout: attrs.data_layout as BitserialConvSpec["layout"],
        strides: attrs.strides,
        padding: paddingPairs(attrs.padding, 2),
        dataBits: attrs.activation_bits,
        weightBits: attrs.weight_bits,
        packType: parseDType(attrs.pack_dtype ?? "") ?? uint32,
        outDType: cx.outType.dtype,
        unipolar: attrs.unipolar,
      },
      cx.origin,
    ),
  schedule: reduceRecipe,
  doc: "A convolution of numbers of activation_bits and weight_bits bits, by counting common bits of words of neighbouring channels.",
  examples: [
    {
      name: "one bit",
      args: ["Tensor[(1, 32, 5, 5), uint8]", "Tensor[(4, 32, 3, 3), uint8]"],
      attrs: { channels: 4, padding: [1, 1] },
    },
    {
      name: "two bits, NHWC, packed",
      args: ["Tensor[(1, 5, 5, 16), uint8]", "Tensor[(3, 3, 2, 4, 2), uint8]"],
      attrs: {
        channels: 4,
        strides: [2, 2],
        activation_bits: 2,
        weight_bits: 2,
        data_layout: "NHWC",
        kernel_layout: "HWIOi",
        pack_dtype: "uint8",
        out_dtype: "int32",
        unipolar: false,
      },
    },
  ],
});
