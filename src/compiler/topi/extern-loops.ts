// Building the loops of extern computes: a nest over a buffer's indices, numbers that loops carry.
import { zip } from "../../support/assert.ts";
import { sameLength, type Indices } from "../te/compute.ts";
import { int32, type DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import { allocateAll, buffer, forLoop, intImm, load, store, tirVar } from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";

/** for i0 … for in: body(indices), serial, row-major. */
export function nest<const Extents extends readonly PrimExpr[]>(
  extents: Extents,
  origin: Origin,
  body: (indices: Indices<Extents>) => Stmt,
  prefix = "i",
): Stmt {
  const indices = extents.map((_, i) => tirVar(`${prefix}${i}`, int32));
  return zip(indices, extents, "loops").reduceRight<Stmt>(
    (inner, [index, extent]) => forLoop(index, { min: intImm(0), extent }, inner, origin),
    body(sameLength(extents, indices)),
  );
}

/** One loop. */
export function loop(extent: PrimExpr, name: string, origin: Origin, body: (index: PrimExpr) => Stmt): Stmt {
  const index = tirVar(name, int32);
  return forLoop(index, { min: intImm(0), extent }, body(index), origin);
}

/** A number that a loop carries: a local buffer of one element. */
export interface Cell {
  readonly buffer: Buffer;
  readonly value: PrimExpr;
  readonly set: (value: PrimExpr) => Stmt;
}

export function cell(name: string, dtype: DType, origin: Origin): Cell {
  const of = buffer(name, dtype, [1], "local");
  const zero = [intImm(0)];
  return { buffer: of, value: load(of, zero), set: (value) => store(of, zero, value, origin) };
}

/** `body` with the cells in sight. */
export function withCells(cells: readonly Cell[], body: Stmt, origin: Origin): Stmt {
  return allocateAll(
    cells.map(({ buffer }) => ({ buffer, origin })),
    body,
    origin,
  );
}

/** The only element of a scalar, or of a vector of one. */
export function onlyElement(of: Buffer): PrimExpr {
  return load(
    of,
    of.shape.map(() => intImm(0)),
  );
}
