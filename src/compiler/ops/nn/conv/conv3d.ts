// Convolution over three axes.  TVM: src/relay/op/nn/convolution.cc (nn.conv3d), python/tvm/topi/nn/conv3d.py
import { convRelation } from "./conv-types.ts";
import { conv2d as conv2dRecipe } from "../../../recipes/conv2d.ts";
import { defineOp } from "../../define.ts";
import { convShape } from "../../_shape-funcs/windows.ts";
import { asker } from "../../_shared/type-helpers.ts";
import { convAttrs } from "./conv-attrs.ts";
import { convCompute } from "./conv-compute.ts";

export const conv3d = defineOp({
  name: "nn.conv3d",
  inputs: ["data", "weight"],
  attrs: convAttrs("DHW"),
  attrsKey: "relay.attrs.Conv3DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, weight }, attrs, t) => convRelation(asker(t, "nn.conv3d"), { data, weight }, attrs, "DHW"),
  compute: ({ data, weight }, attrs, cx) => convCompute({ data, weight }, attrs, "DHW", cx),
  shapeFunc: convShape("DHW"),
  schedule: conv2dRecipe,
  doc: "Slides a window over a volume (N, C, D, H, W) and sums products with the weight (O, I, D, H, W), as nn.conv2d does for images.",
  examples: [
    {
      name: "padded",
      args: ["Tensor[(1, 3, 4, 5, 6), float32]", "Tensor[(4, 3, 2, 2, 2), float32]"],
      attrs: { padding: [1, 1, 1, 1, 1, 1], channels: 4, kernel_size: [2, 2, 2] },
    },
    {
      name: "strided, dilated",
      args: ["Tensor[(1, 3, 4, 5, 6), float32]", "Tensor[(4, 3, 2, 2, 2), float32]"],
      attrs: { strides: [2, 2, 2], dilation: [2, 2, 2], kernel_size: [2, 2, 2] },
    },
    {
      name: "grouped",
      args: ["Tensor[(1, 3, 4, 5, 6), float32]", "Tensor[(6, 1, 2, 2, 2), float32]"],
      attrs: { groups: 3, channels: 6, kernel_size: [2, 2, 2] },
    },
    {
      name: "NDHWC",
      args: ["Tensor[(1, 4, 5, 6, 3), float32]", "Tensor[(2, 2, 2, 3, 4), float32]"],
      attrs: { channels: 4, kernel_size: [2, 2, 2], data_layout: "NDHWC", kernel_layout: "DHWIO" },
    },
  ],
});
