// Sum of the elements along the axes, in the dtype of the data.  TVM: src/relay/op/tensor/reduce.cc (sum)
import { sum as sumReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const sum = defineReduce({
  name: "sum",
  doc: "Sum of the elements along the axes, in the dtype of the data. With keepdims the axes stay with extent 1.",
  compute: reduceBy(sumReduce),
});
