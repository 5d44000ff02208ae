// Inverse hyperbolic tangent of every element.  TVM: src/relay/op/tensor/unary.cc (atanh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const atanh = defineUnary({
  name: "atanh",
  accepts: "float",
  doc: "Inverse hyperbolic tangent of every element.",
  value: (x) => unary("tir.atanh", x),
});
