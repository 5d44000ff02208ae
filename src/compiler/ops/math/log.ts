// Natural logarithm of every element.  TVM: src/relay/op/tensor/unary.cc (log)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const log = defineUnary({
  name: "log",
  accepts: "float",
  doc: "Natural logarithm of every element.",
  value: (x) => unary("tir.log", x),
});
