// Running sums.  TVM: src/relay/op/tensor/transform.cc (cumsum), python/tvm/topi/scan.py
import { defineScan } from "./scan-op.ts";

export const cumsum = defineScan({
  name: "cumsum",
  kind: "sum",
  doc: "The sum of all elements up to each one along `axis`, or of those before it with `exclusive`.",
});
