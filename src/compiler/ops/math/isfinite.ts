// Whether each element is neither infinite nor not a number.  TVM: src/relay/op/tensor/unary.cc (isfinite)
import { bool, isFloat } from "../../ir/dtype.ts";
import { tirCall, trueImm } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const isfinite = defineUnary({
  name: "isfinite",
  tests: true,
  doc: "Whether each element is neither infinite nor not a number.",
  value: (x, dtype) => (isFloat(dtype) ? tirCall("tir.isfinite", bool, [x]) : trueImm),
});
