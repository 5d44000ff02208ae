// The first integer times two to the power of the second, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (left_shift)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const leftShift = defineBinary({
  name: "left_shift",
  accepts: "integer",
  doc: "The first integer times two to the power of the second; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.shift_left", dtype, [x, y]),
});
