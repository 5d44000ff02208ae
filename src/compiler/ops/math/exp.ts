// e to the power of every element.  TVM: src/relay/op/tensor/unary.cc (exp)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const exp = defineUnary({
  name: "exp",
  accepts: "float",
  doc: "e to the power of every element.",
  value: (x) => unary("tir.exp", x),
});
