// strided_slice with bounds given as tensors; with a constant it becomes strided_slice.
// TVM: src/relay/op/dyn/tensor/transform.cc (StridedSliceRel)
import { first, at } from "../../../support/assert.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { int32, int64 } from "../../ir/dtype.ts";
import { add, cast, intImm, lt, mul, select, knownInt } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { clampPosition, dynStridedSliceShape } from "../_shape-funcs/slice.ts";
import { sliceSchema } from "../tensor/strided-slice.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";
import { othersOf, staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynStridedSlice = defineOp({
  name: "dyn.strided_slice",
  inputs: ["data", "begin", "end", "strides"],
  attrs: sliceSchema,
  attrsKey: "relay.attrs.StridedSliceAttrs",
  pattern: "injective",
  type: (args, _, t) => {
    const cx = asker(t, "dyn.strided_slice");
    const type = tensorArg(cx, "data", args.data);
    const count = vectorLength(cx, "begin", args.begin);
    const others = [vectorLength(cx, "end", args.end), vectorLength(cx, "strides", args.strides)];
    if (type === null || count === null || others.includes(null)) return null;
    return tensorType(
      [...dynamicDims(Math.min(count, type.shape.length)), ...type.shape.slice(count)],
      type.dtype,
    );
  },
  compute: ({ data, begin, strides }, attrs, cx) => {
    const count = knownInt(first(begin.shape, "begin axis"));
    const steps = knownInt(first(strides.shape, "strides axis"));
    return compute(
      outExtents(cx),
      (indices) =>
        data.at(
          ...indices.map((i, axis) => {
            if (axis >= count) return i;
            const stride =
              attrs.slice_mode === "size" || axis >= steps ? intImm(1) : cast(strides.at(axis), int64);
            const extent = at(data.shape, axis, "data axis");
            // Clamped before it is narrowed, as the shape function clamps it.
            const from = cast(begin.at(axis), int64);
            const start = select(
              lt(stride, 0),
              clampPosition(from, extent, true),
              clampPosition(from, extent, false),
            );
            return add(cast(start, int32), mul(i, cast(stride, int32)));
          }),
        ),
      { name: "T_strided_slice", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: dynStridedSliceShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("strided_slice", {
    args: ["data"],
    constants: ["begin", "end", "strides"],
    attrs: ({ begin, end, strides }, attrs) => ({
      ...othersOf(attrs, "begin", "end", "strides"),
      begin,
      end,
      strides,
    }),
  }),
  doc: "strided_slice with begin, end and strides as arguments.",
  examples: [
    {
      name: "rows",
      args: ["Tensor[(4, 6), float32]", "Tensor[(1), int64]", "Tensor[(1), int64]", "Tensor[(1), int64]"],
      values: { 1: [-1], 2: [0], 3: [-2] },
      results: ["Tensor[(2, 6), float32]"],
    },
  ],
});
