// Whether all elements along the axes are true.  TVM: src/relay/op/tensor/reduce.cc (all)
import { allReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const all = defineReduce({
  name: "all",
  accepts: "bool",
  doc: "Whether all elements along the axes are true. With keepdims the axes stay with extent 1.",
  examples: [
    { name: "one axis", args: ["Tensor[(2, 3), bool]"], attrs: { axis: [1] } },
    { name: "all axes", args: ["Tensor[(2, 3), bool]"] },
  ],
  compute: reduceBy(allReduce),
});
