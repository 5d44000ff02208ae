// Gradient of nn.max_pool2d.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool2d_grad)
import { definePoolGrad } from "./pool-grad.ts";

export const maxPool2dGrad = definePoolGrad({
  kind: "max",
  doc: "Gradient of nn.max_pool2d with respect to its data, the second argument; the first is the gradient of its result. Each window's gradient goes to its first greatest element.",
  examples: [
    {
      name: "2x2, stride 2",
      args: ["Tensor[(1, 2, 3, 3), float32]", "Tensor[(1, 2, 6, 6), float32]"],
      attrs: { pool_size: [2, 2], strides: [2, 2] },
    },
    {
      name: "overlapping, padded, NHWC",
      args: ["Tensor[(1, 4, 4, 2), float32]", "Tensor[(1, 7, 7, 2), float32]"],
      attrs: { pool_size: [3, 3], strides: [2, 2], padding: [1, 1], layout: "NHWC" },
    },
  ],
});
