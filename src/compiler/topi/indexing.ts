// Index arithmetic that topi's computes share: products, flat indices, broadcasting.
// TVM: include/tvm/topi/detail/ravel_unravel.h, detail/broadcast.h
import { invariant, at } from "../../support/assert.ts";
import { add, constInt, eq, floorDiv, floorMod, intImm, max, mul, select } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import type { Tensor } from "../te/tensor.ts";

export function product(dims: readonly PrimExpr[]): PrimExpr {
  return dims.reduce<PrimExpr>((a, b) => mul(a, b), intImm(1));
}

/**
 * How many windows lie in an axis that is `room` longer than one of them: none where it is shorter, which an
 * empty axis may be.
 */
export function windowExtent(room: PrimExpr, stride: number): PrimExpr {
  return max(add(floorDiv(room, stride), 1), 0);
}

/** Row-major position of `indices` in `shape`. */
export function ravel(indices: readonly PrimExpr[], shape: readonly PrimExpr[]): PrimExpr {
  return indices.reduce<PrimExpr>(
    (flat, index, i) => (i === 0 ? index : add(mul(flat, at(shape, i, "axis of the indexed shape")), index)),
    intImm(0),
  );
}

/** The indices whose row-major position in `shape` is `flat`. */
export function unravel(flat: PrimExpr, shape: readonly PrimExpr[]): PrimExpr[] {
  const indices: PrimExpr[] = [];
  let rest = flat;
  for (let i = shape.length - 1; i > 0; i--) {
    indices.unshift(
      constInt(at(shape, i, "axis of the indexed shape")) === 1
        ? intImm(0)
        : floorMod(rest, at(shape, i, "axis of the indexed shape")),
    );
    rest = floorDiv(rest, at(shape, i, "axis of the indexed shape"));
  }
  if (shape.length > 0) indices.unshift(rest);
  return indices;
}

function sameExtent(a: PrimExpr, b: PrimExpr): boolean {
  if (a === b) return true;
  const value = constInt(a);
  return value !== null && value === constInt(b);
}

function broadcastExtent(a: PrimExpr, b: PrimExpr): PrimExpr {
  if (sameExtent(a, b) || constInt(b) === 1) return a;
  if (constInt(a) === 1) return b;
  if (constInt(a) !== null) {
    invariant(constInt(b) === null, `broadcast of extents ${constInt(a)} and ${constInt(b)}`);
    return a;
  }
  return constInt(b) !== null ? b : max(a, b);
}

/** The shape that `a` and `b` broadcast to, aligned at the last dimension. */
export function broadcastShape(a: readonly PrimExpr[], b: readonly PrimExpr[]): PrimExpr[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const inA = i - (rank - a.length);
    const inB = i - (rank - b.length);
    if (inA < 0) return at(b, inB, "element");
    return inB < 0 ? at(a, inA, "element") : broadcastExtent(at(a, inA, "element"), at(b, inB, "element"));
  });
}

/**
 * The element of `tensor` that stands at `indices` of the broadcast shape `outShape`. An extent known only at
 * run time is asked whether it is 1.
 */
export function broadcastAt(
  tensor: Tensor,
  indices: readonly PrimExpr[],
  outShape: readonly PrimExpr[],
): PrimExpr {
  const offset = outShape.length - tensor.shape.length;
  return tensor.at(
    ...tensor.shape.map((extent, i) => {
      const index = at(indices, i + offset, "index");
      if (sameExtent(extent, at(outShape, i + offset, "output axis"))) return index;
      const known = constInt(extent);
      if (known === 1) return intImm(0);
      return known === null ? select(eq(extent, 1), intImm(0), index) : index;
    }),
  );
}

/** `list` with the entries of `replacements` put in at their positions. */
export function withIndices(
  list: readonly PrimExpr[],
  replacements: ReadonlyMap<number, PrimExpr>,
): PrimExpr[] {
  return list.map((index, i) => replacements.get(i) ?? index);
}

/**
 * The indices into a tensor of shape `from` of the element at `indices` of the same elements in shape `to`
 * (row-major order kept). Runs of dimensions with equal products are mapped on their own, so that unchanged
 * dimensions keep their index.
 */
export function reshapedIndices(
  indices: readonly PrimExpr[],
  to: readonly PrimExpr[],
  from: readonly PrimExpr[],
): PrimExpr[] {
  const found: PrimExpr[] = [];
  for (const run of matchingRuns(to.map(constInt), from.map(constInt))) {
    const target = from.slice(run.from[0], run.from[1]);
    const flat = ravel(indices.slice(run.to[0], run.to[1]), to.slice(run.to[0], run.to[1]));
    found.push(...unravel(flat, target));
  }
  return found;
}

interface Run {
  readonly to: readonly [number, number];
  readonly from: readonly [number, number];
}

function isKnown(shape: readonly (number | null)[]): shape is readonly number[] {
  return !shape.includes(null);
}

/**
 * Splits two shapes of one element count into runs of equal product; one run for all where an extent is
 * unknown.
 */
function matchingRuns(to: readonly (number | null)[], from: readonly (number | null)[]): Run[] {
  const whole: Run[] = [{ to: [0, to.length], from: [0, from.length] }];
  if (!isKnown(to) || !isKnown(from)) return whole;
  const runs: Run[] = [];
  let [i, j] = [0, 0];
  while (i < to.length && j < from.length) {
    const start: readonly [number, number] = [i, j];
    let [a, b] = [at(to, i++, "axis of the new shape"), at(from, j++, "axis of the old shape")];
    while (a !== b) {
      if (a < b && i < to.length) a *= at(to, i++, "axis of the new shape");
      else if (b < a && j < from.length) b *= at(from, j++, "axis of the old shape");
      else return whole;
    }
    runs.push({ to: [start[0], i], from: [start[1], j] });
  }
  // what is left on one side are extents of 1
  if (j < from.length) runs.push({ to: [i, i], from: [j, from.length] });
  return runs;
}
