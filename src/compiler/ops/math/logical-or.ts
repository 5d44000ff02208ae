// Whether one element of each pair is true, broadcast.  TVM: src/relay/op/tensor/binary.cc (logical_or)
import { or } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const logicalOr = defineBinary({
  name: "logical_or",
  accepts: "bool",
  doc: "Whether one element of each pair is true; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => or(x, y),
});
