// Part of a tensor, every stride-th element from begin to end.
// TVM: src/relay/op/tensor/transform.cc (StridedSliceRel), include/tvm/topi/detail/strided_slice.h
import { present, at, first } from "../../../support/assert.ts";
import { optionalInts, text } from "../../ir/attrs.ts";
import { anyDim, tensorType, type Dim } from "../../ir/type.ts";
import { stridedSlice as stridedSliceCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { stridedSliceShape } from "../_shape-funcs/slice.ts";
import { asker, axesArg, oneOf, requiredAttr, tensorArg, type Asker } from "../_shared/type-helpers.ts";
import { sliceOf, type SliceAttrs, type SliceBounds } from "./slice-bounds.ts";

/** The slices of every axis that is cut; null after reporting. */
function slicesOf(cx: Asker, rank: number, attrs: SliceAttrs): readonly SliceBounds[] | null {
  const begin = requiredAttr(cx, "begin", attrs.begin);
  const end = requiredAttr(cx, "end", attrs.end);
  const strides = requiredAttr(cx, "strides", attrs.strides);
  if (
    begin === null ||
    end === null ||
    strides === null ||
    !oneOf(cx, "slice_mode", attrs.slice_mode, ["end", "size"])
  )
    return null;
  const axes =
    attrs.axes === null ? Array.from({ length: rank }, (_, i) => i) : axesArg(cx, attrs.axes, rank, "axes");
  if (axes === null) return null;
  const lengths = [begin.length, end.length, strides.length];
  if (
    attrs.axes !== null
      ? lengths.some((length) => length !== axes.length)
      : lengths.some((length) => length > rank)
  ) {
    return cx.t.error("RS2108", "strided_slice: `begin`, `end` and `strides` have the wrong length", {
      expected:
        attrs.axes !== null ? `${axes.length} numbers each, one an axis` : `at most ${rank} numbers each`,
      got: lengths.join(", "),
    });
  }
  if (strides.some((stride) => Number(stride) === 0))
    return cx.t.error("RS2108", "strided_slice: attribute `strides` is not usable", {
      expected: "no 0",
      got: `[${strides.join(", ")}]`,
    });
  return axes.map((axis, i) =>
    sliceOf(axis, i, { begin, end, strides, slice_mode: attrs.slice_mode, axes: attrs.axes }),
  );
}

export const sliceSchema = {
  begin: optionalInts({ doc: "First element along every axis; negative counts from the end." }),
  end: optionalInts({
    doc: 'Element before which the slice ends, or the slice\'s size with slice_mode="size".',
  }),
  strides: optionalInts({ doc: "Step along every axis; negative goes backward." }),
  slice_mode: text({
    default: "end",
    doc: '"end", or "size" where `end` gives sizes (-1: to the end) and strides are 1.',
  }),
  axes: optionalInts({ doc: "Axes that are cut; None means the first ones." }),
};

export const stridedSlice = defineOp({
  name: "strided_slice",
  inputs: ["data"],
  attrs: sliceSchema,
  attrsKey: "relay.attrs.StridedSliceAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "strided_slice");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const slices = slicesOf(cx, type.shape.length, attrs);
    if (slices === null) return null;
    const shape: Dim[] = [...type.shape];
    for (const slice of slices) {
      const dim = at(shape, slice.axis, "input axis");
      if (typeof dim !== "number") {
        shape[slice.axis] = slice.whole ? dim : anyDim;
        continue;
      }
      const range = slice.in(dim);
      if (range.count < 0) {
        return t.error("RS2111", `strided_slice: the slice of axis ${slice.axis} ends before it begins`, {
          expected:
            slice.stride < 0
              ? "an end at or before begin, since the stride is negative"
              : "an end at or after begin",
          got: `begin ${slice.begin}, end ${slice.end} of ${dim} elements`,
        });
      }
      shape[slice.axis] = range.count;
    }
    return tensorType(shape, type.dtype);
  },
  compute: ({ data }, attrs, cx) => {
    const input = first(cx.argTypes, "argument type");
    const dims = input.kind === "tensor-type" ? input.shape : [];
    const begin = present(attrs.begin, "begin");
    const axes =
      attrs.axes === null
        ? dims.map((_, i) => i)
        : attrs.axes.map((axis) => (axis < 0 ? axis + dims.length : axis));
    const slices = axes.map((axis, i) =>
      sliceOf(axis, i, {
        ...attrs,
        begin,
        end: present(attrs.end, "end"),
        strides: present(attrs.strides, "strides"),
      }),
    );
    return stridedSliceCompute(
      data,
      slices.flatMap((slice) => {
        const dim = dims[slice.axis];
        return typeof dim === "number" ? [{ axis: slice.axis, stride: slice.stride, ...slice.in(dim) }] : [];
      }),
      cx.origin,
    );
  },
  shapeFunc: stridedSliceShape,
  schedule: injectiveRecipe,
  doc: "Every stride-th element from `begin` up to `end` along each axis, as slices in Python; negative positions count from the end.",
  examples: [
    {
      name: "rows and columns",
      args: ["Tensor[(4, 6), float32]"],
      attrs: { begin: [1, 0], end: [3, 6], strides: [1, 2] },
    },
    { name: "backward", args: ["Tensor[(5, 3), float32]"], attrs: { begin: [-1], end: [-5], strides: [-2] } },
    {
      name: "sizes",
      args: ["Tensor[(4, 6), float32]"],
      attrs: { begin: [1, 2], end: [2, -1], strides: [1, 1], slice_mode: "size" },
    },
    {
      name: "one axis",
      args: ["Tensor[(2, 3, 8), float32]"],
      attrs: { begin: [2], end: [100], strides: [3], axes: [2] },
    },
  ],
});
