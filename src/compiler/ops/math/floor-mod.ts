// Remainder of the division that rounds down, broadcast.  TVM: src/relay/op/tensor/binary.cc (floor_mod)
import { div, floorMod as floorModulo, mul, sub, unary } from "../../tir/build.ts";
import { isFloat } from "../../ir/dtype.ts";
import { defineBinary } from "./binary.ts";

export const floorMod = defineBinary({
  name: "floor_mod",
  doc: "Remainder of the division that rounds down; it has the sign of the second operand; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) =>
    isFloat(dtype) ? sub(x, mul(unary("tir.floor", div(x, y)), y)) : floorModulo(x, y),
});
