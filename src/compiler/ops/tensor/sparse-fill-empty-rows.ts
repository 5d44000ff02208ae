// Entries for the empty rows of a sparse tensor.  TVM: src/relay/op/tensor/transform.cc
// (SparseFillEmptyRowsRel)
// Known difference: the values keep their dtype (TVM makes them int64).
import { at, first } from "../../../support/assert.ts";
import { int64 } from "../../ir/dtype.ts";
import { anyDim, printType, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseFillEmptyRows as sparseFillEmptyRowsCompute } from "../../topi/sparse.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { filledRowsShape } from "../_shape-funcs/values.ts";
import { asker, checkRank, heldRank, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const sparseFillEmptyRows = defineOp({
  name: "sparse_fill_empty_rows",
  inputs: ["sparse_indices", "sparse_values", "dense_shape", "default_value"],
  attrs: {},
  pattern: "opaque",
  type: (args, _, t) => {
    const cx = asker(t, "sparse_fill_empty_rows");
    const positions = tensorArg(cx, "sparse_indices", args.sparse_indices);
    const values = tensorArg(cx, "sparse_values", args.sparse_values);
    const shape = tensorArg(cx, "dense_shape", args.dense_shape);
    const rest = tensorArg(cx, "default_value", args.default_value);
    if (positions === null || values === null || shape === null || rest === null) return null;
    if (
      !checkRank(cx, "sparse_indices", positions, [2]) ||
      !checkRank(cx, "sparse_values", values, [1]) ||
      !checkRank(cx, "dense_shape", shape, [1]) ||
      !checkRank(cx, "default_value", rest, [0])
    )
      return null;
    if (
      !acceptsDType(cx, "sparse_indices", positions, "integer") ||
      !acceptsDType(cx, "dense_shape", shape, "integer") ||
      !sameDTypes(cx, ["sparse_values", values], ["default_value", rest])
    )
      return null;
    if (heldRank(cx, "dense_shape", shape) === null) return null;
    const fits =
      t.dimEqual(first(positions.shape, "indices axis"), first(values.shape, "values axis")) &&
      t.dimEqual(at(positions.shape, 1, "indices axis"), first(shape.shape, "shape argument axis"));
    if (fits)
      return tupleType([
        tensorType([anyDim, at(positions.shape, 1, "indices axis")], int64),
        tensorType([anyDim], values.dtype),
        tensorType([anyDim], int64),
      ]);
    return t.error("RS2105", "sparse_fill_empty_rows: positions, values and shape do not fit together", {
      expected: "a value a position, a dimension an axis",
      got: [positions, values, shape].map(printType).join(", "),
    });
  },
  compute: (args, _, cx) =>
    sparseFillEmptyRowsCompute(
      args.sparse_indices,
      args.sparse_values,
      args.default_value,
      {
        entries: first(outExtents(cx), "out extent"),
        rows: first(outExtents(cx, 2), "out extent"),
        dtype: args.sparse_values.dtype,
      },
      cx.origin,
    ),
  shapeFunc: filledRowsShape,
  schedule: externRecipe,
  doc: "A tuple: positions and values with one entry of default_value at the front of every row that had none, and for each row whether it was empty. Positions come in the order of rows.",
  examples: [
    {
      name: "two rows filled",
      args: ["Tensor[(4, 2), int64]", "Tensor[(4), int64]", "Tensor[(2), int64]", "int64"],
      values: { 0: [0, 1, 0, 3, 2, 0, 3, 1], 1: [10, 20, 30, 40], 2: [5, 6], 3: [7] },
      results: ["Tensor[(6, 2), int64]", "Tensor[(6), int64]", "Tensor[(5), int64]"],
    },
  ],
});
