// Positions of a sparse tensor under another shape.  TVM: src/relay/op/tensor/transform.cc (SparseReshapeRel)
import { at, first } from "../../../support/assert.ts";
import { printType, tensorType, tupleType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { sparseReshape as sparseReshapeCompute } from "../../topi/sparse.ts";
import { maxSparseRank } from "../../limits.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { sparseReshapeShape } from "../_shape-funcs/values.ts";
import { asker, checkRank, heldRank, tensorArg } from "../_shared/type-helpers.ts";

export const sparseReshape = defineOp({
  name: "sparse_reshape",
  inputs: ["sparse_indices", "prev_shape", "new_shape"],
  attrs: {},
  pattern: "injective",
  type: (args, _, t) => {
    const cx = asker(t, "sparse_reshape");
    const positions = tensorArg(cx, "sparse_indices", args.sparse_indices);
    const from = tensorArg(cx, "prev_shape", args.prev_shape);
    const to = tensorArg(cx, "new_shape", args.new_shape);
    if (positions === null || from === null || to === null) return null;
    if (
      !checkRank(cx, "sparse_indices", positions, [2]) ||
      !checkRank(cx, "prev_shape", from, [1]) ||
      !checkRank(cx, "new_shape", to, [1])
    )
      return null;
    if (
      !acceptsDType(cx, "sparse_indices", positions, "integer") ||
      !acceptsDType(cx, "prev_shape", from, "integer") ||
      !acceptsDType(cx, "new_shape", to, "integer")
    )
      return null;
    if (heldRank(cx, "prev_shape", from) === null) return null;
    if (heldRank(cx, "new_shape", to, maxSparseRank) === null) return null;
    if (t.dimEqual(at(positions.shape, 1, "indices axis"), first(from.shape, "prev_shape axis")))
      return tupleType([
        tensorType(
          [first(positions.shape, "indices axis"), first(to.shape, "new_shape axis")],
          positions.dtype,
        ),
        to,
      ]);
    return t.error("RS2105", "sparse_reshape: the positions do not fit the shape before", {
      expected: "as many numbers a position as `prev_shape` has",
      got: `${printType(positions)}, ${printType(from)}, ${printType(to)}`,
    });
  },
  compute: (args, _, cx) =>
    sparseReshapeCompute(args.sparse_indices, args.prev_shape, args.new_shape, cx.origin),
  shapeFunc: sparseReshapeShape,
  schedule: injectiveRecipe,
  doc: "A tuple: the positions of the same elements under `new_shape`, and that shape with its -1 worked out.",
  examples: [
    {
      name: "to two axes",
      args: ["Tensor[(5, 3), int64]", "Tensor[(3), int64]", "Tensor[(2), int64]"],
      values: { 0: [0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 2, 3], 1: [2, 3, 6], 2: [9, -1] },
    },
  ],
});
