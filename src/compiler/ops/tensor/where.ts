// One of two elements, as a condition says.  TVM: src/relay/op/tensor/transform.cc (WhereRel)
import { printDim, tensorType } from "../../ir/type.ts";
import { imm, ne, select } from "../../tir/build.ts";
import { broadcastAll } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { broadcastShape } from "../_shape-funcs/same.ts";
import { asker, broadcastDims, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const where = defineOp({
  name: "where",
  inputs: ["condition", "x", "y"],
  attrs: {},
  pattern: "broadcast",
  type: ({ condition, x, y }, _, t) => {
    const cx = asker(t, "where");
    const types = [
      tensorArg(cx, "condition", condition),
      tensorArg(cx, "x", x),
      tensorArg(cx, "y", y),
    ] as const;
    const [asked, left, right] = types;
    if (asked === null || left === null || right === null || !sameDTypes(cx, ["x", left], ["y", right]))
      return null;
    const both = broadcastDims(left.shape, right.shape);
    const shape = both === null ? null : broadcastDims(asked.shape, both);
    if (shape !== null) return tensorType(shape, left.dtype);
    return t.error("RS2103", "where: the shapes of `condition`, `x` and `y` cannot be broadcast together", {
      expected: "each dimension, counted from the last, equal to its partners or 1",
      got: [asked, left, right].map((type) => `(${type.shape.map(printDim).join(", ")})`).join(", "),
    });
  },
  compute: ({ condition, x, y }, _, cx) =>
    broadcastAll([condition, x, y], { name: "T_where", origin: cx.origin }, ([asked, left, right]) =>
      select(asked!.dtype.code === "bool" ? asked! : ne(asked!, imm(0, asked!.dtype)), left!, right!),
    ),
  shapeFunc: broadcastShape,
  schedule: injectiveRecipe,
  doc: "The element of x where the condition is true (not zero), else that of y; all three are broadcast together.",
  examples: [
    {
      name: "bool condition",
      args: ["Tensor[(2, 3), bool]", "Tensor[(2, 3), float32]", "Tensor[(2, 3), float32]"],
    },
    { name: "broadcast", args: ["Tensor[(3, 1), int32]", "Tensor[(4), float32]", "float32"] },
  ],
});
