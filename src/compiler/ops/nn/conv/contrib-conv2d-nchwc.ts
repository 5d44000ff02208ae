// Convolution of images whose channels are stored in blocks; TVM's AlterOpLayout makes it of nn.conv2d.
// TVM: src/relay/op/nn/convolution.cc (nn.contrib_conv2d_NCHWc), python/tvm/topi/nn/conv2d.py (conv2d_NCHWc)
import { defineConv } from "./conv-op.ts";

export const contribConv2dNchwc = defineConv({
  name: "nn.contrib_conv2d_NCHWc",
  spatial: "HW",
  doc: "nn.conv2d on data of shape (N, C/c, H, W, c) and weights of shape (O/o, I/i, KH, KW, i, o), which vectors read in one piece.",
  examples: [
    {
      name: "blocks of 4",
      args: ["Tensor[(1, 2, 5, 5, 4), float32]", "Tensor[(2, 2, 3, 3, 4, 4), float32]"],
      attrs: {
        padding: [1, 1, 1, 1],
        channels: 8,
        kernel_size: [3, 3],
        data_layout: "NCHW4c",
        kernel_layout: "OIHW4i4o",
        out_layout: "NCHW4c",
      },
    },
    {
      name: "blocks change",
      args: ["Tensor[(1, 1, 6, 6, 3), float32]", "Tensor[(1, 1, 3, 3, 3, 8), float32]"],
      attrs: {
        strides: [2, 2],
        channels: 8,
        kernel_size: [3, 3],
        data_layout: "NCHW3c",
        kernel_layout: "OIHW3i8o",
        out_layout: "NCHW8c",
      },
    },
  ],
});
