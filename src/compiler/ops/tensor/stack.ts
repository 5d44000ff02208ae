// Tensors joined along a new axis.  TVM: src/relay/op/tensor/transform.cc (StackRel)
import { at } from "../../../support/assert.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { ge, ifThenElse } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { stackShape } from "../_shape-funcs/transform.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, axisArg, sameDTypes, shapesMatch, tensorTupleArg } from "../_shared/type-helpers.ts";

export const stack = defineOp({
  name: "stack",
  inputs: ["data"],
  tupleInput: true,
  attrs: { axis: integerObject({ default: 0, doc: "Where the new axis stands in the result." }) },
  attrsKey: "relay.attrs.StackAttrs",
  pattern: "injective",
  type: ({ data }, { axis }, t) => {
    const cx = asker(t, "stack");
    const fields = tensorTupleArg(cx, "data", data);
    if (fields === null) return null;
    const first = fields[0];
    if (first === undefined)
      return t.error("RS2101", "stack: the tuple is empty", { expected: "at least one tensor", got: "()" });
    const place = axisArg(cx, axis, first.shape.length + 1);
    if (place === null) return null;
    for (const [i, field] of fields.entries()) {
      if (!sameDTypes(cx, ["data.0", first], [`data.${i}`, field])) return null;
      if (!shapesMatch(cx, first.shape, field.shape))
        return t.error("RS2105", `stack: tensor ${i} of the tuple does not fit the first`, {
          expected: printType(first),
          got: printType(field),
        });
    }
    return tensorType(
      [...first.shape.slice(0, place), fields.length, ...first.shape.slice(place)],
      first.dtype,
    );
  },
  compute: (_, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + at(cx.ins, 0, "tensor").shape.length + 1 : attrs.axis;
    return compute(
      outExtents(cx),
      (i) => {
        const position = at(i, axis, "index");
        const inner = i.filter((__, k) => k !== axis);
        // A balanced tree, as concatenate's: thousands of tensors must not nest as deep.
        const among = (from: number, to: number): PrimExpr => {
          if (to - from === 1) return at(cx.ins, from, "tensor").at(...inner);
          const middle = (from + to) >> 1;
          return ifThenElse(ge(position, middle), among(middle, to), among(from, middle));
        };
        return among(0, cx.ins.length);
      },
      { name: "T_stack", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: stackShape,
  schedule: injectiveRecipe,
  doc: "Joins tensors of one shape along a new axis.",
  examples: [
    { name: "in front", args: ["(Tensor[(2, 3), float32], Tensor[(2, 3), float32])"] },
    {
      name: "behind",
      args: ["(Tensor[(2), int32], Tensor[(2), int32], Tensor[(2), int32])"],
      attrs: { axis: -1 },
    },
  ],
});
