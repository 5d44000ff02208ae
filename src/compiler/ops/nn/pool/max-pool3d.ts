// Greatest element of each window of a volume.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool3d)
import { definePool } from "./pool-op.ts";

const volume = "Tensor[(1, 2, 4, 5, 6), float32]";

export const maxPool3d = definePool({
  kind: "max",
  spatial: "DHW",
  doc: "Greatest element of each window of a volume (N, C, D, H, W), as nn.max_pool2d does for images.",
  examples: [
    { name: "plain", args: [volume], attrs: { pool_size: [2, 2, 2], strides: [2, 2, 2] } },
    {
      name: "padded",
      args: [volume],
      attrs: { pool_size: [3, 3, 3], strides: [2, 2, 2], padding: [1, 1, 1, 1, 1, 1], ceil_mode: true },
    },
  ],
});
