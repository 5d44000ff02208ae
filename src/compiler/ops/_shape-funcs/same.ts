// Shape functions of operators that keep a shape or broadcast several.
// TVM: python/tvm/relay/op/_tensor.py (elemwise_shape_func, broadcast_shape_func)
import { at } from "../../../support/assert.ts";
import type { ShapeFunc } from "../define.ts";
import { broadcastExtents } from "./extents.ts";

/** Every result has the shape of argument `index`. */
export function shapeOfArgument(index: number): ShapeFunc<unknown> {
  return { needs: "shape", dims: (args, _, cx) => cx.outTypes.map(() => at(args, index, "argument").dims) };
}

/** The results have the first argument's shape. */
export const sameShape: ShapeFunc<unknown> = shapeOfArgument(0);

/** All arguments broadcast together. */
export const broadcastShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: (args) => [args.slice(1).reduce((shape, arg) => broadcastExtents(shape, arg.dims), args[0].dims)],
};
