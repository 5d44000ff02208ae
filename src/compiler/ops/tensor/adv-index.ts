// Indexing by several tensors at once, as NumPy does.  TVM: src/relay/op/tensor/transform.cc (AdvIndexRel),
// include/tvm/topi/transform.h
import { at } from "../../../support/assert.ts";
import { anyDim, printDim, printType, tensorType, type Dim } from "../../ir/type.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { broadcastAt, broadcastShape } from "../../topi/indexing.ts";
import { inRange } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { advIndexShape } from "../_shape-funcs/transform.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, broadcastDims, hasElements, tensorTupleArg } from "../_shared/type-helpers.ts";

export const advIndex = defineOp({
  name: "adv_index",
  inputs: ["inputs"],
  tupleInput: true,
  attrs: {},
  pattern: "injective",
  type: ({ inputs }, _, t) => {
    const cx = asker(t, "adv_index");
    const fields = tensorTupleArg(cx, "inputs", inputs);
    if (fields === null) return null;
    const [data, ...indices] = fields;
    if (data === undefined || indices.length === 0 || indices.length > data.shape.length) {
      return t.error("RS2101", "adv_index: the tuple holds no data with fitting indices", {
        expected: "the data, then one index tensor for each of its first axes",
        got: fields.map(printType).join(", "),
      });
    }
    let shape: Dim[] | null = [];
    for (const [i, index] of indices.entries()) {
      if (!acceptsDType(cx, `inputs.${i + 1}`, index, "integer")) return null;
      shape = shape === null ? null : broadcastDims(shape, index.shape);
    }
    if (shape !== null) {
      const whole = [...shape, ...data.shape.slice(indices.length)];
      return hasElements(cx, "inputs.0", data.shape.slice(0, indices.length), whole)
        ? tensorType(whole, data.dtype)
        : null;
    }
    return t.error("RS2103", "adv_index: the index tensors cannot be broadcast together", {
      expected: "each dimension, counted from the last, equal to its partners or 1",
      got: indices
        .map((index) => `(${index.shape.map((dim) => printDim(dim ?? anyDim)).join(", ")})`)
        .join(", "),
    });
  },
  compute: (_, __, cx) => {
    const [data, ...indices] = cx.ins;
    const places = indices.reduce<PrimExpr[]>((shape, index) => broadcastShape(shape, index.shape), []);
    return compute(
      [...places, ...data!.shape.slice(indices.length)],
      (i) => {
        const place = i.slice(0, places.length);
        const picked = indices.map((index, axis) =>
          inRange(broadcastAt(index, place, places), at(data!.shape, axis, "data axis"), "clip"),
        );
        return data!.at(...picked, ...i.slice(places.length));
      },
      { name: "advanced_index", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: advIndexShape,
  schedule: injectiveRecipe,
  doc: "The tuple holds data and index tensors for its first axes; the result holds, at every place of the broadcast index tensors, the slice of data there. Positions out of range take the nearest.",
  examples: [
    { name: "two axes", args: ["(Tensor[(3, 4, 2), float32], Tensor[(2, 1), int32], Tensor[(3), int32])"] },
    { name: "one axis", args: ["(Tensor[(5, 2), float32], Tensor[(4), int64])"] },
  ],
});
