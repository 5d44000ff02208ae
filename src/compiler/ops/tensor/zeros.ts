// A tensor of zeros.  TVM: src/relay/op/tensor/transform.cc (zeros)
import { defineFilled } from "./init-op.ts";

export const zeros = defineFilled({
  name: "zeros",
  value: 0,
  doc: "A tensor of zeros of the given shape and dtype.",
});
