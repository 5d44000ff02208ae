// Bits that are set in exactly one of the integers, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (bitwise_xor)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const bitwiseXor = defineBinary({
  name: "bitwise_xor",
  accepts: "integer",
  doc: "Bits that are set in exactly one of the integers; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.bitwise_xor", dtype, [x, y]),
});
