// Two-dimensional convolution: plain, grouped, depthwise, dilated, in any layout of N, C, H and W.
// TVM: src/relay/op/nn/convolution.cc (Conv2DRel), python/tvm/topi/nn/conv2d.py, depthwise_conv2d.py
import { defineConv } from "./conv-op.ts";

const image = "Tensor[(1, 4, 7, 7), float32]";

export const conv2d = defineConv({
  name: "nn.conv2d",
  spatial: "HW",
  doc:
    "Slides a window over an image and sums products with the weight, over all input channels of the group. " +
    "Data (N, C, H, W) and weight (O, I/groups, KH, KW) give (N, O, H', W') with H' = floor((H + pads - dilated window) / stride) + 1.",
  examples: [
    {
      name: "3x3, padded",
      args: [image, "Tensor[(8, 4, 3, 3), float32]"],
      attrs: { padding: [1, 1, 1, 1], channels: 8, kernel_size: [3, 3] },
    },
    {
      name: "stride 2, asymmetric padding",
      args: [image, "Tensor[(8, 4, 3, 3), float32]"],
      attrs: { strides: [2, 2], padding: [0, 1, 2, 0], channels: 8, kernel_size: [3, 3] },
    },
    {
      name: "dilated",
      args: [image, "Tensor[(2, 4, 3, 3), float32]"],
      attrs: { dilation: [2, 3], padding: [2, 3], kernel_size: [3, 3] },
    },
    {
      name: "two groups",
      args: [image, "Tensor[(6, 2, 3, 3), float32]"],
      attrs: { groups: 2, channels: 6, kernel_size: [3, 3] },
    },
    {
      name: "depthwise",
      args: [image, "Tensor[(4, 1, 3, 3), float32]"],
      attrs: { padding: [1, 1, 1, 1], groups: 4, channels: 4, kernel_size: [3, 3] },
    },
    {
      name: "depthwise, multiplier 2",
      args: [image, "Tensor[(4, 2, 3, 3), float32]"],
      attrs: { groups: 4, channels: 8, kernel_size: [3, 3] },
    },
    {
      name: "NHWC",
      args: ["Tensor[(1, 7, 7, 4), float32]", "Tensor[(3, 3, 4, 8), float32]"],
      attrs: {
        padding: [1, 1, 1, 1],
        channels: 8,
        kernel_size: [3, 3],
        data_layout: "NHWC",
        kernel_layout: "HWIO",
      },
    },
    {
      name: "depthwise NHWC",
      args: ["Tensor[(1, 7, 7, 4), float32]", "Tensor[(3, 3, 4, 1), float32]"],
      attrs: {
        strides: [2, 2],
        groups: 4,
        channels: 4,
        kernel_size: [3, 3],
        data_layout: "NHWC",
        kernel_layout: "HWOI",
      },
    },
    {
      name: "int8 to int32",
      args: ["Tensor[(1, 4, 5, 5), int8]", "Tensor[(2, 4, 1, 1), int8]"],
      attrs: { channels: 2, kernel_size: [1, 1], out_dtype: "int32" },
    },
  ],
});
