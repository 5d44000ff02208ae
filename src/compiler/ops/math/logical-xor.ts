// Whether exactly one element of each pair is true, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (logical_xor)
import { ne } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const logicalXor = defineBinary({
  name: "logical_xor",
  accepts: "bool",
  doc: "Whether exactly one element of each pair is true; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => ne(x, y),
});
