// Least whole number that is not below every element.  TVM: src/relay/op/tensor/unary.cc (ceil)
import { isFloat } from "../../ir/dtype.ts";
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const ceil = defineUnary({
  name: "ceil",
  accepts: "number",
  doc: "Least whole number that is not below every element.",
  value: (x, dtype) => (isFloat(dtype) ? unary("tir.ceil", x) : x),
});
