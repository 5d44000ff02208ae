// Flat positions as positions along the axes of a shape.  TVM: src/relay/op/tensor/transform.cc
// (UnRavelIndexRel)
import { at, first } from "../../../support/assert.ts";
import { tensorType } from "../../ir/type.ts";
import { cast, eq, floorDiv, floorMod, ifThenElse, imm, intImm, knownInt } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { unravelIndexShape } from "../_shape-funcs/transform.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, heldRank, tensorArg } from "../_shared/type-helpers.ts";

export const unravelIndex = defineOp({
  name: "unravel_index",
  inputs: ["data", "shape"],
  attrs: {},
  pattern: "injective",
  type: ({ data, shape }, _, t) => {
    const cx = asker(t, "unravel_index");
    const positions = tensorArg(cx, "data", data);
    const extents = tensorArg(cx, "shape", shape);
    if (
      positions === null ||
      extents === null ||
      !acceptsDType(cx, "data", positions, "integer") ||
      !acceptsDType(cx, "shape", extents, "integer")
    )
      return null;
    if (!checkRank(cx, "data", positions, [0, 1]) || !checkRank(cx, "shape", extents, [1])) return null;
    const rank = heldRank(cx, "shape", extents);
    return rank === null ? null : tensorType([rank, ...positions.shape], positions.dtype);
  },
  compute: ({ data, shape }, _, cx) =>
    compute(
      [first(shape.shape, "shape argument axis"), ...data.shape],
      (i) => {
        let rest: PrimExpr = data.shape.length === 0 ? data.at() : data.at(at(i, 1, "index"));
        let found: PrimExpr = imm(0, data.dtype);
        for (let axis = knownInt(first(shape.shape, "shape argument axis")) - 1; axis >= 0; axis--) {
          const extent = cast(shape.at(intImm(axis)), data.dtype);
          found = ifThenElse(eq(i[0], axis), floorMod(rest, extent), found);
          rest = floorDiv(rest, extent);
        }
        return found;
      },
      { name: "T_unravel", tag: "injective", origin: cx.origin },
    ),
  shapeFunc: unravelIndexShape,
  schedule: injectiveRecipe,
  doc: "Row i of the result holds the positions along axis i that the flat (row-major) positions in data have in a tensor of the given shape.",
  examples: [
    { name: "matrix", args: ["Tensor[(5), int32]", "Tensor[(2), int32]"] },
    { name: "scalar", args: ["int32", "Tensor[(3), int32]"] },
  ],
});
