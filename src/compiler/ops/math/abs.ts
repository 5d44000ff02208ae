// Absolute value of every element.  TVM: src/relay/op/tensor/unary.cc (abs)
import { isFloat } from "../../ir/dtype.ts";
import { ge, imm, select, sub, unary } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const abs = defineUnary({
  name: "abs",
  doc: "Absolute value of every element.",
  examples: [
    { name: "floats", args: ["Tensor[(2, 3), float32]"] },
    { name: "integers", args: ["Tensor[(2, 3), int32]"] },
  ],
  value: (x, dtype) =>
    isFloat(dtype)
      ? unary("tir.fabs", x)
      : dtype.code === "int"
        ? select(ge(x, 0), x, sub(imm(0, dtype), x))
        : x,
});
