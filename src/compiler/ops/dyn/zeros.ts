// zeros with a shape given as a tensor.  TVM: src/relay/op/dyn/tensor/transform.cc (dyn.zeros)
import { defineDynFilled } from "./init-op.ts";

export const dynZeros = defineDynFilled("zeros", 0);
