// Tangent of every element.  TVM: src/relay/op/tensor/unary.cc (tan)
import { unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const tan = defineUnary({
  name: "tan",
  accepts: "float",
  doc: "Tangent of every element.",
  value: (x) => unary("tir.tan", x),
});
