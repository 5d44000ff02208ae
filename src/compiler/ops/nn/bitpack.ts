// Bits of numbers gathered into words.  TVM: src/relay/op/nn/bitserial.cc (BitPackRel)
import { at } from "../../../support/assert.ts";
import { dtypeAttr, int, text } from "../../ir/attrs.ts";
import { uint32 } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { bitpack as bitpackCompute } from "../../topi/bitserial.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";
import { packedDim, packType, usableBits } from "./bitserial-types.ts";

export const bitpack = defineOp({
  name: "nn.bitpack",
  inputs: ["data"],
  attrs: {
    bits: int({ default: 1, doc: "How many bits of each number are kept, from the lowest." }),
    pack_axis: int({ default: 1, doc: "Axis whose neighbours share a word." }),
    bit_axis: int({
      default: -1,
      doc: "Where the axis of bits stands in the result, 0 to the rank of data.",
    }),
    pack_type: dtypeAttr({ default: null, doc: "Dtype of words: uint8, uint16, uint32 or uint64." }),
    name: text({ default: "BitPack", doc: "Name of the computation." }),
  },
  attrsKey: "relay.attrs.BitPackAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.bitpack");
    const type = tensorArg(cx, "data", data);
    const word = packType(cx, "pack_type", attrs.pack_type, uint32);
    if (
      type === null ||
      word === null ||
      !acceptsDType(cx, "data", type, "integer") ||
      !usableBits(cx, "bits", attrs.bits)
    )
      return null;
    const rank = type.shape.length;
    const axis = axisArg(cx, attrs.pack_axis, rank, "pack_axis");
    const place = axisArg(cx, attrs.bit_axis, rank + 1, "bit_axis");
    if (axis === null || place === null) return null;
    const packed = packedDim(cx, at(type.shape, axis, "input axis"), word);
    if (packed === null) return null;
    const shape = type.shape.map((dim, i) => (i === axis ? packed : dim));
    return tensorType([...shape.slice(0, place), attrs.bits, ...shape.slice(place)], word);
  },
  compute: ({ data }, attrs, cx) => {
    const rank = data.shape.length;
    return bitpackCompute(
      data,
      {
        bits: attrs.bits,
        packAxis: attrs.pack_axis < 0 ? attrs.pack_axis + rank : attrs.pack_axis,
        bitAxis: attrs.bit_axis < 0 ? attrs.bit_axis + rank + 1 : attrs.bit_axis,
        type: cx.outType.dtype,
      },
      "bitpack",
      cx.origin,
    );
  },
  schedule: reduceRecipe,
  doc: "Words of the k-th bits of neighbours along pack_axis, the first in the highest bit; bit_axis counts the bits. What the bitserial layers multiply.",
  examples: [
    { name: "one bit", args: ["Tensor[(2, 64), uint8]"], attrs: { bit_axis: 1, pack_type: "uint32" } },
    {
      name: "three bits at the end",
      args: ["Tensor[(8, 3), int32]"],
      attrs: { bits: 3, pack_axis: 0, pack_type: "uint8" },
    },
  ],
});
