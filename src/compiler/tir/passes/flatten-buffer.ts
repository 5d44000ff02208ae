// FlattenBuffer: every access has one element index, row-major; allocations become one-dimensional.
// Parameters keep their shape, which is the interface.  TVM: src/tir/transforms/storage_flatten.cc,
// flatten_buffer.cc
import { invariant } from "../../../support/assert.ts";
import type { Pass } from "../../ir/pass.ts";
import { add, buffer, intImm, load, mul, store } from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Stmt } from "../stmt.ts";
import { mapExpr, mapStmt, replaceBuffers, visitStmt } from "../visit.ts";

export const flattenBuffer: Pass<PrimFunc> = {
  name: "FlattenBuffer",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const flat = mapStmt(f.body, flattenStore, (expr) => mapExpr(expr, flattenLoad));
    const body = flattenAllocations(flat);
    return body === f.body ? f : { ...f, body };
  },
};

function flattenStore(stmt: Stmt): Stmt {
  if (stmt.kind !== "store" || stmt.indices.length === 1) return stmt;
  return store(stmt.buffer, [elementIndex(stmt.buffer, stmt.indices)], stmt.value, stmt.origin);
}

function flattenLoad(expr: PrimExpr): PrimExpr {
  if (expr.kind !== "load" || expr.indices.length === 1) return expr;
  return load(expr.buffer, [elementIndex(expr.buffer, expr.indices)]);
}

/** i0 * (d1 * d2 * …) + i1 * (d2 * …) + …; 0 for rank 0. */
function elementIndex(of: Buffer, indices: readonly PrimExpr[]): PrimExpr {
  invariant(
    indices.length === of.shape.length,
    `${of.name} has ${of.shape.length} dimensions, got ${indices.length} indices`,
  );
  let stride: PrimExpr = intImm(1);
  let sum: PrimExpr = intImm(0);
  for (let i = indices.length - 1; i >= 0; i--) {
    sum = i === indices.length - 1 ? indices[i]! : add(mul(indices[i]!, stride), sum);
    stride = mul(of.shape[i]!, stride);
  }
  return sum;
}

function flattenAllocations(body: Stmt): Stmt {
  const flat = new Map<Buffer, Buffer>();
  visitStmt(body, (stmt) => {
    if (stmt.kind !== "allocate") return;
    for (const { buffer: of } of stmt.allocations) {
      if (of.shape.length === 1) continue;
      const elements = of.shape.reduce<PrimExpr>((product, dim) => mul(product, dim), intImm(1));
      flat.set(of, buffer(of.name, of.dtype, [elements], of.scope));
    }
  });
  return flat.size === 0 ? body : replaceBuffers(body, flat);
}
