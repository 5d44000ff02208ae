// Every element with its sign changed.  TVM: src/relay/op/tensor/unary.cc (negative)
import { imm, sub } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const negative = defineUnary({
  name: "negative",
  doc: "Every element with its sign changed.",
  value: (x, dtype) => sub(imm(0, dtype), x),
});
