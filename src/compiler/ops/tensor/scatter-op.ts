// scatter and scatter_add: type relation and factory.  TVM: src/relay/op/tensor/transform.cc (ScatterRel,
// ScatterAddRel)
import { printType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { scatter as scatterCompute, type ScatterMode } from "../../topi/scatter.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp, type Op } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, sameDTypes, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export function defineScatter(spec: {
  readonly name: string;
  readonly mode: ScatterMode;
  readonly attrsKey: string;
  readonly doc: string;
}): Op {
  return defineOp({
    // "indicies" is TVM's spelling.
    name: spec.name,
    inputs: ["data", "indicies", "updates"],
    attrs: { axis: integerObject({ default: 0, doc: "Axis of data that the positions count." }) },
    attrsKey: spec.attrsKey,
    pattern: "opaque",
    type: (args, attrs, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", args.data);
      const positions = tensorArg(cx, "indicies", args.indicies);
      const values = tensorArg(cx, "updates", args.updates);
      if (
        type === null ||
        positions === null ||
        values === null ||
        !acceptsDType(cx, "indicies", positions, "integer")
      )
        return null;
      if (!sameDTypes(cx, ["data", type], ["updates", values])) return null;
      const axis = axisArg(cx, attrs.axis, type.shape.length);
      if (axis === null) return null;
      const fits =
        positions.shape.length === type.shape.length &&
        shapesMatch(cx, positions.shape, values.shape) &&
        positions.shape.every(
          (dim, i) =>
            i === axis ||
            typeof dim !== "number" ||
            typeof type.shape[i] !== "number" ||
            dim <= Number(type.shape[i]),
        );
      if (fits) return type;
      return t.error("RS2105", `${spec.name}: the shapes do not fit together`, {
        expected: `indicies and updates of one shape, of the rank of data and within it except along axis ${axis}`,
        got: [type, positions, values].map(printType).join(", "),
      });
    },
    compute: (args, { axis }, cx) =>
      scatterCompute(
        args.data,
        args.indicies,
        args.updates,
        { axis: axis < 0 ? axis + args.data.shape.length : axis, mode: spec.mode },
        cx.origin,
      ),
    shapeFunc: sameShape,
    schedule: externRecipe,
    flags: { attrsInMeta: true },
    doc: spec.doc,
    examples: [
      { name: "rows", args: ["Tensor[(3, 3), float32]", "Tensor[(1, 3), int32]", "Tensor[(1, 3), float32]"] },
      {
        name: "last axis",
        args: ["Tensor[(2, 5), int32]", "Tensor[(2, 3), int64]", "Tensor[(2, 3), int32]"],
        attrs: { axis: -1 },
      },
    ],
  });
}
