// Elements increased at given positions.  TVM: src/relay/op/tensor/transform.cc (scatter_add),
// python/tvm/topi/scatter_add.py
import { defineScatter } from "./scatter-op.ts";

export const scatterAdd = defineScatter({
  name: "scatter_add",
  mode: "add",
  attrsKey: "relay.attrs.ScatterAddAttrs",
  doc: "A copy of data to which element (i, j) of updates is added at position indicies[i, j] along `axis`; positions may repeat.",
});
