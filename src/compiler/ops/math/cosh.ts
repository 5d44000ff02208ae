// Hyperbolic cosine of every element.  TVM: src/relay/op/tensor/unary.cc (cosh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const cosh = defineUnary({
  name: "cosh",
  accepts: "float",
  doc: "Hyperbolic cosine of every element.",
  value: (x) => unary("tir.cosh", x),
});
