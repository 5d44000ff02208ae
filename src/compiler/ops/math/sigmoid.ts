// 1 / (1 + exp(-x)) of every element.  TVM: src/relay/op/tensor/unary.cc (sigmoid)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const sigmoid = defineUnary({
  name: "sigmoid",
  accepts: "float",
  doc: "1 / (1 + exp(-x)) of every element.",
  value: (x) => unary("tir.sigmoid", x),
});
