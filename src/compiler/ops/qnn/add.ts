// Sum of two quantised tensors.  TVM: src/relay/qnn/op/add.cc
import { defineQnnSum } from "./sum.ts";

export const qnnAdd = defineQnnSum({
  op: "add",
  mend: "subtract",
  doc: "The sum of the numbers that two quantised tensors stand for, in the scale and zero point of the result; shapes broadcast.",
});
