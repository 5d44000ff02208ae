// Positions within blocks become batches.  TVM: src/relay/op/nn/nn.cc (SpaceToBatchNDRel),
// include/tvm/topi/nn.h
import { present, at, first } from "../../../support/assert.ts";
import { float, ints } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { add, floorDiv, floorMod, imm, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { unravel } from "../../topi/indexing.ts";
import { pad } from "../../topi/pad.ts";
import { intImm } from "../../tir/build.ts";
import { defineOp } from "../define.ts";
import { spaceToBatchShape } from "../_shape-funcs/blocks.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { blockShape, pairsField, pairsOf } from "../_shared/pad-attrs.ts";
import { asker, mapDim, tensorArg } from "../_shared/type-helpers.ts";

export const spaceToBatchNd = defineOp({
  name: "nn.space_to_batch_nd",
  inputs: ["data"],
  attrs: {
    block_shape: ints({ default: [1, 1], doc: "Extent of a block along every axis after the first." }),
    paddings: pairsField("Elements added before and after, a pair a blocked axis."),
    pad_value: float({ default: 0, doc: "What padding holds." }),
  },
  attrsKey: "relay.attrs.SpaceToBatchNDAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.space_to_batch_nd");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const blocks = blockShape(cx, attrs.block_shape, type.shape.length);
    if (blocks === null) return null;
    const pairs = pairsOf(attrs.paddings);
    const padded = type.shape.map((dim, i) =>
      mapDim(dim, (n) => n + (pairs?.[i - 1]?.[0] ?? 0) + (pairs?.[i - 1]?.[1] ?? 0)),
    );
    const fits =
      pairs !== null &&
      pairs.length === blocks.length &&
      blocks.length < type.shape.length &&
      blocks.every(
        (block, i) =>
          block >= 1 && (typeof padded[i + 1] !== "number" || Number(padded[i + 1]) % block === 0),
      );
    if (fits) {
      const all = blocks.reduce((a, b) => a * b, 1);
      return tensorType(
        padded.map((dim, i) =>
          mapDim(dim, (n) => (i === 0 ? n * all : i <= blocks.length ? n / at(blocks, i - 1, "block") : n)),
        ),
        type.dtype,
      );
    }
    return t.error("RS2105", "nn.space_to_batch_nd: blocks and paddings do not fit the data", {
      expected: `one pair of paddings a block, fewer blocks than axes, blocks that divide the padded extents of ${printType(type)}`,
      got: `block_shape=[${blocks.join(", ")}], paddings=${JSON.stringify(pairs)}`,
    });
  },
  compute: ({ data }, attrs, cx) => {
    const blocks = attrs.block_shape;
    const pairs = present(pairsOf(attrs.paddings), "pair");
    const side = (k: 0 | 1): number[] => data.shape.map((_, i) => pairs[i - 1]?.[k] ?? 0);
    const padded = pad(data, { before: side(0), after: side(1) }, imm(attrs.pad_value, data.dtype), {
      name: "T_pad",
      origin: cx.origin,
    });
    return compute(
      outExtents(cx),
      (i) => {
        const within = unravel(
          floorDiv(first(i, "index"), first(data.shape, "data axis")),
          blocks.map((block) => intImm(block)),
        );
        return padded.at(
          ...i.map((index, axis) => {
            if (axis === 0) return floorMod(index, first(data.shape, "data axis"));
            return axis <= blocks.length
              ? add(mul(index, at(blocks, axis - 1, "block")), at(within, axis - 1, "index within the block"))
              : index;
          }),
        );
      },
      { name: "space_to_batch_nd", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: spaceToBatchShape,
  schedule: injectiveRecipe,
  doc: "Pads the axes after the first, cuts them into blocks, and makes the position within a block part of the batch.",
  examples: [
    {
      name: "2x2",
      args: ["Tensor[(1, 4, 4, 1), float32]"],
      attrs: {
        block_shape: [2, 2],
        paddings: [
          [0, 0],
          [0, 0],
        ],
      },
    },
    {
      name: "padded",
      args: ["Tensor[(2, 3, 5), float32]"],
      attrs: {
        block_shape: [2, 3],
        paddings: [
          [1, 0],
          [0, 1],
        ],
        pad_value: 2,
      },
    },
  ],
});
