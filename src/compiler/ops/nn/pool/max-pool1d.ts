// Greatest element of each window of a signal.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool1d)
import { definePool } from "./pool-op.ts";

const signal = "Tensor[(1, 2, 9), float32]";

export const maxPool1d = definePool({
  kind: "max",
  spatial: "W",
  doc: "Greatest element of each window of a signal (N, C, W), as nn.max_pool2d does for images.",
  examples: [
    { name: "plain", args: [signal], attrs: { pool_size: [2], strides: [2] } },
    {
      name: "padded",
      args: [signal],
      attrs: { pool_size: [3], strides: [2], padding: [1, 1], ceil_mode: true },
    },
  ],
});
