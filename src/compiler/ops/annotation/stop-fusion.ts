// A value that no operator after it may fuse with.  TVM: src/relay/op/annotation/annotation.cc
// (annotation.stop_fusion)
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const stopFusion = defineOp({
  name: "annotation.stop_fusion",
  inputs: ["data"],
  attrs: {},
  pattern: "opaque",
  type: ({ data }, _, t) =>
    data.kind === "tuple-type" ? data : tensorArg(asker(t, "annotation.stop_fusion"), "data", data),
  compute: ({ data }, _, cx) => elementwise(data, "T_identity", cx.origin, (x) => x),
  schedule: injectiveRecipe,
  doc: "The argument itself; FuseOps ends a primitive function here and removes the marker.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), float32]"] }],
});
