// Whether each element of the first tensor is equal to its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (equal)
import { eq } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const equal = defineBinary({
  name: "equal",
  compares: true,
  doc: "Whether each element of the first tensor is equal to its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => eq(x, y),
});
