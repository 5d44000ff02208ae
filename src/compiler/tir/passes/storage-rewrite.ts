// StorageRewrite of the AOT main: a linear scan that lets allocations whose lives do not overlap share one
// buffer, listed on the function from then on, those of branches too. Kernels have a simpler one
// (kernel-storage-rewrite.ts): their schedules leave little.
// TVM: src/tir/transforms/storage_rewrite.cc (LinearAccessPatternFinder, StoragePlanRewriter), which serves
// both
// Left out, since main has neither loops nor stores: allocations attached to parallel loops, and results
// written in place.
import { at, first, get } from "../../../support/assert.ts";
import {
  insertEntry,
  lowerBound,
  removeAt,
  sortedMultimap,
  upperBound,
  type SortedMultimap,
} from "../../../support/sorted-multimap.ts";
import { byteSize } from "../../ir/dtype.ts";
import { remark, type Remark } from "../../ir/remark.ts";
import { buffer as makeBuffer, constInt } from "../build.ts";
import type { Buffer } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import { mapStmt, replaceBuffers } from "../visit.ts";
import { linearAccesses, type AccessSequence } from "./storage-accesses.ts";

/** A free block serves a request down to a sixteenth and up to sixteen times of its size. */
const matchRange = 16;

interface StorageEntry {
  /** The requests that this storage serves, in order; the first gives its name. */
  readonly allocs: Buffer[];
  bits: number;
}

interface Plan {
  readonly seq: AccessSequence;
  readonly free: SortedMultimap<StorageEntry>;
  /** Empty blocks: first come, first served. */
  readonly freeEmpty: StorageEntry[];
  readonly entries: StorageEntry[];
  readonly storageOf: Map<Buffer, StorageEntry>;
  readonly remarks: Remark[];
}

export interface RewrittenStorage {
  readonly func: PrimFunc;
  /** The buffer that each allocation has become. */
  readonly storageOf: ReadonlyMap<Buffer, Buffer>;
}

/** StorageRewrite of `f`. */
export function rewriteStorage(f: PrimFunc, remarks: Remark[]): RewrittenStorage {
  const seq = linearAccesses(f);
  if (seq.allocations.size === 0) return { func: f, storageOf: new Map() };
  const plan: Plan = {
    seq,
    free: sortedMultimap(),
    freeEmpty: [],
    entries: [],
    storageOf: new Map(),
    remarks,
  };
  planMemory(plan);
  return rewritten(f, plan);
}

function planMemory(plan: Plan): void {
  plan.seq.entries.forEach((_, i) => {
    for (const request of plan.seq.gen[i] ?? []) placeRequest(plan, request, i);
    for (const done of plan.seq.kill[i] ?? []) release(plan, done);
  });
}

function placeRequest(plan: Plan, request: Buffer, at: number): void {
  const found = findStorage(plan, request);
  const bits = bitsOf(request);
  const entry = found ?? { allocs: [], bits };
  if (found === null) plan.entries.push(entry);
  plan.remarks.push(placementRemark(plan, request, entry, bits, at));
  entry.bits = Math.max(entry.bits, bits);
  entry.allocs.push(request);
  plan.storageOf.set(request, entry);
}

function placementRemark(
  plan: Plan,
  request: Buffer,
  entry: StorageEntry,
  bits: number,
  step: number,
): Remark {
  const { origin } = at(plan.seq.entries, step, "statement").stmt;
  const owner = entry.allocs[0];
  if (owner === undefined) {
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
    `${request.name} (${bits / 8} bytes) takes over the storage of ${owner.name} (${held} bytes held, ${held - bits / 8} slack)`,
    {
      origin,
      facts: {
        name: request.name,
        storage: owner.name,
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

function findStorage(plan: Plan, request: Buffer): StorageEntry | null {
  const bits = bitsOf(request);
  if (bits === 0) {
    const empty = plan.freeEmpty.findIndex((entry) => shareable(request, entry));
    return empty < 0 ? null : (plan.freeEmpty.splice(empty, 1)[0] ?? null);
  }
  const { free } = plan;
  const begin = lowerBound(free, Math.floor(bits / matchRange));
  const mid = lowerBound(free, bits);
  const end = upperBound(free, bits * matchRange);
  const fits = (index: number): boolean => shareable(request, at(free.entries, index, "free storage").value);
  for (let i = mid; i < end; i++) if (fits(i)) return removeAt(free, i);
  for (let i = mid - 1; i >= begin; i--) if (fits(i)) return removeAt(free, i);
  return null;
}

function shareable(request: Buffer, entry: StorageEntry): boolean {
  const owner = first(entry.allocs, "request");
  return (
    owner.scope === request.scope &&
    owner.storage?.device === request.storage?.device &&
    owner.dtype === request.dtype
  );
}

function release(plan: Plan, done: Buffer): void {
  const entry = get(plan.storageOf, done, `storage of ${done.name}`);
  if (entry.bits === 0) plan.freeEmpty.push(entry);
  else insertEntry(plan.free, entry.bits, entry);
}

/** Size in bits, 0 where a dimension is not constant. */
function bitsOf(of: Buffer): number {
  return of.shape.reduce((n, dim) => n * (constInt(dim) ?? 0), byteSize(of.dtype) * 8);
}

function rewritten(f: PrimFunc, plan: Plan): RewrittenStorage {
  const storage = new Map<StorageEntry, Buffer>(plan.entries.map((entry) => [entry, bufferOf(entry)]));
  const storageOf = new Map(
    [...plan.storageOf].map(([request, entry]) => [request, get(storage, entry, "storage")] as const),
  );
  const replaced = new Map([...storageOf].filter(([request, into]) => into !== request));
  const body = mapStmt(replaceBuffers(f.body, replaced), (stmt) =>
    stmt.kind === "allocate" ? stmt.body : stmt,
  );
  return { func: { ...f, allocations: [...storage.values()], body }, storageOf };
}

/** The buffer of a storage: its first request's, grown to the largest of all. */
function bufferOf(entry: StorageEntry): Buffer {
  const owner = first(entry.allocs, "request");
  if (bitsOf(owner) === entry.bits) return owner;
  const { name, dtype, scope, storage } = owner;
  return makeBuffer(name, dtype, [entry.bits / 8 / byteSize(dtype)], scope, storage);
}
