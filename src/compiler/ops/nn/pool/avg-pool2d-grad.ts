// Gradient of nn.avg_pool2d.  TVM: src/relay/op/nn/pooling.cc (nn.avg_pool2d_grad), which registers the
// attributes of max pools for it but makes calls with those of average pools: text with metadata keeps them
// there.
import { definePoolGrad } from "./pool-grad.ts";

export const avgPool2dGrad = definePoolGrad({
  kind: "avg",
  doc: "Gradient of nn.avg_pool2d with respect to its data, the second argument; the first is the gradient of its result. Each window's gradient is shared out among its elements.",
  examples: [
    {
      name: "2x2, stride 2",
      args: ["Tensor[(1, 2, 3, 3), float32]", "Tensor[(1, 2, 6, 6), float32]"],
      attrs: { pool_size: [2, 2], strides: [2, 2] },
    },
    {
      name: "padded, counted",
      args: ["Tensor[(1, 2, 4, 4), float32]", "Tensor[(1, 2, 7, 7), float32]"],
      attrs: { pool_size: [3, 3], strides: [2, 2], padding: [1, 1], count_include_pad: true },
    },
    {
      name: "padded, not counted, NHWC",
      args: ["Tensor[(1, 4, 4, 2), float32]", "Tensor[(1, 7, 7, 2), float32]"],
      attrs: { pool_size: [3, 3], strides: [2, 2], padding: [1, 1], layout: "NHWC" },
    },
  ],
});
