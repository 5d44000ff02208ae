// The same elements in a tensor of their own.  TVM: src/relay/op/tensor/unary.cc (copy)
import { defineUnary } from "./unary.ts";

export const copy = defineUnary({
  name: "copy",
  stage: "T_identity",
  doc: "The same elements in a tensor of their own.",
  value: (x) => x,
});
