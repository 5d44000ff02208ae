// Zeros in the shape and dtype of the argument.  TVM: src/relay/op/tensor/unary.cc (zeros_like)
import { imm } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const zerosLike = defineUnary({
  name: "zeros_like",
  stage: "T_full_like",
  doc: "Zeros in the shape and dtype of the argument.",
  value: (_, dtype) => imm(0, dtype),
});
