// Transposed convolution of an image.  TVM: src/relay/op/nn/convolution.cc (nn.conv2d_transpose)
import { defineConvTranspose } from "./conv-transpose.ts";

const image = "Tensor[(1, 3, 5, 4), float32]";

export const conv2dTranspose = defineConvTranspose({
  spatial: "HW", kernelLayout: "OIHW",
  examples: [
    { name: "stride 2", args: [image, "Tensor[(3, 4, 3, 3), float32]"], attrs: { channels: 4, kernel_size: [3, 3], strides: [2, 2], output_padding: [1, 1], padding: [1, 1, 1, 1], kernel_layout: "IOHW" } },
    { name: "grouped", args: ["Tensor[(1, 4, 3, 3), float32]", "Tensor[(4, 3, 2, 2), float32]"], attrs: { channels: 6, kernel_size: [2, 2], groups: 2, kernel_layout: "IOHW" } },
    { name: "dilated, asymmetric padding", args: [image, "Tensor[(2, 3, 2, 2), float32]"], attrs: { kernel_size: [2, 2], strides: [1, 2], dilation: [2, 1], padding: [0, 1, 1, 0] } },
    { name: "NHWC", args: ["Tensor[(1, 5, 4, 3), float32]", "Tensor[(3, 3, 2, 3), float32]"], attrs: { channels: 2, kernel_size: [3, 3], strides: [2, 2], data_layout: "NHWC", kernel_layout: "HWOI" } },
  ],
});
