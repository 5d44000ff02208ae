// 1 divided by the square root of every element.  TVM: src/relay/op/tensor/unary.cc (rsqrt)
import { div, imm, unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const rsqrt = defineUnary({
  name: "rsqrt",
  stage: "tensor",
  accepts: "float",
  doc: "1 divided by the square root of every element.",
  value: (x, dtype) => div(imm(1, dtype), unary("tir.sqrt", x)),
});
