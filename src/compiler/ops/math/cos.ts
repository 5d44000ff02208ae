// Cosine of every element.  TVM: src/relay/op/tensor/unary.cc (cos)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const cos = defineUnary({
  name: "cos",
  accepts: "float",
  doc: "Cosine of every element.",
  value: (x) => unary("tir.cos", x),
});
