// Every integer with all bits changed.  TVM: src/relay/op/tensor/unary.cc (bitwise_not)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const bitwiseNot = defineUnary({
  name: "bitwise_not",
  accepts: "integer",
  doc: "Every integer with all bits changed.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), int32]"] }],
  value: (x) => unary("tir.bitwise_not", x),
});
