// nn.pad with amounts given as a tensor; with a constant it becomes nn.pad.  TVM: src/relay/op/dyn/nn/pad.cc
// (PadRel)
import { at } from "../../../support/assert.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { all, cast, constInt, ge, ifThenElse, lt, max, min, mul, select, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { int32 } from "../../ir/dtype.ts";
import { compute } from "../../te/compute.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { dynPadShape } from "../_shape-funcs/transform.ts";
import { padAttrs, padModes } from "../nn/pad.ts";
import { asker, checkRank, oneOf, tensorArg } from "../_shared/type-helpers.ts";
import { constantNumbers, othersOf, dynamicDims } from "./dyn-op.ts";

/**
 * The position that stands for `place` outside 0 … extent - 1: the nearest one, or its mirror image about the
 * edge element, the nearest again where even that is outside.
 */
function inside(place: PrimExpr, extent: PrimExpr, mode: string): PrimExpr {
  const last = sub(extent, 1);
  if (mode === "edge") return min(max(place, 0), last);
  const positive = select(lt(place, 0), sub(0, place), place);
  return max(select(lt(last, positive), sub(mul(last, 2), positive), positive), 0);
}

export const dynPad = defineOp({
  name: "dyn.nn.pad",
  inputs: ["data", "pad_width", "pad_val"],
  attrs: padAttrs,
  attrsKey: "relay.attrs.PadAttrs",
  pattern: "injective",
  type: (args, attrs, t) => {
    const cx = asker(t, "dyn.nn.pad");
    const type = tensorArg(cx, "data", args.data);
    const width = tensorArg(cx, "pad_width", args.pad_width);
    const value = tensorArg(cx, "pad_val", args.pad_val);
    if (
      type === null ||
      width === null ||
      value === null ||
      !checkRank(cx, "pad_width", width, [2]) ||
      !checkRank(cx, "pad_val", value, [0]) ||
      !oneOf(cx, "pad_mode", attrs.pad_mode, padModes)
    )
      return null;
    const wanted = [type.shape.length, 2];
    if (!width.shape.every((dim, i) => t.dimEqual(dim, at(wanted, i, "expected pad_width axis"))))
      return t.error("RS2105", "dyn.nn.pad: argument `pad_width` does not fit", {
        expected: `shape (${wanted.join(", ")}): a pair an axis of \`data\``,
        got: printType(width),
      });
    return tensorType(dynamicDims(type.shape.length), type.dtype);
  },
  compute: ({ data, pad_width: width, pad_val: value }, attrs, cx) =>
    compute(
      outExtents(cx),
      (indices) => {
        const source = indices.map((i, axis) => sub(i, cast(width.at(axis, 0), int32)));
        // Where there is no element to copy the value stands in.
        const isEmpty = data.shape.some((extent) => constInt(extent) === 0);
        if (attrs.pad_mode !== "constant" && !isEmpty)
          return data.at(
            ...source.map((place, axis) => inside(place, at(data.shape, axis, "data axis"), attrs.pad_mode)),
          );
        const within = all(
          source.flatMap((place, axis) => [ge(place, 0), lt(place, at(data.shape, axis, "data axis"))]),
        );
        return ifThenElse(within, data.at(...source), cast(value.at(), data.dtype));
      },
      { name: "T_pad", tag: "injective", origin: cx.origin },
    ),
  shapeFunc: dynPadShape,
  schedule: injectiveRecipe,
  toStatic: ({ node, args, attrs }, cx) => {
    const width = constantNumbers(args.pad_width);
    if (width === null || args.pad_val.kind !== "constant") return null;
    const pairs = Array.from({ length: width.length / 2 }, (_, i) => width.slice(2 * i, 2 * i + 2));
    return call(
      cx,
      "nn.pad",
      [args.data, args.pad_val],
      { ...othersOf(attrs, "pad_width"), pad_width: pairs },
      node.origin,
    );
  },
  doc: "nn.pad with the amounts, a row an axis, as the second argument.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 3), float32]", "Tensor[(2, 2), int64]", "float32"],
      values: { 1: [1, 0, 2, 1] },
      results: ["Tensor[(3, 6), float32]"],
    },
  ],
});
