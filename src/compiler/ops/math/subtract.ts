// Subtracts the second tensor from the first element by element, broadcast.
// TVM: src/relay/op/tensor/binary.cc (subtract)
import { sub } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const subtract = defineBinary({
  name: "subtract",
  doc: "Subtracts the second tensor from the first element by element; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => sub(x, y),
});
