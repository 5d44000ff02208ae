// Greatest element of each window of an image.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool2d)
import { definePool } from "./pool-op.ts";

const image = "Tensor[(1, 2, 7, 7), float32]";

export const maxPool2d = definePool({
  kind: "max",
  spatial: "HW",
  doc: "Greatest element of each window of an image (N, C, H, W); padding never wins. H' = floor((H + pads - dilated window) / stride) + 1, ceil with ceil_mode.",
  examples: [
    { name: "2x2, stride 2", args: [image], attrs: { pool_size: [2, 2], strides: [2, 2] } },
    {
      name: "padded, ceil",
      args: [image],
      attrs: { pool_size: [3, 3], strides: [2, 2], padding: [1, 1, 0, 0], ceil_mode: true },
    },
    {
      name: "NHWC",
      args: ["Tensor[(1, 6, 6, 3), float32]"],
      attrs: { pool_size: [2, 2], strides: [2, 2], layout: "NHWC" },
    },
    { name: "dilated", args: [image], attrs: { pool_size: [2, 2], dilation: [3, 2] } },
  ],
});
