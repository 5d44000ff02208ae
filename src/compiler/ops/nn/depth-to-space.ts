// Channels become blocks of pixels.  TVM: src/relay/op/nn/nn.cc (DepthToSpaceRel),
// python/tvm/topi/nn/depth_to_space.py
import { get, at } from "../../../support/assert.ts";
import { knownLayout } from "../../ir/layout.ts";
import { add, floorDiv, floorMod, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { logicalIndices, physicalIndices } from "../../topi/layout.ts";
import { defineOp } from "../define.ts";
import { depthToSpaceShape } from "../_shape-funcs/blocks.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, mapDim } from "../_shared/type-helpers.ts";
import { subPixelAttrs, subPixelRelation } from "./subpixel.ts";

export const depthToSpace = defineOp({
  name: "nn.depth_to_space",
  inputs: ["data"],
  attrs: subPixelAttrs,
  attrsKey: "relay.attrs.SubPixelAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) =>
    subPixelRelation(asker(t, "nn.depth_to_space"), data, attrs, ([n, c, h, w], block) =>
      typeof c === "number" && c % (block * block) !== 0
        ? null
        : [
            n!,
            mapDim(c!, (x) => x / (block * block)),
            mapDim(h!, (x) => x * block),
            mapDim(w!, (x) => x * block),
          ],
    ),
  compute: ({ data }, { block_size: block, layout: text, mode }, cx) => {
    const layout = knownLayout(text);
    const shape = outExtents(cx);
    const channels = at(
      shape,
      layout.axes.findIndex((axis) => axis.letter === "C"),
      "output axis",
    );
    return compute(
      shape,
      (i) => {
        const place = logicalIndices(layout, i);
        const [c, y, x] = [
          get(place, "C", "index of a layout axis"),
          get(place, "H", "index of a layout axis"),
          get(place, "W", "index of a layout axis"),
        ];
        const inBlock = add(mul(floorMod(y, block), block), floorMod(x, block));
        const channel = mode === "DCR" ? add(mul(channels, inBlock), c) : add(mul(c, block * block), inBlock);
        return data.at(
          ...physicalIndices(
            layout,
            new Map([...place, ["C", channel], ["H", floorDiv(y, block)], ["W", floorDiv(x, block)]]),
          ),
        );
      },
      { name: "depth_to_space", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: depthToSpaceShape,
  schedule: injectiveRecipe,
  doc: "Spreads groups of block*block channels over blocks of pixels: (N, C*b*b, H, W) becomes (N, C, H*b, W*b).",
  examples: [
    { name: "DCR", args: ["Tensor[(1, 8, 3, 3), float32]"], attrs: { block_size: 2 } },
    {
      name: "CRD, NHWC",
      args: ["Tensor[(1, 2, 3, 8), float32]"],
      attrs: { block_size: 2, layout: "NHWC", mode: "CRD" },
    },
  ],
});
