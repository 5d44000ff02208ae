// Padding with a mirror image.  TVM: src/relay/op/nn/pad.cc (MirrorPadRel), python/tvm/topi/nn/pad.py
// (mirror_pad)
import { present, at } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { printDim, tensorType } from "../../ir/type.ts";
import { padByCopy, paddingOf } from "../../topi/pad.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { padShape } from "../_shape-funcs/transform.ts";
import { pairsAttr, pairsField, pairsOf } from "../_shared/pad-attrs.ts";
import { asker, mapDim, oneOf, tensorArg } from "../_shared/type-helpers.ts";

export const mirrorPad = defineOp({
  name: "nn.mirror_pad",
  inputs: ["data"],
  attrs: {
    mode: text({ default: "SYMMETRIC", doc: '"SYMMETRIC" repeats the edge element, "REFLECT" does not.' }),
    pad_width: pairsField("Elements added before and after, a pair an axis."),
  },
  attrsKey: "relay.attrs.MirrorPadAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.mirror_pad");
    const type = tensorArg(cx, "data", data);
    if (type === null || !oneOf(cx, "mode", attrs.mode, ["SYMMETRIC", "REFLECT"])) return null;
    const pairs = pairsAttr(cx, "pad_width", attrs.pad_width, type);
    if (pairs === null) return null;
    const spare = attrs.mode === "REFLECT" ? 1 : 0;
    const bad = type.shape.findIndex(
      (dim, i) => typeof dim === "number" && at(pairs, i, "pair").some((n) => n < 0 || n > dim - spare),
    );
    if (bad < 0)
      return tensorType(
        type.shape.map((dim, i) => mapDim(dim, (n) => n + at(pairs, i, "pair")[0] + at(pairs, i, "pair")[1])),
        type.dtype,
      );
    return t.error("RS2111", `nn.mirror_pad: attribute \`pad_width\` does not fit axis ${bad}`, {
      expected: `0 to ${Number(type.shape[bad]) - spare} mirrored elements on a side`,
      got: `[${at(pairs, bad, "pair").join(", ")}] for ${printDim(at(type.shape, bad, "input axis"))} elements`,
    });
  },
  compute: ({ data }, attrs, cx) =>
    padByCopy(
      data,
      paddingOf(present(pairsOf(attrs.pad_width), "pair")),
      attrs.mode === "REFLECT" ? "reflect" : "symmetric",
      { name: "MirrorPadInput", origin: cx.origin },
    ),
  shapeFunc: padShape,
  schedule: injectiveRecipe,
  doc: "Adds a mirror image of the data before and after every axis.",
  examples: [
    {
      name: "reflect",
      args: ["Tensor[(2, 3, 4), float32]"],
      attrs: {
        mode: "REFLECT",
        pad_width: [
          [0, 0],
          [1, 2],
          [2, 1],
        ],
      },
    },
    {
      name: "symmetric",
      args: ["Tensor[(3, 4), float32]"],
      attrs: {
        pad_width: [
          [2, 1],
          [0, 4],
        ],
      },
    },
  ],
});
