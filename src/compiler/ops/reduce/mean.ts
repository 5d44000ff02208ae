// Average along axes: the sum divided by the count.  TVM: src/relay/op/tensor/reduce.cc (MeanCompute)
import { cast, div } from "../../tir/build.ts";
import { sum } from "../../te/compute.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { reduce, reducedCount } from "../../topi/reduction.ts";
import { defineReduce } from "./reduce-op.ts";

export const mean = defineReduce({
  name: "mean",
  doc: "Average of the elements along the axes: their sum divided by their number, in the dtype of the data (integers round toward zero).",
  compute: (data, axes, attrs, cx) => {
    const total = reduce(data, { axes, keepdims: attrs.keepdims, origin: cx.origin }, sum);
    const count = cast(reducedCount(data, axes), data.dtype);
    return elementwise(total, "T_divide", cx.origin, (value) => div(value, count));
  },
});
