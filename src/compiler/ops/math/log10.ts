// Logarithm to base 10 of every element.  TVM: src/relay/op/tensor/unary.cc (log10)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const log10 = defineUnary({
  name: "log10",
  accepts: "float",
  doc: "Logarithm to base 10 of every element.",
  value: (x) => unary("tir.log10", x),
});
