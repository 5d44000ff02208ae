// StorageRewrite inside a kernel: scratch buffers whose lives do not overlap share one allocation. Looks at
// the statements of the outermost level only; what is allocated inside a loop is small. The AOT main has its
// own (storage-rewrite.ts).
// TVM: src/tir/transforms/storage_rewrite.cc
import { first } from "../../../support/assert.ts";
import type { Pass } from "../../ir/pass.ts";
import { allocateAll, buffer as makeBuffer, constInt, seq } from "../build.ts";
import type { Buffer } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Allocation, Stmt } from "../stmt.ts";
import { replaceBuffers, visitExpr, visitStmt } from "../visit.ts";

export const kernelStorageRewrite: Pass<PrimFunc> = {
  name: "StorageRewrite",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = rewriteBody(f.body);
    return body === f.body ? f : { ...f, body };
  },
};

interface Life {
  readonly buffer: Buffer;
  readonly size: number;
  first: number;
  last: number;
}

interface Slot {
  readonly owner: Buffer;
  size: number;
  last: number;
  readonly holds: Buffer[];
}

function rewriteBody(body: Stmt): Stmt {
  const outermost: Outermost = { lives: new Map(), kept: [], items: [] };
  collect(body, outermost);
  const { lives, kept, items } = outermost;
  if (lives.size < 2) return body;
  items.forEach((item, at) => noteUses(item, at, lives));
  const slots = assignSlots(
    [...lives.values()].filter((life) => life.first >= 0).sort((a, b) => a.first - b.first),
  );
  if (slots.every((slot) => slot.holds.length === 1)) return body;
  const shared = new Map<Buffer, Buffer>();
  const allocations = slots.map((slot) => {
    const { name, dtype, scope, shape } = slot.owner;
    const whole =
      constInt(shape[0]!) === slot.size ? slot.owner : makeBuffer(name, dtype, [slot.size], scope);
    for (const held of slot.holds) if (held !== whole) shared.set(held, whole);
    return { buffer: whole, origin: body.origin };
  });
  const inside = replaceBuffers(seq(items, body.origin), shared);
  return allocateAll([...allocations, ...kept], inside, body.origin);
}

/** What stands at the outermost level. */
interface Outermost {
  /** Allocations that may share. */
  readonly lives: Map<Buffer, Life>;
  /** Allocations that stay as they are: local, or of unknown size. */
  readonly kept: Allocation[];
  /** Statements in order. */
  readonly items: Stmt[];
}

function collect(stmt: Stmt, found: Outermost): void {
  if (stmt.kind === "seq") for (const part of stmt.body) collect(part, found);
  else if (stmt.kind === "allocate") {
    for (const allocation of stmt.allocations) {
      const { buffer } = allocation;
      const size = buffer.shape.length === 1 ? constInt(first(buffer.shape, "dimension")) : null;
      if (buffer.scope !== "global" || size === null) found.kept.push(allocation);
      else found.lives.set(buffer, { buffer, size, first: -1, last: -1 });
    }
    collect(stmt.body, found);
  } else found.items.push(stmt);
}

function noteUses(item: Stmt, at: number, lives: ReadonlyMap<Buffer, Life>): void {
  const use = (of: Buffer): void => {
    const life = lives.get(of);
    if (life === undefined) return;
    if (life.first < 0) life.first = at;
    life.last = at;
  };
  visitStmt(
    item,
    (stmt) => {
      if (stmt.kind === "store") use(stmt.buffer);
    },
    (expr) =>
      visitExpr(expr, (part) => {
        if (part.kind === "load" || part.kind === "buffer-ref") use(part.buffer);
      }),
  );
}

/** First use first; of the slots that are free by then the one nearest in size, of the same dtype. */
function assignSlots(lives: readonly Life[]): readonly Slot[] {
  const slots: Slot[] = [];
  for (const life of lives) {
    const free = slots.filter((slot) => slot.last < life.first && slot.owner.dtype === life.buffer.dtype);
    const best = free.sort((a, b) => Math.abs(a.size - life.size) - Math.abs(b.size - life.size))[0];
    if (best === undefined)
      slots.push({ owner: life.buffer, size: life.size, last: life.last, holds: [life.buffer] });
    else {
      best.size = Math.max(best.size, life.size);
      best.last = life.last;
      best.holds.push(life.buffer);
    }
  }
  return slots;
}
