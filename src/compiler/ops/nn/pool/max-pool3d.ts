// Greatest element of each window of a volume.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool3d)
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp } from "../../define.ts";
import { poolShape } from "../../_shape-funcs/windows.ts";
import { poolAttrs, poolCompute, poolRelation } from "./pool-attrs.ts";

const volume = "Tensor[(1, 2, 4, 5, 6), float32]";

export const maxPool3d = defineOp({
  name: "nn.max_pool3d",
  inputs: ["data"],
  attrs: poolAttrs("DHW"),
  attrsKey: "relay.attrs.MaxPool3DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, attrs, t) => poolRelation("nn.max_pool3d", data, attrs, "DHW", t),
  compute: ({ data }, attrs, cx) => poolCompute("max", data, attrs, "DHW", cx),
  shapeFunc: poolShape("DHW"),
  schedule: poolRecipe,
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
