// Whether each element of the first tensor is at most its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (less_equal)
import { le } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const lessEqual = defineBinary({
  name: "less_equal",
  compares: true,
  doc: "Whether each element of the first tensor is at most its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => le(x, y),
});
