// The whole tensor several times.  TVM: src/relay/op/tensor/transform.cc (TileRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { tile as tileCompute } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { tileShape } from "../_shape-funcs/transform.ts";
import { asker, mapDim, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const tile = defineOp({
  name: "tile",
  inputs: ["data"],
  attrs: { reps: ints({ doc: "How often the tensor stands along each axis, aligned at the last." }) },
  attrsKey: "relay.attrs.TileAttrs",
  pattern: "broadcast",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "tile");
    const type = tensorArg(cx, "data", data);
    const reps = requiredAttr(cx, "reps", attrs.reps);
    if (type === null || reps === null) return null;
    if (reps.some((count) => count < 1))
      return t.error("RS2108", "tile: attribute `reps` is not usable", {
        expected: "numbers of at least 1",
        got: `[${reps.join(", ")}]`,
      });
    const rank = Math.max(type.shape.length, reps.length);
    const shape = Array.from({ length: rank }, (_, i) => {
      const count = reps[i - rank + reps.length] ?? 1;
      return mapDim(type.shape[i - rank + type.shape.length] ?? 1, (n) => n * count);
    });
    return tensorType(shape, type.dtype);
  },
  compute: ({ data }, { reps }, cx) => tileCompute(data, reps, cx.origin),
  shapeFunc: tileShape,
  schedule: injectiveRecipe,
  doc: "Repeats the whole tensor reps[i] times along axis i: [a, b] becomes [a, b, a, b].",
  examples: [
    { name: "with a new axis", args: ["Tensor[(2, 3), float32]"], attrs: { reps: [2, 1, 3] } },
    { name: "last axis", args: ["Tensor[(2, 3), int32]"], attrs: { reps: [2] } },
  ],
});
