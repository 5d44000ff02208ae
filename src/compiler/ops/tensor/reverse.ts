// The order along an axis turned around.  TVM: src/relay/op/tensor/transform.cc (ReverseRel)
import { at } from "../../../support/assert.ts";
import { optionalInt } from "../../ir/attrs.ts";
import { sub } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { withIndices } from "../../topi/indexing.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, axisArg, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const reverse = defineOp({
  name: "reverse",
  inputs: ["data"],
  attrs: { axis: optionalInt({ default: null, doc: "Axis whose order is turned around." }) },
  attrsKey: "relay.attrs.ReverseAttrs",
  pattern: "injective",
  type: ({ data }, { axis }, t) => {
    const cx = asker(t, "reverse");
    const type = tensorArg(cx, "data", data);
    const given = requiredAttr(cx, "axis", axis);
    return type === null || given === null || axisArg(cx, given, type.shape.length) === null ? null : type;
  },
  compute: ({ data }, { axis }, cx) => {
    const place = axis! < 0 ? axis! + data.shape.length : axis!;
    return compute(
      data.shape,
      (i) =>
        data.at(
          ...withIndices(
            i,
            new Map([[place, sub(sub(at(data.shape, place, "data axis"), 1), at(i, place, "index"))]]),
          ),
        ),
      { name: "T_reverse_sequence", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "The elements along `axis` from the last to the first.",
  examples: [{ name: "middle axis", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: 1 } }],
});
