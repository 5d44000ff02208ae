// Greatest element along the axes.  TVM: src/relay/op/tensor/reduce.cc (max)
import { maxReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const max = defineReduce({
  name: "max",
  doc: "Greatest element along the axes. With keepdims the axes stay with extent 1.",
  compute: reduceBy(maxReduce),
});
