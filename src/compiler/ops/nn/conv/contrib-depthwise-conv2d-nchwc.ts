// Depthwise convolution of images whose channels are stored in blocks; TVM's AlterOpLayout makes it of
// nn.conv2d.
// TVM: src/relay/op/nn/convolution.cc (nn.contrib_depthwise_conv2d_NCHWc),
// python/tvm/topi/nn/depthwise_conv2d.py
import { defineConv } from "./conv-op.ts";

export const contribDepthwiseConv2dNchwc = defineConv({
  name: "nn.contrib_depthwise_conv2d_NCHWc",
  spatial: "HW",
  doc: "Depthwise nn.conv2d on data of shape (N, C/c, H, W, c) and weights of shape (C/c, 1, KH, KW, 1, c).",
  examples: [
    {
      name: "blocks of 4",
      args: ["Tensor[(1, 2, 6, 6, 4), float32]", "Tensor[(2, 1, 3, 3, 1, 4), float32]"],
      attrs: {
        padding: [1, 1, 1, 1],
        groups: 8,
        channels: 8,
        kernel_size: [3, 3],
        data_layout: "NCHW4c",
        kernel_layout: "OIHW1i4o",
        out_layout: "NCHW4c",
      },
    },
  ],
});
