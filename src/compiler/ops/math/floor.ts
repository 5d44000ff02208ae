// Greatest whole number that is not above every element.  TVM: src/relay/op/tensor/unary.cc (floor)
import { isFloat } from "../../ir/dtype.ts";
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const floor = defineUnary({
  name: "floor",
  accepts: "number",
  doc: "Greatest whole number that is not above every element.",
  value: (x, dtype) => (isFloat(dtype) ? unary("tir.floor", x) : x),
});
