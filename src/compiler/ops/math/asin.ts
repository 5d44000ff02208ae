// Arc sine of every element.  TVM: src/relay/op/tensor/unary.cc (asin)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const asin = defineUnary({
  name: "asin",
  accepts: "float",
  doc: "Arc sine of every element.",
  value: (x) => unary("tir.asin", x),
});
