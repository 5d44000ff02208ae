// A tensor of ones.  TVM: src/relay/op/tensor/transform.cc (ones)
import { defineFilled } from "./init-op.ts";

export const ones = defineFilled({
  name: "ones",
  value: 1,
  doc: "A tensor of ones of the given shape and dtype.",
});
