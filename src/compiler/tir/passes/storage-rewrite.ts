// StorageRewrite: a linear scan over a function that lets allocations whose lives do not overlap share one buffer, and
// lifts what is left to the top of the function (or of the parallel loop around it).
// TVM: src/tir/transforms/storage_rewrite.cc (LinearAccessPatternFinder, StoragePlanRewriter)
// The AOT main keeps its thousands of allocations as PrimFunc.allocations; kernels have Allocate statements; both are planned.
// Known difference: buffers here are typed, so two allocations of a kernel share only if their dtype is the same (TVM
// reinterprets the larger one); main's are all int8, as TVM's are. Merging of tagged memory does not apply to our targets.
import { invariant } from "../../../support/assert.ts";
import {
  insertEntry,
  lowerBound,
  removeAt,
  sortedMultimap,
  upperBound,
  type SortedMultimap,
} from "../../../support/sorted-multimap.ts";
import { byteSize } from "../../ir/dtype.ts";
import type { Pass } from "../../ir/pass.ts";
import { remark, type Remark } from "../../ir/remark.ts";
import { allocate, buffer as makeBuffer, constInt, forLoop } from "../build.ts";
import type { Buffer, TirVar } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Stmt } from "../stmt.ts";
import { mapStmt, replaceBuffers } from "../visit.ts";
import { linearAccesses, type AccessSequence } from "./storage-accesses.ts";
import { writesInPlace } from "./storage-in-place.ts";

/** A free block serves a request down to a sixteenth and up to sixteen times of its size. */
const matchRange = 16;

interface StorageEntry {
  /** The variable of the parallel loop that the storage lives in, null for the whole function. */
  readonly attach: TirVar | null;
  /** The requests that this storage serves, in order; the first gives its name. */
  readonly allocs: Buffer[];
  bits: number;
}

interface Plan {
  readonly seq: AccessSequence;
  /** main: memory comes from workspace calls, so small arrays are shared too. */
  readonly runner: boolean;
  readonly free: SortedMultimap<StorageEntry>;
  /** Empty blocks: first come, first served. */
  readonly freeEmpty: StorageEntry[];
  readonly entries: StorageEntry[];
  readonly storageOf: Map<Buffer, StorageEntry>;
  readonly inPlace: Set<Buffer>;
  readonly remarks: Remark[];
}

export interface RewrittenStorage {
  readonly func: PrimFunc;
  /** The buffer that each allocation has become. */
  readonly storageOf: ReadonlyMap<Buffer, Buffer>;
}

export const storageRewrite: Pass<PrimFunc> = {
  name: "StorageRewrite",
  optLevel: 0,
  requires: [],
  run: (f, cx) => rewriteStorage(f, cx.remarks).func,
};

/** StorageRewrite of `f`. */
export function rewriteStorage(f: PrimFunc, remarks: Remark[]): RewrittenStorage {
  const seq = linearAccesses(f);
  if (seq.allocations.size === 0) return { func: f, storageOf: new Map() };
  const plan: Plan = {
    seq,
    runner: f.attrs["runner_function"] === 1,
    free: sortedMultimap(),
    freeEmpty: [],
    entries: [],
    storageOf: new Map(),
    inPlace: new Set(),
    remarks,
  };
  planMemory(plan);
  return rewritten(f, plan);
}

function planMemory(plan: Plan): void {
  let scope: TirVar | null = null;
  plan.seq.entries.forEach(({ stmt }, i) => {
    for (const request of plan.seq.gen[i] ?? []) placeRequest(plan, request, i, scope);
    if (stmt.kind === "for" && stmt.forKind === "parallel") {
      if (scope === null) scope = stmt.variable;
      else if (scope === stmt.variable) {
        forgetScope(plan, scope);
        scope = null;
      }
    }
    for (const done of plan.seq.kill[i] ?? []) if (!plan.inPlace.has(done)) release(plan, done);
  });
}

function placeRequest(plan: Plan, request: Buffer, at: number, scope: TirVar | null): void {
  const found = inPlaceStorage(plan, request, at, scope) ?? findStorage(plan, request, scope);
  const bits = bitsOf(request);
  const entry = found ?? { attach: scope, allocs: [], bits };
  if (found === null) plan.entries.push(entry);
  if (plan.runner) plan.remarks.push(placementRemark(plan, request, entry, bits, at));
  entry.bits = Math.max(entry.bits, bits);
  entry.allocs.push(request);
  plan.storageOf.set(request, entry);
}

function placementRemark(plan: Plan, request: Buffer, entry: StorageEntry, bits: number, at: number): Remark {
  const origin = plan.seq.entries[at]!.stmt.origin;
  const first = entry.allocs[0];
  if (first === undefined) {
    return remark(
      "StorageRewrite",
      "memory.new",
      `${request.name} gets storage of its own, ${bits / 8} bytes: ${whyNew(plan.free.entries.length)}`,
      { origin, facts: { name: request.name, bytes: bits / 8, free: plan.free.entries.length } },
    );
  }
  const held = Math.max(entry.bits, bits) / 8;
  return remark(
    "StorageRewrite",
    "memory.reused",
    `${request.name} (${bits / 8} bytes) takes over the storage of ${first.name} (${held} bytes held, ${held - bits / 8} slack)`,
    {
      origin,
      facts: {
        name: request.name,
        storage: first.name,
        bytes: bits / 8,
        held,
        slack: held - bits / 8,
        grown: Math.max(0, bits - entry.bits) / 8,
      },
    },
  );
}

/** Why nothing was taken over. */
function whyNew(free: number): string {
  if (free === 0) return "no storage is free";
  return free === 1
    ? "the one that is free is of another size or device"
    : `the ${free} that are free are of other sizes or devices`;
}

/** The storage of a buffer that dies in the very statement that first writes `request`, if element by element in place is safe. */
function inPlaceStorage(plan: Plan, request: Buffer, at: number, scope: TirVar | null): StorageEntry | null {
  if (plan.seq.gen[at]!.length > 2) return null;
  const { stmt, pair } = plan.seq.entries[at]!;
  for (const source of plan.seq.kill[at + pair] ?? []) {
    const entry = plan.storageOf.get(source);
    if (
      entry === undefined ||
      plan.inPlace.has(source) ||
      !shareable(plan, request, entry, scope) ||
      entry.bits !== bitsOf(request)
    )
      continue;
    if (!writesInPlace(stmt, request, source)) continue;
    plan.inPlace.add(source);
    return entry;
  }
  return null;
}

function findStorage(plan: Plan, request: Buffer, scope: TirVar | null): StorageEntry | null {
  if (!reusable(plan, request)) return null;
  const bits = bitsOf(request);
  if (bits === 0) {
    const at = plan.freeEmpty.findIndex((entry) => shareable(plan, request, entry, scope));
    return at < 0 ? null : plan.freeEmpty.splice(at, 1)[0]!;
  }
  const { free } = plan;
  const begin = lowerBound(free, Math.floor(bits / matchRange));
  const mid = lowerBound(free, bits);
  const end = upperBound(free, bits * matchRange);
  for (let i = mid; i < end; i++)
    if (shareable(plan, request, free.entries[i]!.value, scope)) return removeAt(free, i);
  for (let i = mid - 1; i >= begin; i--)
    if (shareable(plan, request, free.entries[i]!.value, scope)) return removeAt(free, i);
  return null;
}

function shareable(plan: Plan, request: Buffer, entry: StorageEntry, scope: TirVar | null): boolean {
  const first = entry.allocs[0]!;
  if (
    entry.attach !== scope ||
    first.scope !== request.scope ||
    first.storage?.device !== request.storage?.device ||
    first.dtype !== request.dtype
  )
    return false;
  return plan.runner || (flat(first) && flat(request));
}

/**
 * Local arrays and those of at most 32 bits become registers: sharing them would only tie the compiler's hands. Sizes that
 * are not known when compiling are not compared.
 */
function reusable(plan: Plan, request: Buffer): boolean {
  if (request.shape.some((dim) => dim.kind !== "int")) return false;
  if (plan.runner) return true;
  if (request.scope === "local") return false;
  const bits = bitsOf(request);
  return bits === 0 || bits > 32;
}

function release(plan: Plan, done: Buffer): void {
  const entry = plan.storageOf.get(done);
  invariant(entry !== undefined, `${done.name} dies before it is placed`);
  if (!reusable(plan, entry.allocs[0]!)) return;
  if (entry.bits === 0) plan.freeEmpty.push(entry);
  else insertEntry(plan.free, entry.bits, entry);
}

function forgetScope(plan: Plan, scope: TirVar): void {
  const kept = plan.free.entries.filter((entry) => entry.value.attach !== scope);
  plan.free.entries.splice(0, plan.free.entries.length, ...kept);
  const empty = plan.freeEmpty.filter((entry) => entry.attach !== scope);
  plan.freeEmpty.splice(0, plan.freeEmpty.length, ...empty);
}

function flat(of: Buffer): boolean {
  return of.shape.length === 1;
}

/** Size in bits, 0 where a dimension is not constant. */
function bitsOf(of: Buffer): number {
  return of.shape.reduce((n, dim) => n * (constInt(dim) ?? 0), byteSize(of.dtype) * 8);
}

function rewritten(f: PrimFunc, plan: Plan): RewrittenStorage {
  const storage = new Map<StorageEntry, Buffer>(plan.entries.map((entry) => [entry, bufferOf(entry)]));
  const storageOf = new Map([...plan.storageOf].map(([request, entry]) => [request, storage.get(entry)!]));
  const replaced = new Map([...storageOf].filter(([request, into]) => into !== request));
  // The runner keeps all of its storage on the function: branches of it included.
  const listed = new Set(plan.runner ? plan.storageOf.keys() : f.allocations);
  const inStatements = (attach: TirVar | null): Buffer[] =>
    plan.entries
      .filter((entry) => entry.attach === attach && !listed.has(entry.allocs[0]!))
      .map((entry) => storage.get(entry)!);
  const wrap = (buffers: readonly Buffer[], body: Stmt): Stmt =>
    buffers.reduceRight((inner, of) => allocate(of, inner, inner.origin), body);
  const moved = mapStmt(replaceBuffers(f.body, replaced), (stmt) => {
    if (stmt.kind === "allocate") return stmt.body;
    if (stmt.kind !== "for" || stmt.forKind !== "parallel") return stmt;
    const inside = inStatements(stmt.variable);
    return inside.length === 0
      ? stmt
      : forLoop(
          stmt.variable,
          { min: stmt.min, extent: stmt.extent, forKind: stmt.forKind },
          wrap(inside, stmt.body),
          stmt.origin,
        );
  });
  const allocations = plan.entries
    .filter((entry) => listed.has(entry.allocs[0]!))
    .map((entry) => storage.get(entry)!);
  return { func: { ...f, allocations, body: wrap(inStatements(null), moved) }, storageOf };
}

/** The buffer of a storage: its first request's, grown to the largest of all. */
function bufferOf(entry: StorageEntry): Buffer {
  const first = entry.allocs[0]!;
  if (entry.allocs.length === 1 || bitsOf(first) === entry.bits) return first;
  return makeBuffer(
    first.name,
    first.dtype,
    [entry.bits / 8 / byteSize(first.dtype)],
    first.scope,
    first.storage,
  );
}
