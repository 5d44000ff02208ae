// Bits that are set in one of the integers or both, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (bitwise_or)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const bitwiseOr = defineBinary({
  name: "bitwise_or",
  accepts: "integer",
  doc: "Bits that are set in one of the integers or both; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.bitwise_or", dtype, [x, y]),
});
