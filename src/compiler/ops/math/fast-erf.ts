// Gauss error function of every element, approximated for float32; FastMath puts it in.
// TVM: src/relay/op/tensor/unary.cc (fast_erf)
import { fastErf as fastErfExpr } from "../../topi/fast-math.ts";
import { defineUnary } from "./unary.ts";

export const fastErf = defineUnary({
  name: "fast_erf",
  accepts: "float",
  doc: "Gauss error function of every element, approximated for float32.",
  value: (x) => fastErfExpr(x),
});
