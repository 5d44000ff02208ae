// Shape functions of reshapes.  TVM: python/tvm/relay/op/_transform.py (reshape_shape_func),
// dyn/_transform.py (dynamic_reshape_shape_func) Unlike TVM 0.8, dimensions that are copied are set apart
// before -1 is solved, as the type relation does.
import { at } from "../../../support/assert.ts";
import { add, eq, mul, select } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { extent, fromFront, productExtent, quotient } from "./extents.ts";
import { elements } from "./init.ts";

/**
 * The extents that `wanted` means (0, -1, -2, -3, -4 as in reshape) for a tensor of shape `from`; checked by
 * the type relation.
 */
function reshaped(from: readonly PrimExpr[], wanted: readonly number[]): readonly PrimExpr[] {
  const shape: PrimExpr[] = [];
  /** Positions in `from` and in `shape` that take part in a -1. */
  const rest = new Set(from.keys());
  const free: number[] = [];
  let next = 0;
  let inferred = -1;
  const take = (): PrimExpr => {
    rest.delete(next);
    return at(from, next++, "input axis");
  };
  for (let i = 0; i < wanted.length; i++) {
    const value = at(wanted, i, "dimension");
    if (value > 0) {
      free.push(shape.push(extent(value)) - 1);
      next++;
    } else if (value === -1) {
      inferred = shape.push(extent(1)) - 1;
      next++;
    } else if (value === 0) shape.push(take());
    else if (value === -2) while (next < from.length) shape.push(take());
    else if (value === -3) shape.push(mul(take(), take()));
    else {
      const [first, second] = [at(wanted, i + 1, "dimension"), at(wanted, i + 2, "dimension")];
      const whole = take();
      shape.push(
        first === -1 ? quotient(whole, extent(second)) : extent(first),
        second === -1 ? quotient(whole, extent(first)) : extent(second),
      );
      i += 2;
    }
  }
  if (inferred >= 0)
    shape[inferred] = quotient(
      productExtent([...rest].map((i) => at(from, i, "input axis"))),
      productExtent(free.map((i) => at(shape, i, "output axis"))),
    );
  return shape;
}

export const reshapeShape: ShapeFunc<{ readonly newshape: readonly number[] }> = {
  needs: "shape",
  dims: ([data], { newshape }) => [reshaped(data.dims, newshape.map(Number))],
};

export const reverseReshapeShape: ShapeFunc<{ readonly newshape: readonly number[] }> = {
  needs: "shape",
  dims: ([data], { newshape }) => [
    reshaped(data.dims.toReversed(), newshape.map(Number).toReversed()).toReversed(),
  ],
};

/** The new shape is an argument; -2 and -4 would change the rank and are no numbers that it may hold. */
export const dynReshapeShape: ShapeFunc<unknown, 2> = {
  needs: ["shape", "data"],
  dims: ([data, newshape]) => {
    const wanted = elements(newshape);
    const dimAt = (position: PrimExpr): PrimExpr =>
      data.dims.reduceRight<PrimExpr>((rest, dim, k) => select(eq(position, k), dim, rest), extent(1));
    let position: PrimExpr = extent(0);
    const placed = wanted.map((value) => {
      const here = position;
      position = add(here, select(eq(value, -3), extent(2), extent(1)));
      return select(
        eq(value, 0),
        dimAt(here),
        select(eq(value, -3), mul(dimAt(here), dimAt(add(here, 1))), value),
      );
    });
    const known = productExtent(placed.map((value) => select(eq(value, -1), extent(1), value)));
    const left = quotient(productExtent(data.dims), known);
    return [placed.map((value) => select(eq(value, -1), left, value))];
  },
};

export const batchFlattenShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data]) => [[at(data.dims, 0, "dimension"), productExtent(data.dims.slice(1))]],
};

interface LikeAttrs {
  readonly lhs_begin: number;
  readonly lhs_end: number | null;
  readonly rhs_begin: number;
  readonly rhs_end: number | null;
}

export const reshapeLikeShape: ShapeFunc<LikeAttrs, 2> = {
  needs: "shape",
  dims: ([data, like], attrs) => {
    const [left, right] = [data.dims, like.dims];
    return [
      [
        ...left.slice(0, fromFront(attrs.lhs_begin, left.length)),
        ...right.slice(
          fromFront(attrs.rhs_begin, right.length),
          fromFront(attrs.rhs_end ?? right.length, right.length),
        ),
        ...left.slice(fromFront(attrs.lhs_end ?? left.length, left.length)),
      ],
    ];
  },
};
