// Sine of every element.  TVM: src/relay/op/tensor/unary.cc (sin)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const sin = defineUnary({
  name: "sin",
  accepts: "float",
  doc: "Sine of every element.",
  value: (x) => unary("tir.sin", x),
});
