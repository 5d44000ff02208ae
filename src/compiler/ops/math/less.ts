// Whether each element of the first tensor is less than its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (less)
import { lt } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const less = defineBinary({
  name: "less",
  compares: true,
  doc: "Whether each element of the first tensor is less than its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => lt(x, y),
});
