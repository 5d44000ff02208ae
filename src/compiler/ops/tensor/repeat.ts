// Every element several times in a row.  TVM: src/relay/op/tensor/transform.cc (RepeatRel)
import { optionalInt } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { repeat as repeatCompute } from "../../topi/transform.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { repeatShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, mapDim, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const repeat = defineOp({
  name: "repeat",
  inputs: ["data"],
  attrs: {
    repeats: integerObject({ doc: "How often every element stands in the result." }),
    axis: optionalInt({ default: null, doc: "Axis along which elements are repeated." }),
  },
  attrsKey: "relay.attrs.RepeatAttrs",
  pattern: "broadcast",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "repeat");
    const type = tensorArg(cx, "data", data);
    const repeats = requiredAttr(cx, "repeats", attrs.repeats);
    const given = requiredAttr(cx, "axis", attrs.axis);
    if (type === null || repeats === null || given === null) return null;
    const axis = axisArg(cx, given, type.shape.length);
    if (axis === null) return null;
    if (repeats < 1)
      return t.error("RS2108", "repeat: attribute `repeats` is not usable", {
        expected: "at least 1",
        got: String(repeats),
      });
    return tensorType(
      type.shape.map((dim, i) => (i === axis ? mapDim(dim, (n) => n * repeats) : dim)),
      type.dtype,
    );
  },
  compute: ({ data }, { repeats, axis }, cx) =>
    repeatCompute(data, repeats, axis! < 0 ? axis! + data.shape.length : axis!, cx.origin),
  shapeFunc: repeatShape,
  schedule: injectiveRecipe,
  doc: "Repeats every element `repeats` times along `axis`: [a, b] becomes [a, a, b, b].",
  examples: [{ name: "columns", args: ["Tensor[(2, 3), float32]"], attrs: { repeats: 3, axis: 1 } }],
});
