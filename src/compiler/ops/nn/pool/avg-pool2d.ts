// Average of each window of an image.  TVM: src/relay/op/nn/pooling.cc (nn.avg_pool2d)
import { definePool } from "./pool-op.ts";

const image = "Tensor[(1, 2, 7, 7), float32]";

export const avgPool2d = definePool({
  kind: "avg",
  spatial: "HW",
  doc: "Average of each window of an image (N, C, H, W). Divides by the elements that are not padding, or by the whole window with count_include_pad.",
  examples: [
    { name: "2x2, stride 2", args: [image], attrs: { pool_size: [2, 2], strides: [2, 2] } },
    { name: "padded, not counted", args: [image], attrs: { pool_size: [3, 3], padding: [1, 1, 1, 1] } },
    {
      name: "padded, counted, ceil",
      args: [image],
      attrs: {
        pool_size: [3, 3],
        strides: [2, 2],
        padding: [1, 0],
        count_include_pad: true,
        ceil_mode: true,
      },
    },
    {
      name: "dilated, NHWC",
      args: ["Tensor[(1, 7, 7, 2), float32]"],
      attrs: { pool_size: [2, 2], dilation: [2, 2], padding: [1, 1], layout: "NHWC" },
    },
  ],
});
