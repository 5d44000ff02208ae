// The lesser of each pair of elements, broadcast.  TVM: src/relay/op/tensor/binary.cc (minimum)
import { min } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const minimum = defineBinary({
  name: "minimum",
  doc: "The lesser of each pair of elements; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => min(x, y),
});
