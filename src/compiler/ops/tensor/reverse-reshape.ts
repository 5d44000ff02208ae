// Reshape whose special values count dimensions from the end.  TVM: src/relay/op/tensor/transform.cc
// (ReverseReshapeRel)
import { defineReshape } from "./reshape-op.ts";

export const reverseReshape = defineReshape({
  name: "contrib_reverse_reshape",
  fromEnd: true,
  shapeDoc: "The new shape, read from its end.",
  doc: "Like reshape, but special values of the new shape are matched with the dimensions of data from the last to the first.",
  examples: [{ name: "last kept", args: ["Tensor[(2, 3, 4), float32]"], attrs: { newshape: [-1, 0] } }],
});
