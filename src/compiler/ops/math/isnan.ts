// Whether each element is not a number.  TVM: src/relay/op/tensor/unary.cc (isnan)
import { bool, isFloat } from "../../ir/dtype.ts";
import { falseImm, tirCall } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const isnan = defineUnary({
  name: "isnan",
  tests: true,
  doc: "Whether each element is not a number.",
  value: (x, dtype) => (isFloat(dtype) ? tirCall("tir.isnan", bool, [x]) : falseImm),
});
