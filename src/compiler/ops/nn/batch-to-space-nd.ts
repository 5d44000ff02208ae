// Batches become positions within blocks.  TVM: src/relay/op/nn/nn.cc (BatchToSpaceNDRel),
// include/tvm/topi/nn.h
import { present, at, first } from "../../../support/assert.ts";
import { ints } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { add, floorDiv, floorMod, mul } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { batchToSpaceShape } from "../_shape-funcs/blocks.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { blockShape, pairsField, pairsOf } from "../_shared/pad-attrs.ts";
import { asker, mapDim, tensorArg } from "../_shared/type-helpers.ts";

export const batchToSpaceNd = defineOp({
  name: "nn.batch_to_space_nd",
  inputs: ["data"],
  attrs: {
    block_shape: ints({ default: [1, 1], doc: "Extent of a block along every axis after the first." }),
    crops: pairsField("Elements cut off before and after, a pair a blocked axis."),
  },
  attrsKey: "relay.attrs.BatchToSpaceNDAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.batch_to_space_nd");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const blocks = blockShape(cx, attrs.block_shape, type.shape.length);
    if (blocks === null) return null;
    const pairs = pairsOf(attrs.crops);
    const all = blocks.reduce((a, b) => a * b, 1);
    const batch = type.shape[0];
    const shape = type.shape.map((dim, i) =>
      mapDim(dim, (n) =>
        i === 0
          ? n / all
          : i <= blocks.length
            ? n * at(blocks, i - 1, "block") - (pairs?.[i - 1]?.[0] ?? 0) - (pairs?.[i - 1]?.[1] ?? 0)
            : n,
      ),
    );
    const fits =
      pairs !== null &&
      pairs.length === blocks.length &&
      blocks.length < type.shape.length &&
      blocks.every((block) => block >= 1) &&
      (typeof batch !== "number" || batch % all === 0) &&
      shape.every((dim) => typeof dim !== "number" || dim >= 1);
    if (fits) return tensorType(shape, type.dtype);
    return t.error("RS2105", "nn.batch_to_space_nd: blocks and crops do not fit the data", {
      expected: `one pair of crops a block, fewer blocks than axes, a batch that ${all} divides, and something left of ${printType(type)}`,
      got: `block_shape=[${blocks.join(", ")}], crops=${JSON.stringify(pairs)}`,
    });
  },
  compute: ({ data }, attrs, cx) => {
    const blocks = attrs.block_shape;
    const pairs = present(pairsOf(attrs.crops), "pair");
    const shape = outExtents(cx);
    return compute(
      shape,
      (i) => {
        const whole = blocks.map((_, k) => add(at(i, k + 1, "index"), at(pairs, k, "pair")[0]));
        const within = blocks.reduce<PrimExpr>(
          (flat, block, k) =>
            add(mul(flat, block), floorMod(at(whole, k, "index of the uncropped data"), block)),
          floorMod(first(whole, "index of the uncropped data"), 1),
        );
        return data.at(
          ...i.map((index, axis) => {
            if (axis === 0) return add(mul(within, first(shape, "output axis")), index);
            return axis <= blocks.length
              ? floorDiv(at(whole, axis - 1, "index of the uncropped data"), at(blocks, axis - 1, "block"))
              : index;
          }),
        );
      },
      { name: "batch_to_space_nd", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: batchToSpaceShape,
  schedule: injectiveRecipe,
  doc: "Takes the position within a block out of the batch, puts the blocks together along the axes after the first, and cuts off the crops.",
  examples: [
    {
      name: "2x2",
      args: ["Tensor[(4, 2, 2, 1), float32]"],
      attrs: {
        block_shape: [2, 2],
        crops: [
          [0, 0],
          [0, 0],
        ],
      },
    },
    {
      name: "cropped",
      args: ["Tensor[(12, 2, 2), float32]"],
      attrs: {
        block_shape: [2, 3],
        crops: [
          [1, 0],
          [0, 1],
        ],
      },
    },
  ],
});
