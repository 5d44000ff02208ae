// Convolution over one axis.  TVM: src/relay/op/nn/convolution.cc (nn.conv1d), python/tvm/topi/nn/conv1d.py
import { convRelation } from "./conv-types.ts";
import { conv2d as conv2dRecipe } from "../../../recipes/conv2d.ts";
import { defineOp } from "../../define.ts";
import { convShape } from "../../_shape-funcs/windows.ts";
import { asker } from "../../_shared/type-helpers.ts";
import { convAttrs } from "./conv-attrs.ts";
import { convCompute } from "./conv-compute.ts";

// Conv1DAttrs has no out_layout, and its padding defaults to a pair.
const { out_layout: _, strides, padding, ...rest } = convAttrs("W");
const attrs = { strides, padding: { ...padding, default: [0, 0] }, ...rest };

export const conv1d = defineOp({
  name: "nn.conv1d",
  inputs: ["data", "weight"],
  attrs,
  attrsKey: "relay.attrs.Conv1DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, weight }, attrs, t) =>
    convRelation(asker(t, "nn.conv1d"), { data, weight }, { ...attrs, out_layout: "" }, "W"),
  compute: ({ data, weight }, attrs, cx) =>
    convCompute({ data, weight }, { ...attrs, out_layout: "" }, "W", cx),
  shapeFunc: convShape("W"),
  schedule: conv2dRecipe,
  doc: "Slides a window over a signal (N, C, W) and sums products with the weight (O, I, W), as nn.conv2d does for images.",
  examples: [
    {
      name: "padded",
      args: ["Tensor[(1, 3, 9), float32]", "Tensor[(4, 3, 3), float32]"],
      attrs: { padding: [1, 1], channels: 4, kernel_size: [3] },
    },
    {
      name: "strided, dilated",
      args: ["Tensor[(1, 3, 9), float32]", "Tensor[(4, 3, 3), float32]"],
      attrs: { strides: [2], dilation: [2], kernel_size: [3] },
    },
    {
      name: "grouped",
      args: ["Tensor[(1, 3, 9), float32]", "Tensor[(6, 1, 3), float32]"],
      attrs: { groups: 3, channels: 6, kernel_size: [3] },
    },
    {
      name: "NWC",
      args: ["Tensor[(1, 9, 3), float32]", "Tensor[(3, 3, 4), float32]"],
      attrs: { channels: 4, kernel_size: [3], data_layout: "NWC", kernel_layout: "WIO" },
    },
  ],
});
