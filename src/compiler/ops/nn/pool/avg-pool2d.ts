// Average of each window of an image.  TVM: src/relay/op/nn/pooling.cc (nn.avg_pool2d)
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp } from "../../define.ts";
import { poolShape } from "../../_shape-funcs/windows.ts";
import { countIncludePad, poolAttrs, poolCompute, poolRelation } from "./pool-attrs.ts";

const image = "Tensor[(1, 2, 7, 7), float32]";

export const avgPool2d = defineOp({
  name: "nn.avg_pool2d",
  inputs: ["data"],
  attrs: { ...poolAttrs("HW"), count_include_pad: countIncludePad },
  attrsKey: "relay.attrs.AvgPool2DAttrs",
  pattern: "outEWiseFusable",
  type: ({ data }, attrs, t) => poolRelation("nn.avg_pool2d", data, attrs, "HW", t),
  compute: ({ data }, attrs, cx) => poolCompute("avg", data, attrs, "HW", cx),
  shapeFunc: poolShape("HW"),
  schedule: poolRecipe,
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
