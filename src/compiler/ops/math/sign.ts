// -1, 0 or 1 as every element is negative, zero or positive.  TVM: src/relay/op/tensor/unary.cc (sign)
import { gt, imm, lt, select } from "../../tir/build.ts";
import { defineUnary } from "./unary.ts";

export const sign = defineUnary({
  name: "sign",
  accepts: "number",
  doc: "-1, 0 or 1 as every element is negative, zero or positive.",
  value: (x, dtype) => select(gt(x, 0), imm(1, dtype), select(lt(x, 0), imm(-1, dtype), imm(0, dtype))),
});
