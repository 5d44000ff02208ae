// The positions that undo a permutation.  TVM: src/relay/op/tensor/transform.cc (invert_permutation)
import { first } from "../../../support/assert.ts";
import { int32 } from "../../ir/dtype.ts";
import { cast, load, seq, store, imm } from "../../tir/build.ts";
import { extern } from "../../te/compute.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { nest } from "../../topi/extern-loops.ts";
import { guarded } from "../../topi/scatter.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";

export const invertPermutation = defineOp({
  name: "invert_permutation",
  inputs: ["data"],
  attrs: {},
  pattern: "injective",
  type: ({ data }, _, t) => {
    const cx = asker(t, "invert_permutation");
    const type = tensorArg(cx, "data", data);
    return type !== null && checkRank(cx, "data", type, [1]) && acceptsDType(cx, "data", type, "integer")
      ? type
      : null;
  },
  compute: ({ data }, _, cx) =>
    extern(
      [data],
      [{ shape: data.shape, dtype: data.dtype }],
      ([from], [to]) =>
        seq(
          [
            nest(from.shape, cx.origin, (i) => store(to, i, imm(0, data.dtype), cx.origin), "c"),
            nest(from.shape, cx.origin, (i) =>
              guarded(
                to,
                { indices: [cast(load(from, i), int32)], checked: [0] },
                cast(first(i, "index"), data.dtype),
                "update",
                cx.origin,
              ),
            ),
          ],
          cx.origin,
        ),
      { name: "invert_permutation", origin: cx.origin },
    ),
  shapeFunc: sameShape,
  schedule: externRecipe,
  doc: "For a permutation p the vector q with q[p[i]] = i.",
  examples: [{ name: "five", args: ["Tensor[(5), int32]"] }],
});
