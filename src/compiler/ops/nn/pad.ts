// Padding of any axes with a value, the edge or a mirror image.  TVM: src/relay/op/nn/pad.cc (PadRel),
// include/tvm/topi/nn.h (pad)
import { present, at } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { printDim, tensorType } from "../../ir/type.ts";
import { cast } from "../../tir/build.ts";
import { pad as padCompute, padByCopy, paddingOf } from "../../topi/pad.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { padShape } from "../_shape-funcs/transform.ts";
import { pairsAttr, pairsField, pairsOf } from "../_shared/pad-attrs.ts";
import { asker, checkRank, mapDim, oneOf, tensorArg } from "../_shared/type-helpers.ts";

export const padAttrs = {
  pad_width: pairsField("Elements added before and after, a pair an axis; negative numbers cut off."),
  pad_mode: text({ default: "constant", doc: '"constant", "edge" or "reflect".' }),
};

export const padModes = ["constant", "edge", "reflect"];

/** How far an axis of `extent` elements reaches on a side: a copy of an element needs one. */
function mostPadding(mode: string, extent: number): number {
  if (mode === "reflect") return Math.max(extent - 1, 0);
  return mode === "edge" && extent === 0 ? 0 : Infinity;
}

export const pad = defineOp({
  name: "nn.pad",
  inputs: ["data", "pad_val"],
  attrs: padAttrs,
  attrsKey: "relay.attrs.PadAttrs",
  pattern: "injective",
  type: ({ data, pad_val: value }, attrs, t) => {
    const cx = asker(t, "nn.pad");
    const type = tensorArg(cx, "data", data);
    const fill = tensorArg(cx, "pad_val", value);
    if (
      type === null ||
      fill === null ||
      !checkRank(cx, "pad_val", fill, [0]) ||
      !oneOf(cx, "pad_mode", attrs.pad_mode, padModes)
    )
      return null;
    const pairs = pairsAttr(cx, "pad_width", attrs.pad_width, type);
    if (pairs === null) return null;
    const shape = type.shape.map((dim, i) =>
      mapDim(dim, (n) => n + at(pairs, i, "pair")[0] + at(pairs, i, "pair")[1]),
    );
    const bad = shape.findIndex(
      (dim, i) =>
        typeof dim === "number" &&
        (dim < 0 || at(pairs, i, "pair").some((n) => n > mostPadding(attrs.pad_mode, Number(type.shape[i])))),
    );
    if (bad < 0) return tensorType(shape, type.dtype);
    return t.error("RS2111", `nn.pad: attribute \`pad_width\` does not fit axis ${bad}`, {
      expected:
        Number(shape[bad]) < 0
          ? "a result of at least no elements"
          : `at most ${mostPadding(attrs.pad_mode, Number(type.shape[bad]))} elements on a side, copied from inside`,
      got: `[${at(pairs, bad, "pair").join(", ")}] for ${printDim(at(type.shape, bad, "input axis"))} elements`,
    });
  },
  compute: ({ data, pad_val: value }, attrs, cx) => {
    const padding = paddingOf(present(pairsOf(attrs.pad_width), "pair"));
    const parts = { name: "T_pad", origin: cx.origin };
    if (attrs.pad_mode !== "constant")
      return padByCopy(data, padding, attrs.pad_mode as "edge" | "reflect", parts);
    const padded = padCompute(data, padding, cast(value.at(), data.dtype), parts);
    return padded === data
      ? compute(data.shape, (i) => data.at(...i), { ...parts, tag: "injective,pad" })
      : padded;
  },
  shapeFunc: padShape,
  schedule: injectiveRecipe,
  doc: "Adds elements before and after every axis: a value (the scalar second argument), the nearest edge element, or a mirror image without the edge.",
  examples: [
    {
      name: "constant",
      args: ["Tensor[(2, 3, 4), float32]", "float32"],
      attrs: {
        pad_width: [
          [0, 0],
          [1, 2],
          [2, 1],
        ],
      },
    },
    {
      name: "edge",
      args: ["Tensor[(2, 3), float32]", "int32"],
      attrs: {
        pad_width: [
          [1, 0],
          [2, 3],
        ],
        pad_mode: "edge",
      },
    },
    {
      name: "reflect",
      args: ["Tensor[(3, 4), float32]", "float32"],
      attrs: {
        pad_width: [
          [1, 2],
          [3, 0],
        ],
        pad_mode: "reflect",
      },
    },
    {
      name: "cut",
      args: ["Tensor[(4, 5), float32]", "float32"],
      attrs: {
        pad_width: [
          [-1, 1],
          [0, -2],
        ],
      },
    },
  ],
});
