// Whether each element is infinite.  TVM: src/relay/op/tensor/unary.cc (isinf)
import { bool, isFloat } from "../../ir/dtype.ts";
import { falseImm, tirCall } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const isinf = defineUnary({
  name: "isinf",
  tests: true,
  doc: "Whether each element is infinite.",
  value: (x, dtype) => (isFloat(dtype) ? tirCall("tir.isinf", bool, [x]) : falseImm),
});
