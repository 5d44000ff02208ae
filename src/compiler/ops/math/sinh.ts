// Hyperbolic sine of every element.  TVM: src/relay/op/tensor/unary.cc (sinh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const sinh = defineUnary({
  name: "sinh",
  accepts: "float",
  doc: "Hyperbolic sine of every element.",
  value: (x) => unary("tir.sinh", x),
});
