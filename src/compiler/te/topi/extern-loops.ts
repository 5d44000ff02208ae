// Building the loops of extern computes: a nest over a buffer's indices, and guards.
import { int32 } from "../../ir/dtype.ts";
import type { Origin } from "../../ir/origin.ts";
import { forLoop, intImm, tirVar } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { Stmt } from "../../tir/stmt.ts";

/** for i0 … for in: body(indices), serial, row-major. */
export function nest(extents: readonly PrimExpr[], origin: Origin, body: (indices: readonly PrimExpr[]) => Stmt, prefix = "i"): Stmt {
  const indices = extents.map((_, i) => tirVar(`${prefix}${i}`, int32));
  return extents.reduceRight<Stmt>((inner, extent, i) => forLoop(indices[i]!, intImm(0), extent, "serial", inner, origin), body(indices));
}

/** One loop. */
export function loop(extent: PrimExpr, name: string, origin: Origin, body: (index: PrimExpr) => Stmt): Stmt {
  const index = tirVar(name, int32);
  return forLoop(index, intImm(0), extent, "serial", body(index), origin);
}
