// Square root of every element.  TVM: src/relay/op/tensor/unary.cc (sqrt)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const sqrt = defineUnary({
  name: "sqrt",
  accepts: "float",
  doc: "Square root of every element.",
  value: (x) => unary("tir.sqrt", x),
});
