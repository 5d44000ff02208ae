// Diagonals of matrices replaced.  TVM: src/relay/op/tensor/transform.cc (MatrixSetDiagRel),
// include/tvm/topi/transform.h
import { last, tuple } from "../../../support/assert.ts";
import { flag, int } from "../../ir/attrs.ts";
import { printType, type Dim } from "../../ir/type.ts";
import { add, and, ge, ifThenElse, intImm, le, lt, min, select, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, sameDTypes, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

/** The longest of the diagonals k1 to k2 of a matrix. */
function longest(rows: Dim, columns: Dim, k1: number, k2: number): Dim {
  return typeof rows === "number" && typeof columns === "number"
    ? Math.min(rows + Math.min(k2, 0), columns - Math.max(k1, 0))
    : rows;
}

export const matrixSetDiag = defineOp({
  name: "matrix_set_diag",
  inputs: ["input", "diagonal"],
  attrs: {
    k1: int({ default: 0, doc: "Lowest diagonal that is replaced; negative ones lie below the main one." }),
    k2: int({ default: 0, doc: "Highest diagonal that is replaced." }),
    super_diag_right_align: flag({
      default: true,
      doc: "Shorter diagonals above the main one stand at the right of their row.",
    }),
    sub_diag_right_align: flag({
      default: false,
      doc: "Shorter diagonals below the main one stand at the right of their row.",
    }),
  },
  attrsKey: "relay.attrs.MatrixSetDiagAttrs",
  pattern: "injective",
  type: (args, { k1, k2 }, t) => {
    const cx = asker(t, "matrix_set_diag");
    const type = tensorArg(cx, "input", args.input);
    const diagonal = tensorArg(cx, "diagonal", args.diagonal);
    if (type === null || diagonal === null || !sameDTypes(cx, ["input", type], ["diagonal", diagonal]))
      return null;
    const rank = type.shape.length;
    const [rows, columns] = [type.shape[rank - 2], type.shape[rank - 1]];
    if (rows !== undefined && columns !== undefined && k1 <= k2) {
      const wanted = [
        ...type.shape.slice(0, -2),
        ...(k1 === k2 ? [] : [k2 - k1 + 1]),
        longest(rows, columns, k1, k2),
      ];
      const inside =
        (typeof rows !== "number" || rows > -k1) && (typeof columns !== "number" || columns > k2);
      if (inside && shapesMatch(cx, diagonal.shape, wanted)) return type;
    }
    return t.error("RS2105", "matrix_set_diag: argument `diagonal` does not fit `input`", {
      expected: `for ${printType(type)} the batch axes, ${k1 === k2 ? "" : `${k2 - k1 + 1} diagonals, `}then the longest diagonal`,
      got: printType(diagonal),
    });
  },
  compute: ({ input, diagonal }, attrs, cx) => {
    const [rows, columns] = tuple(input.shape.slice(-2), 2, "extents of the matrices");
    const room = last(diagonal.shape, "diagonal axis");
    return compute(
      input.shape,
      (i) => {
        const outer = i.slice(0, -2);
        const [row, column] = tuple(i.slice(-2), 2, "place in a matrix");
        const k = sub(column, row);
        // a shorter diagonal that is aligned right begins this far in
        const gap = (rightAlign: boolean, length: PrimExpr): PrimExpr =>
          rightAlign ? sub(room, length) : intImm(0);
        const offset =
          attrs.k1 === attrs.k2
            ? intImm(0)
            : select(
                ge(k, 0),
                gap(attrs.super_diag_right_align, min(sub(columns, k), rows)),
                gap(attrs.sub_diag_right_align, min(columns, add(rows, k))),
              );
        const along = add(select(lt(k, 0), column, row), offset);
        const value = diagonal.at(...outer, ...(attrs.k1 === attrs.k2 ? [] : [sub(attrs.k2, k)]), along);
        return ifThenElse(and(ge(k, attrs.k1), le(k, attrs.k2)), value, input.at(...i));
      },
      { name: "T_matrix_set_diag", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Replaces the diagonals k1 to k2 of every matrix of input by the rows of `diagonal` (the highest diagonal first).",
  examples: [
    { name: "main", args: ["Tensor[(2, 3, 4), float32]", "Tensor[(2, 3), float32]"] },
    { name: "three", args: ["Tensor[(4, 4), float32]", "Tensor[(3, 4), float32]"], attrs: { k1: -1, k2: 1 } },
  ],
});
