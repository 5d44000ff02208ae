// Ones in the shape and dtype of the argument.  TVM: src/relay/op/tensor/unary.cc (ones_like)
import { imm } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const onesLike = defineUnary({
  name: "ones_like",
  stage: "T_full_like",
  doc: "Ones in the shape and dtype of the argument.",
  value: (_, dtype) => imm(1, dtype),
});
