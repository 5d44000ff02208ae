// ones with a shape given as a tensor.  TVM: src/relay/op/dyn/tensor/transform.cc (dyn.ones)
import { defineDynFilled } from "./init-op.ts";

export const dynOnes = defineDynFilled("ones", 1);
