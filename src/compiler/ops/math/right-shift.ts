// The first integer shifted right by the second, broadcast.  TVM: src/relay/op/tensor/binary.cc (right_shift)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const rightShift = defineBinary({
  name: "right_shift",
  accepts: "integer",
  doc: "The first integer shifted right by the second; the sign stays; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.shift_right", dtype, [x, y]),
});
