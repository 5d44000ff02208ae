// Whether an element along the axes is true.  TVM: src/relay/op/tensor/reduce.cc (any)
import { anyReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const any = defineReduce({
  name: "any",
  accepts: "bool",
  doc: "Whether an element along the axes is true. With keepdims the axes stay with extent 1.",
  examples: [
    { name: "one axis", args: ["Tensor[(2, 3), bool]"], attrs: { axis: [1] } },
    { name: "all axes", args: ["Tensor[(2, 3), bool]"] },
  ],
  compute: reduceBy(anyReduce),
});
