// One key made two.  TVM: src/relay/op/random/kernel.cc (ThreefrySplitRel)
import { tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { threefrySplit as threefrySplitCompute } from "../../topi/threefry.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { isKey, keyType } from "./key-type.ts";

export const threefrySplit = defineOp({
  name: "random.threefry_split",
  inputs: ["key"],
  attrs: {},
  pattern: "opaque",
  type: ({ key }, _, t) =>
    key.kind !== "incomplete-type" && isKey(asker(t, "random.threefry_split"), key)
      ? tupleType([keyType, keyType])
      : null,
  compute: ({ key }, _, cx) => threefrySplitCompute(key, cx.origin),
  schedule: externRecipe,
  doc: "A tuple of two keys whose random words do not depend on each other.",
  examples: [{ name: "a key", args: ["Tensor[(10), uint64]"] }],
});
