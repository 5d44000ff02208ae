// Least element along the axes.  TVM: src/relay/op/tensor/reduce.cc (min)
import { minReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const min = defineReduce({
  name: "min",
  doc: "Least element along the axes. With keepdims the axes stay with extent 1.",
  compute: reduceBy(minReduce),
});
