// Arithmetic on extents, int64 expressions that shape functions read from shape tensors or make of
// attributes.
import { at } from "../../../support/assert.ts";
import { int64 } from "../../ir/dtype.ts";
import type { Layout } from "../../ir/layout.ts";
import { axisOf } from "../../ir/layout.ts";
import { cast, eq, floorDiv, ifThenElse, intImm, mul, select } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";

/** A constant extent. */
export function extent(value: number): PrimExpr {
  return intImm(value, int64);
}

export function extents(values: readonly number[]): readonly PrimExpr[] {
  return values.map(extent);
}

/** An element of a data argument as an extent. */
export function asExtent(value: PrimExpr): PrimExpr {
  return cast(value, int64);
}

export function productExtent(dims: readonly PrimExpr[]): PrimExpr {
  return dims.reduce<PrimExpr>((product, dim) => mul(product, dim), extent(1));
}

/** a / b rounded down, 0 where b is 0 (nothing divides an empty tensor). */
export function quotient(a: PrimExpr, b: PrimExpr): PrimExpr {
  return b.kind === "int" && b.value !== 0 ? floorDiv(a, b) : ifThenElse(eq(b, 0), extent(0), floorDiv(a, b));
}

/** What two aligned extents broadcast to: the other one where one is 1. */
function broadcastExtent(a: PrimExpr, b: PrimExpr): PrimExpr {
  return a === b ? a : select(eq(a, 1), b, a);
}

/** What two shapes broadcast to, aligned at the last axis. */
export function broadcastExtents(a: readonly PrimExpr[], b: readonly PrimExpr[]): readonly PrimExpr[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const [x, y] = [a[i - rank + a.length], b[i - rank + b.length]];
    return x === undefined ? y! : y === undefined ? x : broadcastExtent(x, y);
  });
}

/** `axis` counted from the front. */
export function fromFront(axis: number, rank: number): number {
  return axis < 0 ? axis + rank : axis;
}

/** Extents of `plain`'s axes of a tensor stored with `dims` in `layout`. */
export function plainExtents(dims: readonly PrimExpr[], layout: Layout, plain: string): readonly PrimExpr[] {
  return plain.split("").map((letter) => {
    const outer = at(dims, axisOf(layout, letter), "dimension");
    const inner = innerFactor(layout, letter);
    return inner === null ? outer : mul(outer, inner);
  });
}

/** The stored shape of a tensor whose `plain` axes have the extents `dims`. */
export function storedExtents(dims: readonly PrimExpr[], layout: Layout, plain: string): readonly PrimExpr[] {
  return layout.axes.map((axis) => {
    if (axis.factor !== null) return extent(axis.factor);
    const inner = innerFactor(layout, axis.letter);
    const dim = at(dims, plain.indexOf(axis.letter), "dimension");
    return inner === null ? dim : floorDiv(dim, inner);
  });
}

function innerFactor(layout: Layout, letter: string): number | null {
  return layout.axes.find((axis) => axis.letter === letter && axis.factor !== null)?.factor ?? null;
}
