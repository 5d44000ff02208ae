// Which small buffers live in locals: scope "local", and every index a constant. What register tiles are made
// of. TVM leaves this to LLVM (mem2reg, SROA).
import type { Buffer, PrimExpr } from "../../tir/expr.ts";
import type { Stmt } from "../../tir/stmt.ts";
import { visitExpr, visitStmt } from "../../tir/visit.ts";
import { lanesPerVector } from "./lanes.ts";

/**
 * lanes > 1: slot i holds elements [i x lanes, (i + 1) x lanes) in a v128; lanes 1: slot i holds element i.
 */
export type Slots = ReadonlyMap<Buffer, { readonly lanes: number; readonly count: number }>;

/** More locals than this would only be spilled again by the engine. */
const maxElements = 1024;

interface Candidate {
  readonly size: number;
  readonly width: number;
  promotable: boolean;
  vector: boolean;
}

export function findSlots(body: Stmt): Slots {
  const candidates = new Map<Buffer, Candidate>();
  visitStmt(body, (stmt) => {
    if (stmt.kind !== "allocate") return;
    for (const { buffer } of stmt.allocations) {
      if (buffer.scope !== "local") continue;
      const size = buffer.shape.reduce(
        (product, dim) => product * (dim.kind === "int" ? Number(dim.value) : NaN),
        1,
      );
      candidates.set(buffer, {
        size,
        width: lanesPerVector(buffer.dtype),
        promotable: size <= maxElements,
        vector: false,
      });
    }
  });
  visitStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store") note(candidates.get(stmt.buffer), stmt.indices[0]!);
    },
    (expr) =>
      visitExpr(expr, (part) => {
        if (part.kind === "load") note(candidates.get(part.buffer), part.indices[0]!);
        if (part.kind === "buffer-ref") {
          const candidate = candidates.get(part.buffer);
          if (candidate !== undefined) candidate.promotable = false;
        }
      }),
  );
  const slots = new Map<Buffer, { lanes: number; count: number }>();
  for (const [buffer, { size, width, promotable, vector }] of candidates) {
    if (!promotable) continue;
    slots.set(buffer, vector ? { lanes: width, count: Math.ceil(size / width) } : { lanes: 1, count: size });
  }
  return slots;
}

function note(candidate: Candidate | undefined, index: PrimExpr): void {
  if (candidate === undefined) return;
  if (index.kind === "int") return;
  const constant = index.kind === "ramp" && index.base.kind === "int" && index.stride.kind === "int";
  if (!constant) {
    candidate.promotable = false;
    return;
  }
  const whole =
    Number(index.stride.kind === "int" ? index.stride.value : 0) === 1 &&
    candidate.width > 0 &&
    Number(index.base.kind === "int" ? index.base.value : 0) % candidate.width === 0 &&
    index.lanes >= candidate.width;
  if (whole) candidate.vector = true;
}
