// Shape functions of reductions.  TVM: python/tvm/relay/op/_reduce.py (reduce_shape_func)
import type { ShapeFunc } from "../define.ts";
import { extent } from "./extents.ts";

/** `axesOf` says which axes are combined; they go, or stay with extent 1. */
export function reducedShape<A extends { readonly keepdims: boolean }>(
  axesOf: (attrs: A, rank: number) => readonly number[],
): ShapeFunc<A> {
  return {
    needs: "shape",
    dims: ([data], attrs) => {
      const axes = axesOf(attrs, data.rank);
      return [
        data.dims.flatMap((dim, i) => (axes.includes(i) ? (attrs.keepdims ? [extent(1)] : []) : [dim])),
      ];
    },
  };
}
