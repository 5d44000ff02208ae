// Difference of two quantised tensors.  TVM: src/relay/qnn/op/subtract.cc
import { defineQnnSum } from "./sum.ts";

export const qnnSubtract = defineQnnSum({
  op: "subtract",
  mend: "add",
  doc: "The difference of the numbers that two quantised tensors stand for, in the scale and zero point of the result; shapes broadcast.",
});
