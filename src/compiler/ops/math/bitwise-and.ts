// Bits that are set in both integers, broadcast.  TVM: src/relay/op/tensor/binary.cc (bitwise_and)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const bitwiseAnd = defineBinary({
  name: "bitwise_and",
  accepts: "integer",
  doc: "Bits that are set in both integers; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.bitwise_and", dtype, [x, y]),
});
