// Greatest element of windows that give a wanted extent.  TVM: src/relay/op/nn/pooling.cc
// (nn.adaptive_max_pool3d)
import { defineAdaptivePool } from "./adaptive-pool.ts";

export const adaptiveMaxPool3d = defineAdaptivePool({ kind: "max", spatial: "DHW" });
