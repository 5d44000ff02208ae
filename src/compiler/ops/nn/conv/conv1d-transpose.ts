// Transposed convolution of a signal.  TVM: src/relay/op/nn/convolution.cc (nn.conv1d_transpose)
import { defineConvTranspose } from "./conv-transpose.ts";

export const conv1dTranspose = defineConvTranspose({
  spatial: "W",
  examples: [
    {
      name: "stride 2",
      args: ["Tensor[(1, 3, 5), float32]", "Tensor[(3, 4, 3), float32]"],
      attrs: { channels: 4, kernel_size: [3], strides: [2], padding: [1] },
    },
    {
      name: "grouped",
      args: ["Tensor[(1, 4, 5), float32]", "Tensor[(4, 3, 2), float32]"],
      attrs: { groups: 2, output_padding: [1], strides: [2] },
    },
  ],
});
