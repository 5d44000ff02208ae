// Between the logical axes of a tensor and its indices in a layout.
import { present, at } from "../../support/assert.ts";
import { axisOf, type Layout } from "../ir/layout.ts";
import { add, floorDiv, floorMod, intImm, mul } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";

/** One index a primal axis letter. */
type LogicalIndex = ReadonlyMap<string, PrimExpr>;

/** The indices into a tensor stored in `layout` of the element at `logical`. */
export function physicalIndices(layout: Layout, logical: LogicalIndex): PrimExpr[] {
  return layout.axes.map((axis) => {
    const index = logical.get(axis.letter) ?? intImm(0);
    if (axis.factor !== null) return floorMod(index, axis.factor);
    const inner = innerFactor(layout, axis.letter);
    return inner === null ? index : floorDiv(index, inner);
  });
}

/** The logical index of the element stored at `indices`. */
export function logicalIndices(layout: Layout, indices: readonly PrimExpr[]): LogicalIndex {
  const found = new Map<string, PrimExpr>();
  layout.axes.forEach((axis, i) => {
    if (axis.factor !== null) return;
    const inner = layout.axes.findIndex((other) => other.letter === axis.letter && other.factor !== null);
    found.set(
      axis.letter,
      inner < 0
        ? at(indices, i, "index")
        : add(
            mul(
              at(indices, i, "index"),
              present(at(layout.axes, inner, "axis of the layout").factor, "factor"),
            ),
            at(indices, inner, "index"),
          ),
    );
  });
  return found;
}

/** Extent of the logical axis `letter` of a tensor of `shape` in `layout`. */
export function logicalExtent(layout: Layout, shape: readonly PrimExpr[], letter: string): PrimExpr {
  const outer = at(shape, axisOf(layout, letter), "axis of the tensor in its layout");
  const inner = innerFactor(layout, letter);
  return inner === null ? outer : mul(outer, inner);
}

/** The stored shape in `layout` of the logical extents `extents`. */
export function storedShape(layout: Layout, extents: LogicalIndex): PrimExpr[] {
  return layout.axes.map((axis) => {
    if (axis.factor !== null) return intImm(axis.factor);
    const inner = innerFactor(layout, axis.letter);
    const extent = extents.get(axis.letter) ?? intImm(1);
    return inner === null ? extent : floorDiv(extent, inner);
  });
}

function innerFactor(layout: Layout, letter: string): number | null {
  return layout.axes.find((axis) => axis.letter === letter && axis.factor !== null)?.factor ?? null;
}
