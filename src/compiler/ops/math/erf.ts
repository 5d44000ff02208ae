// Gauss error function of every element.  TVM: src/relay/op/tensor/unary.cc (erf)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const erf = defineUnary({
  name: "erf",
  accepts: "float",
  doc: "Gauss error function of every element.",
  value: (x) => unary("tir.erf", x),
});
