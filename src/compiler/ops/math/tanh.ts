// Hyperbolic tangent of every element.  TVM: src/relay/op/tensor/unary.cc (tanh)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const tanh = defineUnary({
  name: "tanh",
  accepts: "float",
  doc: "Hyperbolic tangent of every element.",
  value: (x) => unary("tir.tanh", x),
});
