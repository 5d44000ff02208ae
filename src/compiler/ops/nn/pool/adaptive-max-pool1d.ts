// Greatest element of windows that give a wanted extent.  TVM: src/relay/op/nn/pooling.cc
// (nn.adaptive_max_pool1d)
import { defineAdaptivePool } from "./adaptive-pool.ts";

export const adaptiveMaxPool1d = defineAdaptivePool({ kind: "max", spatial: "W" });
