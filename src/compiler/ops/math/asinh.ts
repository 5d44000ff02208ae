// Inverse hyperbolic sine of every element.  TVM: src/relay/op/tensor/unary.cc (asinh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const asinh = defineUnary({
  name: "asinh",
  accepts: "float",
  doc: "Inverse hyperbolic sine of every element.",
  value: (x) => unary("tir.asinh", x),
});
