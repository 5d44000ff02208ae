// Multiplies two tensors element by element, broadcast.  TVM: src/relay/op/tensor/binary.cc (multiply)
import { mul } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const multiply = defineBinary({
  name: "multiply",
  doc: "Multiplies two tensors element by element; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => mul(x, y),
});
