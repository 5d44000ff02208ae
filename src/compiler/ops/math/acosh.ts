// Inverse hyperbolic cosine of every element.  TVM: src/relay/op/tensor/unary.cc (acosh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const acosh = defineUnary({
  name: "acosh",
  accepts: "float",
  doc: "Inverse hyperbolic cosine of every element.",
  value: (x) => unary("tir.acosh", x),
});
