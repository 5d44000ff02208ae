// The same elements in another shape.  TVM: src/relay/op/tensor/transform.cc (ReshapeRel)
import { defineReshape } from "./reshape-op.ts";

export const reshape = defineReshape({
  name: "reshape",
  fromEnd: false,
  shapeDoc: "The new shape; 0, -1, -2, -3 and -4 have meanings of their own.",
  doc: "The same elements in row-major order under a new shape. In it 0 keeps a dimension, -1 is what is left, -2 keeps all that remain, -3 joins two, -4 splits one into the next two numbers.",
  examples: [
    { name: "plain", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [4, 6] } },
    { name: "inferred", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [0, -1] } },
    { name: "joined", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [-3, -2] } },
    { name: "split", args: ["Tensor[(2, 6, 4), float32]"], attrs: { newshape: [0, -4, -1, 3, -2] } },
    { name: "to a scalar", args: ["Tensor[(1, 1), float32]"], attrs: { newshape: [] } },
  ],
});
