// Greatest element of windows that give a wanted extent.  TVM: src/relay/op/nn/pooling.cc
// (nn.adaptive_max_pool2d)
import { defineAdaptivePool } from "./adaptive-pool.ts";

export const adaptiveMaxPool2d = defineAdaptivePool({ kind: "max", spatial: "HW" });
