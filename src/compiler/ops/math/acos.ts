// Arc cosine of every element.  TVM: src/relay/op/tensor/unary.cc (acos)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const acos = defineUnary({
  name: "acos",
  accepts: "float",
  doc: "Arc cosine of every element.",
  value: (x) => unary("tir.acos", x),
});
