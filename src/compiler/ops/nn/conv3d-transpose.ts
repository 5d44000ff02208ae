// Transposed convolution of a volume.  TVM: src/relay/op/nn/convolution.cc (nn.conv3d_transpose)
import { defineConvTranspose } from "./conv-transpose.ts";

export const conv3dTranspose = defineConvTranspose({
  spatial: "DHW", kernelLayout: "OIDHW",
  examples: [{ name: "stride 2", args: ["Tensor[(1, 2, 2, 3, 2), float32]", "Tensor[(2, 3, 2, 2, 2), float32]"], attrs: { channels: 3, kernel_size: [2, 2, 2], strides: [2, 2, 2], kernel_layout: "IODHW" } }],
});
