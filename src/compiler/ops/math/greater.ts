// Whether each element of the first tensor is greater than its partner, broadcast.
// TVM: src/relay/op/tensor/binary.cc (greater)
import { gt } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const greater = defineBinary({
  name: "greater",
  compares: true,
  doc: "Whether each element of the first tensor is greater than its partner; the result is bool. Shapes are broadcast, dtypes must be equal.",
  value: (x, y) => gt(x, y),
});
