// Running products.  TVM: src/relay/op/tensor/transform.cc (cumprod), python/tvm/topi/scan.py
import { defineScan } from "./scan-op.ts";

export const cumprod = defineScan({
  name: "cumprod",
  kind: "prod",
  doc: "The product of all elements up to each one along `axis`, or of those before it with `exclusive`.",
});
