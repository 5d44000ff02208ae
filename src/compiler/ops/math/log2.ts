// Logarithm to base 2 of every element.  TVM: src/relay/op/tensor/unary.cc (log2)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const log2 = defineUnary({
  name: "log2",
  accepts: "float",
  doc: "Logarithm to base 2 of every element.",
  value: (x) => unary("tir.log2", x),
});
