// Convolution over three axes.  TVM: src/relay/op/nn/convolution.cc (nn.conv3d), python/tvm/topi/nn/conv3d.py
import { defineConv } from "./conv-op.ts";

export const conv3d = defineConv({
  name: "nn.conv3d",
  spatial: "DHW",
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
