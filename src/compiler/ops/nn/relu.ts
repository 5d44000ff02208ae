// The greater of each element and zero.  TVM: src/relay/op/nn/nn.cc (nn.relu)
import { imm, max } from "../../tir/build.ts";
import { defineUnary } from "../math/unary.ts";

export const relu = defineUnary({
  name: "nn.relu",
  stage: "T_relu",
  doc: "max(x, 0) of every element.",
  examples: [
    { name: "image", args: ["Tensor[(1, 2, 3, 3), float32]"] },
    { name: "integers", args: ["Tensor[(5), int8]"] },
  ],
  value: (x, dtype) => max(x, imm(0, dtype)),
});
