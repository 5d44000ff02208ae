// Shape functions of operators whose shape is an attribute, or the values of an argument.
// TVM: python/tvm/relay/op/_tensor.py (full_shape_func, no_data_full_shape_func), dyn/_tensor.py
import { constInt } from "../../tir/build.ts";
import { invariant, present, at, first } from "../../../support/assert.ts";
import type { ShapeArg, ShapeFunc, ShapeNeed } from "../define.ts";
import { asExtent, extents } from "./extents.ts";
import type { PrimExpr } from "../../tir/expr.ts";

/** The attribute `shape` says it. */
export const shapeAttribute: ShapeFunc<{ readonly shape: readonly number[] | null }, 0> = {
  needs: "shape",
  dims: (_, attrs) => [extents(present(attrs.shape, "shape").map(Number))],
};

/** The elements of a vector argument, as extents. */
export function elements(arg: ShapeArg): readonly PrimExpr[] {
  if (arg.rank === 0) return [asExtent(arg.data.at())];
  const count = constInt(first(arg.data.shape, "axis of a shape argument"));
  invariant(count !== null, "a vector of dynamic length reached a shape function");
  return Array.from({ length: count }, (_, i) => asExtent(arg.data.at(i)));
}

/** The values of argument `index` are the shape; `others` is what is asked of the rest, "none" or "shape". */
export function shapeArgument(
  index: number,
  count: number,
  others: "none" | "shape" = "none",
): ShapeFunc<unknown> {
  return { needs: needsOf(index, count, others), dims: (args) => [elements(at(args, index, "argument"))] };
}

function needsOf(index: number, count: number, others: ShapeNeed): readonly ShapeNeed[] {
  return Array.from({ length: count }, (_, i) => (i === index ? "data" : others));
}
