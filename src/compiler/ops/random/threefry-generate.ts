// Random words.  TVM: src/relay/op/random/kernel.cc (ThreefryGenerateRel)
import { ints } from "../../ir/attrs.ts";
import { uint64 } from "../../ir/dtype.ts";
import { tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { threefryGenerate as threefryGenerateCompute } from "../../topi/threefry.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, requiredAttr } from "../_shared/type-helpers.ts";
import { isKey, keyType } from "./key-type.ts";

export const threefryGenerate = defineOp({
  name: "random.threefry_generate",
  inputs: ["key"],
  attrs: { out_shape: ints({ doc: "Shape of the words." }) },
  attrsKey: "relay.attrs.ThreefryGenerateAttrs",
  pattern: "opaque",
  type: ({ key }, attrs, t) => {
    const cx = asker(t, "random.threefry_generate");
    if (key.kind === "incomplete-type") return null;
    const shape = requiredAttr(cx, "out_shape", attrs.out_shape);
    return shape !== null && isKey(cx, key)
      ? tupleType([keyType, tensorType(shape.map(Number), uint64)])
      : null;
  },
  compute: ({ key }, _, cx) => threefryGenerateCompute(key, outExtents(cx, 1), cx.origin),
  schedule: externRecipe,
  doc: "A tuple: the key to go on with, and words of 64 random bits. The same key gives the same words.",
  examples: [
    { name: "vector", args: ["Tensor[(10), uint64]"], attrs: { out_shape: [8] } },
    { name: "matrix, not a multiple of four", args: ["Tensor[(10), uint64]"], attrs: { out_shape: [2, 3] } },
  ],
});
