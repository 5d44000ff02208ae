// Greatest element of every channel.  TVM: src/relay/op/nn/pooling.cc (nn.global_max_pool2d)
import { defineGlobalPool2d } from "./adaptive-pool.ts";

export const globalMaxPool2d = defineGlobalPool2d("max");
