// The first tensor raised to the second element by element, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (power)
import { tirCall } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const power = defineBinary({
  name: "power",
  accepts: "float",
  doc: "The first tensor raised to the second element by element; floats only; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => tirCall("tir.pow", dtype, [x, y]),
});
