// Divides the first tensor by the second and rounds down, broadcast.  TVM: src/relay/op/tensor/binary.cc
// (floor_divide)
import { div, floorDiv, unary } from "../../tir/build.ts";
import { isFloat } from "../../ir/dtype.ts";
import { defineBinary } from "./binary.ts";

export const floorDivide = defineBinary({
  name: "floor_divide",
  doc: "Divides the first tensor by the second and rounds down; shapes are broadcast, dtypes must be equal.",
  value: (x, y, dtype) => (isFloat(dtype) ? unary("tir.floor", div(x, y)) : floorDiv(x, y)),
});
