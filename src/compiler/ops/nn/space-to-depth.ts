// Blocks of pixels become channels.  TVM: src/relay/op/nn/nn.cc (SpaceToDepthRel),
// python/tvm/topi/nn/space_to_depth.py
import { get, at } from "../../../support/assert.ts";
import { axisOf, knownLayout } from "../../ir/layout.ts";
import { add, floorDiv, floorMod, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { logicalIndices, physicalIndices } from "../../topi/layout.ts";
import { defineOp } from "../define.ts";
import { spaceToDepthShape } from "../_shape-funcs/blocks.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, mapDim } from "../_shared/type-helpers.ts";
import { subPixelAttrs, subPixelRelation } from "./subpixel.ts";

export const spaceToDepth = defineOp({
  name: "nn.space_to_depth",
  inputs: ["data"],
  attrs: subPixelAttrs,
  attrsKey: "relay.attrs.SubPixelAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) =>
    subPixelRelation(asker(t, "nn.space_to_depth"), data, attrs, ([n, c, h, w], block) =>
      [h, w].some((dim) => typeof dim === "number" && dim % block !== 0)
        ? null
        : [
            n!,
            mapDim(c!, (x) => x * block * block),
            mapDim(h!, (x) => x / block),
            mapDim(w!, (x) => x / block),
          ],
    ),
  compute: ({ data }, { block_size: block, layout: text }, cx) => {
    const layout = knownLayout(text);
    const channels = at(data.shape, axisOf(layout, "C"), "data axis");
    return compute(
      outExtents(cx),
      (i) => {
        const axis = logicalIndices(layout, i);
        const place = floorDiv(get(axis, "C", "index of a layout axis"), channels);
        const y = add(mul(get(axis, "H", "index of a layout axis"), block), floorDiv(place, block));
        const x = add(mul(get(axis, "W", "index of a layout axis"), block), floorMod(place, block));
        return data.at(
          ...physicalIndices(
            layout,
            new Map([
              ...axis,
              ["C", floorMod(get(axis, "C", "index of a layout axis"), channels)],
              ["H", y],
              ["W", x],
            ]),
          ),
        );
      },
      { name: "space_to_depth", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: spaceToDepthShape,
  schedule: injectiveRecipe,
  doc: "Gathers blocks of pixels into channels: (N, C, H*b, W*b) becomes (N, C*b*b, H, W). `mode` is not used.",
  examples: [
    { name: "NCHW", args: ["Tensor[(1, 2, 6, 4), float32]"], attrs: { block_size: 2, mode: "" } },
    { name: "NHWC", args: ["Tensor[(1, 6, 4, 2), float32]"], attrs: { block_size: 2, layout: "NHWC" } },
  ],
});
