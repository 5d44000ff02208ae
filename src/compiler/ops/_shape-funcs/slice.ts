// Shape functions of strided slices, by attributes and by values.
// TVM: python/tvm/relay/op/_transform.py (strided_slice_shape_func), dyn/_transform.py
import { present, at } from "../../../support/assert.ts";
import { add, floorDiv, lt, max, min, select, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { sliceOf, type SliceAttrs } from "../tensor/slice-bounds.ts";
import { extent, fromFront } from "./extents.ts";
import { elements } from "./init.ts";

/**
 * A position as written, counted from the front and kept inside [0, dim] (forward) or [-1, dim - 1]
 * (backward).
 */
export function clampPosition(position: PrimExpr, dim: PrimExpr, backward: boolean): PrimExpr {
  const counted = select(lt(position, 0), add(position, dim), position);
  return backward ? min(max(counted, -1), sub(dim, 1)) : min(max(counted, 0), dim);
}

/** ceil((to - from) / stride), not below 0; `stride` is positive. */
function steps(from: PrimExpr, to: PrimExpr, stride: PrimExpr): PrimExpr {
  return max(floorDiv(add(sub(to, from), sub(stride, 1)), stride), extent(0));
}

function numberExtent(position: number, dim: PrimExpr, backward: boolean): PrimExpr {
  if (position === Infinity) return backward ? sub(dim, 1) : dim;
  return clampPosition(extent(position), dim, backward);
}

export const stridedSliceShape: ShapeFunc<SliceAttrs> = {
  needs: "shape",
  dims: ([data], attrs) => {
    const shape = [...data.dims];
    const axes =
      attrs.axes === null ? shape.map((_, i) => i) : attrs.axes.map((axis) => fromFront(axis, shape.length));
    axes.forEach((axis, i) => {
      const slice = sliceOf(axis, i, {
        ...attrs,
        begin: present(attrs.begin, "begin"),
        end: present(attrs.end, "end"),
        strides: present(attrs.strides, "strides"),
      });
      if (slice.whole) return;
      const dim = at(shape, axis, "input axis");
      const backward = slice.stride < 0;
      const from = numberExtent(slice.begin, dim, backward);
      const to =
        slice.size === null
          ? numberExtent(slice.end, dim, backward)
          : min(add(from, extent(slice.size)), dim);
      shape[axis] = backward ? steps(to, from, extent(-slice.stride)) : steps(from, to, extent(slice.stride));
    });
    return [shape];
  },
};

/** begin, end and strides are arguments; slice_mode "size" takes `end` as sizes (-1: to the end). */
export const dynStridedSliceShape: ShapeFunc<{ readonly slice_mode: string }, 4> = {
  needs: ["shape", "data", "data", "data"],
  dims: ([data, begin, end, strides], attrs) => {
    const [begins, ends, steppings] = [elements(begin), elements(end), elements(strides)];
    return [
      data.dims.map((dim, axis) =>
        axis < begins.length
          ? slicedExtent(
              dim,
              at(begins, axis, "begin"),
              ends[axis],
              steppings[axis],
              attrs.slice_mode === "size",
            )
          : dim,
      ),
    ];
  },
};

function slicedExtent(
  dim: PrimExpr,
  begin: PrimExpr,
  end: PrimExpr | undefined,
  stride: PrimExpr | undefined,
  bySize: boolean,
): PrimExpr {
  const last = end ?? dim;
  if (bySize) {
    const from = clampPosition(begin, dim, false);
    return steps(from, min(select(lt(last, 0), dim, add(from, last)), dim), extent(1));
  }
  const by = stride ?? extent(1);
  const forward = steps(
    clampPosition(begin, dim, false),
    clampPosition(last, dim, false),
    max(by, extent(1)),
  );
  const backward = steps(
    clampPosition(last, dim, true),
    clampPosition(begin, dim, true),
    max(sub(extent(0), by), extent(1)),
  );
  return select(lt(by, 0), backward, forward);
}
