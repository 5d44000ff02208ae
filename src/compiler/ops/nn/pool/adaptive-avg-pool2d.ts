// Average of windows that give a wanted extent.  TVM: src/relay/op/nn/pooling.cc (nn.adaptive_avg_pool2d)
import { defineAdaptivePool } from "./adaptive-pool.ts";

export const adaptiveAvgPool2d = defineAdaptivePool({ kind: "avg", spatial: "HW" });
