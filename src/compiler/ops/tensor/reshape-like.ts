// The shape of another tensor, or part of it.  TVM: src/relay/op/tensor/transform.cc (ReshapeLikeRel)
import { int, optionalInt } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { reshape } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { reshapeLikeShape } from "../_shape-funcs/reshape.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, productDim, tensorArg } from "../_shared/type-helpers.ts";

export const reshapeLike = defineOp({
  name: "reshape_like",
  inputs: ["data", "shape_like"],
  attrs: {
    lhs_begin: int({ default: 0, doc: "First axis of data that is replaced." }),
    lhs_end: optionalInt({
      default: null,
      doc: "Axis of data before which replacing ends; None is the end.",
    }),
    rhs_begin: int({ default: 0, doc: "First axis of shape_like that is taken." }),
    rhs_end: optionalInt({
      default: null,
      doc: "Axis of shape_like before which taking ends; None is the end.",
    }),
  },
  attrsKey: "relay.attrs.ReshapeLikeAttrs",
  pattern: "injective",
  type: ({ data, shape_like: like }, attrs, t) => {
    const cx = asker(t, "reshape_like");
    const type = tensorArg(cx, "data", data);
    const other = tensorArg(cx, "shape_like", like);
    if (type === null || other === null) return null;
    const from = (at: number, rank: number): number => (at < 0 ? at + rank : at);
    const [left, right] = [type.shape, other.shape];
    const shape = [
      ...left.slice(0, from(attrs.lhs_begin, left.length)),
      ...right.slice(from(attrs.rhs_begin, right.length), from(attrs.rhs_end ?? right.length, right.length)),
      ...left.slice(from(attrs.lhs_end ?? left.length, left.length)),
    ];
    const [before, after] = [productDim(left), productDim(shape)];
    if (typeof before !== "number" || typeof after !== "number" || before === after)
      return tensorType(shape, type.dtype);
    return t.error("RS2109", "reshape_like: the new shape does not hold the elements of `data`", {
      expected: `${before} elements, those of ${printType(type)}`,
      got: `${after}: ${printType(tensorType(shape, type.dtype))}`,
    });
  },
  compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
  shapeFunc: reshapeLikeShape,
  schedule: injectiveRecipe,
  doc: "The elements of data in the shape of the second argument; with bounds, only some axes are replaced.",
  examples: [
    { name: "whole", args: ["Tensor[(2, 6), float32]", "Tensor[(3, 4), float32]"] },
    {
      name: "part",
      args: ["Tensor[(1, 2, 3, 4), float32]", "Tensor[(6, 2, 2, 3), float32]"],
      attrs: { lhs_begin: 1, rhs_end: 3 },
    },
  ],
});
