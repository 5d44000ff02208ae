// Average of every channel.  TVM: src/relay/op/nn/pooling.cc (nn.global_avg_pool2d)
import { defineGlobalPool2d } from "./adaptive-pool.ts";

export const globalAvgPool2d = defineGlobalPool2d("avg");
