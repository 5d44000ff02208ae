// Difference of two tensors, broadcast.  TVM: src/relay/op/tensor/binary.cc (subtract)
import { sub } from "../../tir/build.ts";
import { binaryExamples, defineBinary } from "./binary.ts";

export const subtract = defineBinary({
  name: "subtract", doc: "Subtracts the second tensor from the first element by element; shapes are broadcast, dtypes must be equal.",
  examples: binaryExamples, value: sub,
});
