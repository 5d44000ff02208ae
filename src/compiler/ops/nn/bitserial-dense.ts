// A product of matrices of numbers of few bits.  TVM: src/relay/op/nn/bitserial.cc (BinaryDenseRel)
import { at, first } from "../../../support/assert.ts";
import { dtypeAttr, flag, int, optionalInt } from "../../ir/attrs.ts";
import { parseDType, uint32 } from "../../ir/dtype.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { bitserialDense as bitserialDenseCompute } from "../../topi/bitserial.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { packedDim, packType, sumType, usableBits } from "./bitserial-types.ts";

export const bitserialDense = defineOp({
  name: "nn.bitserial_dense",
  inputs: ["data", "weight"],
  attrs: {
    units: optionalInt({ doc: "Rows of the weight." }),
    data_bits: int({ default: 1, doc: "Bits of data that count." }),
    weight_bits: int({ default: 1, doc: "Bits of the weight that count." }),
    pack_dtype: dtypeAttr({ default: null, doc: "Dtype of words; None means uint32." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result; None means that of data." }),
    unipolar: flag({ default: true, doc: "A weight's bit means -1 or 1 instead of 0 or 1." }),
  },
  attrsKey: "relay.attrs.BinaryDenseAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.bitserial_dense");
    const data = tensorArg(cx, "data", args.data);
    const weight = tensorArg(cx, "weight", args.weight);
    const units = requiredAttr(cx, "units", attrs.units);
    const word = packType(cx, "pack_dtype", attrs.pack_dtype, uint32);
    if (
      data === null ||
      weight === null ||
      units === null ||
      word === null ||
      !checkRank(cx, "data", data, [2]) ||
      !checkRank(cx, "weight", weight, [2, 3])
    )
      return null;
    if (
      !acceptsDType(cx, "data", data, "integer") ||
      !acceptsDType(cx, "weight", weight, "integer") ||
      !usableBits(cx, "data_bits", attrs.data_bits) ||
      !usableBits(cx, "weight_bits", attrs.weight_bits)
    )
      return null;
    const words = packedDim(cx, at(data.shape, 1, "data axis"), word);
    const dtype = sumType(cx, "out_dtype", attrs.out_dtype, data.dtype);
    if (words === null || dtype === null) return null;
    const wanted =
      weight.shape.length === 2
        ? tensorType([units, at(data.shape, 1, "data axis")], weight.dtype)
        : tensorType([units, attrs.weight_bits, words], word);
    const fits =
      weight.dtype === wanted.dtype &&
      weight.shape.every((dim, i) => t.dimEqual(dim, at(wanted.shape, i, "expected weight axis")));
    if (fits) return tensorType([first(data.shape, "data axis"), units], dtype);
    return t.error("RS2105", "nn.bitserial_dense: argument `weight` does not fit", {
      expected: printType(wanted),
      got: printType(weight),
      because: `\`data\` is ${printType(data)} and units=${units}`,
    });
  },
  compute: (args, attrs, cx) =>
    bitserialDenseCompute(
      args.data,
      args.weight,
      {
        dataBits: attrs.data_bits,
        weightBits: attrs.weight_bits,
        packType: parseDType(attrs.pack_dtype ?? "") ?? uint32,
        outDType: cx.outType.dtype,
        unipolar: attrs.unipolar,
      },
      cx.origin,
    ),
  schedule: reduceRecipe,
  doc: "(M, K) times a transposed (N, K), of numbers of data_bits and weight_bits bits, by counting common bits of words; a weight (N, bits, K / word) is packed already (nn.bitpack).",
  examples: [
    {
      name: "one bit",
      args: ["Tensor[(2, 64), uint8]", "Tensor[(3, 64), uint8]"],
      attrs: { units: 3, out_dtype: "int16" },
    },
    {
      name: "two bits, not unipolar, packed",
      args: ["Tensor[(2, 32), uint8]", "Tensor[(3, 2, 4), uint8]"],
      attrs: {
        units: 3,
        data_bits: 2,
        weight_bits: 2,
        pack_dtype: "uint8",
        out_dtype: "int32",
        unipolar: false,
      },
    },
  ],
});
