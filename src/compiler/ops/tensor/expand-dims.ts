// Inserts axes of extent 1.  TVM: src/relay/op/tensor/transform.cc (ExpandDimsRel)
import { int } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { intImm } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { expandDimsShape } from "../_shape-funcs/transform.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

/** More axes than any program has; each costs an index in every expression. */
export const maxNewAxes = 64;

export const expandDims = defineOp({
  name: "expand_dims",
  inputs: ["data"],
  attrs: {
    axis: int({ doc: "Where the new axes go: before this axis; -1 is after the last." }),
    num_newaxis: int({ default: 1, doc: "How many axes are inserted." }),
  },
  attrsKey: "relay.attrs.ExpandDimsAttrs",
  pattern: "broadcast",
  type: ({ data }, { axis, num_newaxis: count }, t) => {
    const cx = asker(t, "expand_dims");
    const type = tensorArg(cx, "data", data);
    if (type === null || requiredAttr(cx, "axis", axis) === null) return null;
    const rank = type.shape.length;
    if (axis < -rank - 1 || axis > rank) {
      return t.error("RS2104", `expand_dims: attribute \`axis\` is out of range for rank ${rank}`, {
        expected: `${-rank - 1} to ${rank}`,
        got: String(axis),
      });
    }
    if (count < 0 || count > maxNewAxes) {
      return t.error("RS2108", "expand_dims: attribute `num_newaxis` is not usable", {
        expected: `0 to ${maxNewAxes}`,
        got: String(count),
      });
    }
    const at = axis < 0 ? rank + axis + 1 : axis;
    return tensorType(
      [...type.shape.slice(0, at), ...Array.from({ length: count }, () => 1), ...type.shape.slice(at)],
      type.dtype,
    );
  },
  compute: ({ data }, { axis, num_newaxis: count }, cx) => {
    const at = axis < 0 ? data.shape.length + axis + 1 : axis;
    const ones = Array.from({ length: count }, () => intImm(1));
    return compute(
      [...data.shape.slice(0, at), ...ones, ...data.shape.slice(at)],
      (i) => data.at(...i.slice(0, at), ...i.slice(at + count)),
      { name: "T_expand_dims", tag: "broadcast", origin: cx.origin },
    );
  },
  flags: { reshapeOnly: true },
  shapeFunc: expandDimsShape,
  schedule: injectiveRecipe,
  doc: "Inserts `num_newaxis` axes of extent 1 before axis `axis`; the elements stay as they are.",
  examples: [
    { name: "in front", args: ["Tensor[(3, 4), float32]"], attrs: { axis: 0 } },
    { name: "behind", args: ["Tensor[(3), float32]"], attrs: { axis: -1, num_newaxis: 2 } },
  ],
});
