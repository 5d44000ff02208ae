// Product of the elements along the axes, in the dtype of the data.  TVM: src/relay/op/tensor/reduce.cc
// (prod)
import { prod as prodReduce } from "../../te/compute.ts";
import { defineReduce, reduceBy } from "./reduce-op.ts";

export const prod = defineReduce({
  name: "prod",
  doc: "Product of the elements along the axes, in the dtype of the data. With keepdims the axes stay with extent 1.",
  compute: reduceBy(prodReduce),
});
