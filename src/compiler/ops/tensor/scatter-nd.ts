// Slices replaced or increased at positions along several axes.  TVM: src/relay/op/tensor/transform.cc
// (ScatterNDRel)
import { text } from "../../ir/attrs.ts";
import { printType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { scatterNd as scatterNdCompute, type ScatterMode } from "../../topi/scatter.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, oneOf, requiredAttr, sameDTypes, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export const scatterNd = defineOp({
  name: "scatter_nd",
  inputs: ["data", "indices", "updates"],
  attrs: { mode: text({ doc: '"update" replaces elements, "add" increases them.' }) },
  attrsKey: "relay.attrs.ScatterNDAttrs",
  pattern: "opaque",
  type: (args, { mode }, t) => {
    const cx = asker(t, "scatter_nd");
    const type = tensorArg(cx, "data", args.data);
    const positions = tensorArg(cx, "indices", args.indices);
    const values = tensorArg(cx, "updates", args.updates);
    if (
      type === null ||
      positions === null ||
      values === null ||
      requiredAttr(cx, "mode", mode) === null ||
      !oneOf(cx, "mode", mode, ["update", "add"])
    )
      return null;
    if (
      !acceptsDType(cx, "indices", positions, "integer") ||
      !sameDTypes(cx, ["data", type], ["updates", values])
    )
      return null;
    const count = positions.shape[0];
    if (
      typeof count === "number" &&
      count <= type.shape.length &&
      shapesMatch(cx, values.shape, [...positions.shape.slice(1), ...type.shape.slice(count)])
    )
      return type;
    return t.error("RS2105", "scatter_nd: the shapes do not fit together", {
      expected:
        "indices (M, Y...) with M at most the rank of data, and updates (Y..., data's axes from M on)",
      got: [type, positions, values].map(printType).join(", "),
    });
  },
  compute: (args, { mode }, cx) =>
    scatterNdCompute(args.data, args.indices, args.updates, mode as ScatterMode, cx.origin),
  shapeFunc: sameShape,
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "indices (M, Y...) holds for every place Y a position along the first M axes of data; the slice of updates at Y replaces the one there, or is added to it. Positions out of range are left out.",
  examples: [
    {
      name: "elements",
      args: ["Tensor[(3, 3), float32]", "Tensor[(2, 2), int32]", "Tensor[(2), float32]"],
      attrs: { mode: "update" },
    },
    {
      name: "rows, added",
      args: ["Tensor[(4, 3), float32]", "Tensor[(1, 2), int32]", "Tensor[(2, 3), float32]"],
      attrs: { mode: "add" },
    },
  ],
});
