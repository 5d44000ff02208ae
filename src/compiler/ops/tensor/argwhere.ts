// Positions of the elements that are not zero.  TVM: src/relay/op/tensor/transform.cc (ArgWhereRel),
// python/tvm/topi/argwhere.py
import { first } from "../../../support/assert.ts";
import { int32 } from "../../ir/dtype.ts";
import { anyDim, tensorType } from "../../ir/type.ts";
import {
  add,
  allocate,
  and,
  buffer,
  ifStmt,
  imm,
  intImm,
  load,
  lt,
  ne,
  seq,
  store,
} from "../../tir/build.ts";
import { extern } from "../../te/compute.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { nest } from "../../topi/extern-loops.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { argwhereShape } from "../_shape-funcs/values.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const argwhere = defineOp({
  name: "argwhere",
  inputs: ["condition"],
  attrs: {},
  pattern: "opaque",
  type: ({ condition }, _, t) => {
    const type = tensorArg(asker(t, "argwhere"), "condition", condition);
    return type === null ? null : tensorType([anyDim, type.shape.length], int32);
  },
  compute: ({ condition }, _, cx) => {
    const shape = outExtents(cx);
    const place = [intImm(0)];
    return extern(
      [condition],
      [{ shape, dtype: int32 }],
      ([values], [out]) => {
        const found = buffer("found", int32, [1], "local");
        const row = load(found, place);
        const rows = nest(condition.shape, cx.origin, (indices) => {
          const element = load(values, indices);
          const record = [
            ...indices.map((index, axis) => store(out, [row, intImm(axis)], index, cx.origin)),
            store(found, place, add(row, 1), cx.origin),
          ];
          return ifStmt(
            and(ne(element, imm(0, element.dtype)), lt(row, first(shape, "output axis"))),
            seq(record, cx.origin),
            null,
            cx.origin,
          );
        });
        return allocate(found, seq([store(found, place, intImm(0), cx.origin), rows], cx.origin), cx.origin);
      },
      { name: "argwhere", origin: cx.origin },
    )[0];
  },
  shapeFunc: argwhereShape,
  schedule: externRecipe,
  doc: "One row an element of the condition that is not zero, in row-major order: its position along each axis, int32.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 3), bool]"],
      values: { 0: [0, 1, 1, 1, 0, 0] },
      results: ["Tensor[(3, 2), int32]"],
    },
  ],
});
