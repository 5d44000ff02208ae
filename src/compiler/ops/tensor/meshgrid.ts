// Coordinates of a grid.  TVM: src/relay/op/tensor/transform.cc (MeshgridRel)
import { at, first } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { tensorType, tupleType, type Dim } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { meshgridShape } from "../_shape-funcs/transform.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, checkRank, oneOf, sameDTypes, tensorTupleArg } from "../_shared/type-helpers.ts";

/** The axis of the grid along which vector i runs: "xy" swaps the first two. */
function axisFor(i: number, count: number, indexing: string): number {
  return indexing === "xy" && count >= 2 && i < 2 ? 1 - i : i;
}

export const meshgrid = defineOp({
  name: "meshgrid",
  inputs: ["data"],
  tupleInput: true,
  attrs: { indexing: text({ default: "ij", doc: '"ij", or "xy" which swaps the first two axes.' }) },
  attrsKey: "relay.attrs.MeshgridAttrs",
  pattern: "injective",
  type: ({ data }, { indexing }, t) => {
    const cx = asker(t, "meshgrid");
    const fields = tensorTupleArg(cx, "data", data);
    if (fields === null || !oneOf(cx, "indexing", indexing, ["ij", "xy"])) return null;
    const shape: Dim[] = fields.map(() => 1);
    for (const [i, field] of fields.entries()) {
      if (
        !checkRank(cx, `data.${i}`, field, [0, 1]) ||
        !sameDTypes(cx, ["data.0", first(fields, "field")], [`data.${i}`, field])
      )
        return null;
      shape[axisFor(i, fields.length, indexing)] = field.shape[0] ?? 1;
    }
    return tupleType(fields.map((field) => tensorType(shape, field.dtype)));
  },
  compute: (_, { indexing }, cx) =>
    cx.ins.map((x, k) => {
      const axis = axisFor(k, cx.ins.length, indexing);
      return compute(outExtents(cx, k), (i) => (x.shape.length === 0 ? x.at() : x.at(at(i, axis, "index"))), {
        name: "T_meshgrid",
        tag: "injective",
        origin: cx.origin,
      });
    }),
  shapeFunc: meshgridShape(axisFor),
  schedule: injectiveRecipe,
  doc: "For vectors a, b, ... the tensors whose element at (i, j, ...) is a[i], b[j], ...: the coordinates of a grid.",
  examples: [
    { name: "two vectors", args: ["(Tensor[(2), float32], Tensor[(3), float32])"] },
    {
      name: "xy",
      args: ["(Tensor[(2), float32], Tensor[(3), float32], Tensor[(4), float32])"],
      attrs: { indexing: "xy" },
    },
  ],
});
