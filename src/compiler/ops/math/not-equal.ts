// Whether each element of the first tensor differs from its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (not_equal)
import { ne } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const notEqual = defineBinary({
  name: "not_equal",
  compares: true,
  doc: "Whether each element of the first tensor differs from its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => ne(x, y),
});
