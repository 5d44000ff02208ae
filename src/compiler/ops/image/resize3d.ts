// Resampling of a volume.  TVM: src/relay/op/image/resize.cc (Resize3DRel), python/tvm/topi/image/resize.py
import { defineResize } from "./resize.ts";

export const resize3d = defineResize({
  spatial: "DHW",
  examples: [
    {
      name: "linear",
      args: ["Tensor[(1, 2, 3, 4, 2), float32]"],
      attrs: { size: [5, 6, 4], rounding_method: "" },
    },
    {
      name: "cubic",
      args: ["Tensor[(1, 2, 3, 4, 2), float32]"],
      attrs: { size: [5, 6, 4], method: "cubic", rounding_method: "" },
    },
    {
      name: "nearest, asymmetric",
      args: ["Tensor[(1, 2, 3, 4, 2), float32]"],
      attrs: {
        size: [5, 6, 4],
        method: "nearest_neighbor",
        coordinate_transformation_mode: "asymmetric",
        rounding_method: "floor",
      },
    },
  ],
});
