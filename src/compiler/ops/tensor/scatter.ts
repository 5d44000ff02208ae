// Elements replaced at given positions.  TVM: src/relay/op/tensor/transform.cc (scatter),
// python/tvm/topi/scatter.py
import { defineScatter } from "./scatter-op.ts";

export const scatter = defineScatter({
  name: "scatter",
  mode: "update",
  attrsKey: "relay.attrs.ScatterAttrs",
  doc: "A copy of data in which element (i, j) of updates stands at position indicies[i, j] along `axis`; negative positions count from the end, ones out of range are left out.",
});
