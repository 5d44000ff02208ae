// Hyperbolic tangent of every element, approximated for float32; FastMath puts it in.
// TVM: src/relay/op/tensor/unary.cc (fast_tanh)
import { fastTanh as fastTanhExpr } from "../../topi/fast-math.ts";
import { defineUnary } from "./unary.ts";

export const fastTanh = defineUnary({
  name: "fast_tanh",
  accepts: "float",
  doc: "Hyperbolic tangent of every element, approximated for float32.",
  value: (x) => fastTanhExpr(x),
});
