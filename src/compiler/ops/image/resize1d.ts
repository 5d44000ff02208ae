// Resampling of a signal.  TVM: src/relay/op/image/resize.cc (Resize1DRel), python/tvm/topi/image/resize.py
import { defineResize } from "./resize.ts";

export const resize1d = defineResize({
  spatial: "W",
  examples: [
    { name: "linear", args: ["Tensor[(1, 2, 4), float32]"], attrs: { size: [7], rounding_method: "" } },
    {
      name: "cubic",
      args: ["Tensor[(1, 2, 4), float32]"],
      attrs: { size: [7], method: "cubic", rounding_method: "" },
    },
    {
      name: "nearest, asymmetric",
      args: ["Tensor[(1, 2, 4), float32]"],
      attrs: {
        size: [7],
        method: "nearest_neighbor",
        coordinate_transformation_mode: "asymmetric",
        rounding_method: "floor",
      },
    },
  ],
});
