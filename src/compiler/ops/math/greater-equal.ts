// Whether each element of the first tensor is at least its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (greater_equal)
import { ge } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const greaterEqual = defineBinary({
  name: "greater_equal",
  compares: true,
  doc: "Whether each element of the first tensor is at least its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => ge(x, y),
});
