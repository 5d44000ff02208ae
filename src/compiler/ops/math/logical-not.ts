// The opposite of every truth value.  TVM: src/relay/op/tensor/unary.cc (logical_not)
import { not } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const logicalNot = defineUnary({
  name: "logical_not",
  accepts: "bool",
  doc: "The opposite of every truth value.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), bool]"] }],
  value: (x) => not(x),
});
