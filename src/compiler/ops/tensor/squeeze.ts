// Removes axes of extent 1.  TVM: src/relay/op/tensor/transform.cc (SqueezeRel)
import { at } from "../../../support/assert.ts";
import { optionalInts } from "../../ir/attrs.ts";
import { constInt } from "../../tir/build.ts";
import { printDim, tensorType } from "../../ir/type.ts";
import { squeeze as squeezeCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { squeezeShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";

export const squeeze = defineOp({
  name: "squeeze",
  inputs: ["data"],
  attrs: { axis: optionalInts({ default: null, doc: "Axes to remove; None means all of extent 1." }) },
  attrsKey: "relay.attrs.SqueezeAttrs",
  pattern: "injective",
  type: ({ data }, { axis }, t) => {
    const cx = asker(t, "squeeze");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    if (axis === null) {
      if (type.shape.every((dim) => typeof dim === "number"))
        return tensorType(
          type.shape.filter((dim) => dim !== 1),
          type.dtype,
        );
      return t.error("RS2112", "squeeze: attribute `axis` is missing", {
        expected: "axis=[...]",
        got: "axis=None",
        because: "which axes have extent 1 is not known when compiling",
      });
    }
    const removed = new Set<number>();
    for (const one of axis) {
      const place = axisArg(cx, one, type.shape.length);
      if (place === null) return null;
      if (!t.dimEqual(at(type.shape, place, "input axis"), 1)) {
        return t.error("RS2105", `squeeze: axis ${one} of \`data\` cannot be removed`, {
          expected: "extent 1",
          got: `(${type.shape.map(printDim).join(", ")})`,
        });
      }
      removed.add(place);
    }
    return tensorType(
      type.shape.filter((_, i) => !removed.has(i)),
      type.dtype,
    );
  },
  compute: ({ data }, { axis }, cx) => {
    const rank = data.shape.length;
    const removed =
      axis === null
        ? data.shape.flatMap((extent, i) => (constInt(extent) === 1 ? [i] : []))
        : axis.map((one) => (one < 0 ? one + rank : one));
    return squeezeCompute(data, removed, cx.origin);
  },
  flags: { reshapeOnly: true },
  shapeFunc: squeezeShape,
  schedule: injectiveRecipe,
  doc: "Removes axes whose extent is 1: all of them, or those given.",
  examples: [
    { name: "all", args: ["Tensor[(1, 3, 1, 4), float32]"] },
    { name: "given", args: ["Tensor[(1, 3, 1, 4, 1), float32]"], attrs: { axis: [0, -1] } },
  ],
});
