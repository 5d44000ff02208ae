// Elements whose position along one axis an index tensor gives.  TVM: src/relay/op/tensor/transform.cc
// (GatherRel)
import { at } from "../../../support/assert.ts";
import { optionalInt } from "../../ir/attrs.ts";
import { isInteger } from "../../ir/dtype.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { withIndices } from "../../topi/indexing.ts";
import { inRange } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { shapeOfArgument } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, hasElements, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const gather = defineOp({
  name: "gather",
  inputs: ["data", "indices"],
  attrs: { axis: optionalInt({ default: null, doc: "Axis of data that the indices count." }) },
  attrsKey: "relay.attrs.GatherAttrs",
  pattern: "injective",
  type: ({ data, indices }, attrs, t) => {
    const cx = asker(t, "gather");
    const type = tensorArg(cx, "data", data);
    const positions = tensorArg(cx, "indices", indices);
    const given = requiredAttr(cx, "axis", attrs.axis);
    if (
      type === null ||
      positions === null ||
      given === null ||
      (!isInteger(positions.dtype) && !acceptsDType(cx, "indices", positions, "integer"))
    )
      return null;
    const axis = axisArg(cx, given, type.shape.length);
    if (axis === null) return null;
    const fits =
      positions.shape.length === type.shape.length &&
      positions.shape.every((dim, i) => i === axis || t.dimEqual(dim, at(type.shape, i, "input axis")));
    if (fits)
      return hasElements(cx, "data", [at(type.shape, axis, "input axis")], positions.shape)
        ? tensorType(positions.shape, type.dtype)
        : null;
    return t.error("RS2105", "gather: argument `indices` does not fit `data`", {
      expected: `the shape of ${printType(type)} except along axis ${axis}`,
      got: printType(positions),
    });
  },
  compute: ({ data, indices }, { axis }, cx) => {
    const place = axis! < 0 ? axis! + data.shape.length : axis!;
    return compute(
      indices.shape,
      (i) =>
        data.at(
          ...withIndices(
            i,
            new Map([[place, inRange(indices.at(...i), at(data.shape, place, "data axis"), "clip")]]),
          ),
        ),
      { name: "T_gather", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: shapeOfArgument(1),
  schedule: injectiveRecipe,
  doc: "Element [i][j][k] of the result is data[i][indices[i][j][k]][k] (axis 1). Indices out of range take the nearest element.",
  examples: [
    { name: "columns", args: ["Tensor[(3, 4), float32]", "Tensor[(3, 2), int32]"], attrs: { axis: 1 } },
  ],
});
