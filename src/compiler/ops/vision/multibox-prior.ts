// Anchor boxes.  TVM: src/relay/op/vision/multibox_op.cc (MultiboxPriorRel)
import { flag, floats } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { multiboxPrior as multiboxPriorCompute } from "../../topi/multibox.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";

export const multiboxPrior = defineOp({
  name: "vision.multibox_prior",
  inputs: ["data"],
  attrs: {
    sizes: floats({ default: [1], doc: "Heights of boxes, in parts of the image." }),
    ratios: floats({
      default: [1],
      doc: "Width by height of the boxes of the first size; the first ratio goes for all sizes and is taken as 1.",
    }),
    steps: floats({
      default: [-1, -1],
      doc: "Distance of positions, down and across; -1: one over the extent.",
    }),
    offsets: floats({ default: [0.5, 0.5], doc: "Where in its cell a box's centre lies, down and across." }),
    clip: flag({ default: false, doc: "Keep corners inside the image." }),
  },
  attrsKey: "relay.attrs.MultiBoxPriorAttrs",
  pattern: "opaque",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "vision.multibox_prior");
    const type = tensorArg(cx, "data", data);
    if (type === null || !checkRank(cx, "data", type, [4]) || !acceptsDType(cx, "data", type, "float"))
      return null;
    const [, , height, width] = type.shape;
    if (typeof height !== "number" || typeof width !== "number")
      return t.error("RS2105", "vision.multibox_prior: height or width is dynamic", {
        expected: "numbers: they say how many boxes there are",
        got: printType(type),
      });
    const kinds = attrs.sizes.length + attrs.ratios.length - 1;
    if (
      attrs.sizes.length > 0 &&
      attrs.ratios.length > 0 &&
      attrs.steps.length === 2 &&
      attrs.offsets.length === 2
    )
      return tensorType([1, height * width * kinds, 4], type.dtype);
    return t.error("RS2108", "vision.multibox_prior: the attributes are not usable", {
      expected: "at least one size and ratio, two steps and offsets",
      got: [attrs.sizes, attrs.ratios, attrs.steps, attrs.offsets]
        .map((list) => `[${list.join(", ")}]`)
        .join(", "),
    });
  },
  compute: ({ data }, attrs, cx) => multiboxPriorCompute(data, attrs, cx.origin),
  schedule: injectiveRecipe,
  doc: "For every position of data boxes of all sizes, and of the first size with all further ratios: left, top, right, bottom, in parts of the image.",
  examples: [
    { name: "one size", args: ["Tensor[(1, 3, 2, 3), float32]"] },
    {
      name: "sizes and ratios, clipped",
      args: ["Tensor[(1, 3, 4, 2), float32]"],
      attrs: { sizes: [0.5, 0.25], ratios: [1, 2, 0.5], steps: [0.2, -1], offsets: [0.5, 0.25], clip: true },
    },
  ],
});
