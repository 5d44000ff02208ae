// Average of each window of a volume.  TVM: src/relay/op/nn/pooling.cc (nn.avg_pool3d)
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp } from "../../define.ts";
import { poolShape } from "../../_shape-funcs/windows.ts";
import { countIncludePad, poolAttrs, poolCompute, poolRelation } from "./pool-attrs.ts";

const volume = "Tensor[(1, 2, 4, 5, 6), float32]";

export const avgPool3d = defineOp({
  name: "nn.avg_pool3d",
  inputs: ["data"],
  attrs: { ...poolAttrs("DHW"), count_include_pad: countIncludePad },
  attrsKey: "relay.attrs.AvgPool3DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, attrs, t) => poolRelation("nn.avg_pool3d", data, attrs, "DHW", t),
  compute: ({ data }, attrs, cx) => poolCompute("avg", data, attrs, "DHW", cx),
  shapeFunc: poolShape("DHW"),
  schedule: poolRecipe,
  doc: "Average of each window of a volume (N, C, D, H, W), as nn.avg_pool2d does for images.",
  examples: [
    { name: "plain", args: [volume], attrs: { pool_size: [2, 2, 2], strides: [2, 2, 2] } },
    {
      name: "padded",
      args: [volume],
      attrs: { pool_size: [3, 3, 3], strides: [2, 2, 2], padding: [1, 1, 1, 1, 1, 1], ceil_mode: true },
    },
  ],
});
