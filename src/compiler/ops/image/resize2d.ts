// Resampling of an image.  TVM: src/relay/op/image/resize.cc (Resize2DRel), python/tvm/topi/image/resize.py
import { defineResize } from "./resize.ts";

export const resize2d = defineResize({
  spatial: "HW",
  examples: [
    { name: "linear", args: ["Tensor[(1, 2, 4, 4), float32]"], attrs: { size: [7, 5], rounding_method: "" } },
    {
      name: "cubic",
      args: ["Tensor[(1, 2, 4, 4), float32]"],
      attrs: { size: [7, 5], method: "cubic", rounding_method: "" },
    },
    {
      name: "nearest, asymmetric",
      args: ["Tensor[(1, 2, 4, 4), float32]"],
      attrs: {
        size: [7, 5],
        method: "nearest_neighbor",
        coordinate_transformation_mode: "asymmetric",
        rounding_method: "floor",
      },
    },
  ],
});
