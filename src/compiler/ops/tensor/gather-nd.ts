// Slices whose positions an index tensor gives for several axes.  TVM: src/relay/op/tensor/transform.cc
// (GatherNDRel)
import { at } from "../../../support/assert.ts";
import { optionalInt } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { intImm, knownInt } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { inRange } from "../../topi/transform.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { gatherNdShape } from "../_shape-funcs/transform.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, hasElements, tensorArg } from "../_shared/type-helpers.ts";

export const gatherNd = defineOp({
  name: "gather_nd",
  inputs: ["data", "indices"],
  attrs: {
    batch_dims: integerObject({
      default: 0,
      doc: "How many first axes of data and indices (after its first) go together.",
    }),
    index_rank: optionalInt({
      default: null,
      doc: "How many axes are indexed, where the first dimension of indices is dynamic.",
    }),
  },
  attrsKey: "relay.attrs.GatherNDAttrs",
  pattern: "injective",
  type: ({ data, indices }, attrs, t) => {
    const cx = asker(t, "gather_nd");
    const type = tensorArg(cx, "data", data);
    const positions = tensorArg(cx, "indices", indices);
    if (type === null || positions === null || !acceptsDType(cx, "indices", positions, "integer"))
      return null;
    const first = positions.shape[0];
    const count = typeof first === "number" ? first : attrs.index_rank;
    const batch = attrs.batch_dims;
    const fits =
      count !== null &&
      (attrs.index_rank === null || attrs.index_rank === count) &&
      first !== undefined &&
      count + batch <= type.shape.length &&
      batch >= 0 &&
      batch < positions.shape.length &&
      type.shape
        .slice(0, batch)
        .every((dim, i) => t.dimEqual(dim, at(positions.shape, i + 1, "indices axis")));
    if (fits) {
      const shape = [...positions.shape.slice(1), ...type.shape.slice(count + batch)];
      return hasElements(cx, "data", type.shape.slice(batch, batch + count), shape)
        ? tensorType(shape, type.dtype)
        : null;
    }
    const wanted = `${attrs.index_rank === null ? "" : `${attrs.index_rank} (index_rank), `}at most ${type.shape.length - batch}`;
    return t.error("RS2105", "gather_nd: argument `indices` does not fit `data`", {
      expected: `a first dimension of ${wanted}, then ${batch} batch dimensions of data`,
      got: `${printType(positions)} for ${printType(type)}`,
    });
  },
  compute: ({ data, indices }, { batch_dims: batch }, cx) => {
    const count = knownInt(at(indices.shape, 0, "indices axis"));
    const places = indices.shape.slice(1);
    return compute(
      [...places, ...data.shape.slice(count + batch)],
      (i) => {
        const place = i.slice(0, places.length);
        const picked = Array.from({ length: count }, (_, k) =>
          inRange(indices.at(intImm(k), ...place), at(data.shape, batch + k, "data axis"), "clip"),
        );
        return data.at(...i.slice(0, batch), ...picked, ...i.slice(places.length));
      },
      { name: "T_gather_nd", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: gatherNdShape,
  schedule: injectiveRecipe,
  doc: "indices (M, Y...) holds for every place Y a position along M axes of data; the result (Y..., rest of data) holds the slices there. Positions out of range take the nearest.",
  examples: [
    { name: "elements", args: ["Tensor[(3, 4), float32]", "Tensor[(2, 5), int32]"] },
    { name: "rows", args: ["Tensor[(3, 4), float32]", "Tensor[(1, 2), int32]"] },
    {
      name: "batched",
      args: ["Tensor[(2, 3, 4), float32]", "Tensor[(1, 2, 5), int32]"],
      attrs: { batch_dims: 1 },
    },
  ],
});
