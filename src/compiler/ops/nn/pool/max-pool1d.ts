// Greatest element of each window of a signal.  TVM: src/relay/op/nn/pooling.cc (nn.max_pool1d)
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp } from "../../define.ts";
import { poolShape } from "../../_shape-funcs/windows.ts";
import { poolAttrs, poolCompute, poolRelation } from "./pool-attrs.ts";

const signal = "Tensor[(1, 2, 9), float32]";

export const maxPool1d = defineOp({
  name: "nn.max_pool1d",
  inputs: ["data"],
  attrs: poolAttrs("W"),
  attrsKey: "relay.attrs.MaxPool1DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, attrs, t) => poolRelation("nn.max_pool1d", data, attrs, "W", t),
  compute: ({ data }, attrs, cx) => poolCompute("max", data, attrs, "W", cx),
  shapeFunc: poolShape("W"),
  schedule: poolRecipe,
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
