// Whole part of every element.  TVM: src/relay/op/tensor/unary.cc (trunc)
import { isFloat } from "../../ir/dtype.ts";
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const trunc = defineUnary({
  name: "trunc",
  accepts: "number",
  doc: "Whole part of every element.",
  value: (x, dtype) => (isFloat(dtype) ? unary("tir.trunc", x) : x),
});
