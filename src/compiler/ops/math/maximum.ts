// The greater of each pair of elements, broadcast.  TVM: src/relay/op/tensor/binary.cc (maximum)
import { max } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const maximum = defineBinary({
  name: "maximum",
  doc: "The greater of each pair of elements; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => max(x, y),
});
