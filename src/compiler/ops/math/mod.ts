// Remainder of the division that rounds toward zero, broadcast.  TVM: src/relay/op/tensor/binary.cc (mod)
import { tirCall, truncMod } from "../../tir/build.ts";
import { isFloat } from "../../ir/dtype.ts";
import { defineBinary } from "./binary.ts";

export const mod = defineBinary({
  name: "mod",
  doc: "Remainder of the division that rounds toward zero; it has the sign of the first operand; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => (isFloat(dtype) ? tirCall("tir.fmod", dtype, [x, y]) : truncMod(x, y)),
});
