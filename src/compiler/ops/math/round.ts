// Nearest whole number to every element.  TVM: src/relay/op/tensor/unary.cc (round)
import { isFloat } from "../../ir/dtype.ts";
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const round = defineUnary({
  name: "round",
  accepts: "number",
  doc: "Nearest whole number to every element; halves go away from zero.",
  value: (x, dtype) => (isFloat(dtype) ? unary("tir.round", x) : x),
});
