// Arc tangent of every element.  TVM: src/relay/op/tensor/unary.cc (atan)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const atan = defineUnary({
  name: "atan",
  accepts: "float",
  doc: "Arc tangent of every element.",
  value: (x) => unary("tir.atan", x),
});
