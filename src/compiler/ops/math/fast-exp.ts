// e to the power of every element, approximated for float32; FastMath puts it in.
// TVM: src/relay/op/tensor/unary.cc (fast_exp)
import { fastExp as fastExpExpr } from "../../topi/fast-math.ts";
import { defineUnary } from "./unary.ts";

export const fastExp = defineUnary({
  name: "fast_exp",
  accepts: "float",
  doc: "e to the power of every element, approximated for float32.",
  value: (x) => fastExpExpr(x),
});
