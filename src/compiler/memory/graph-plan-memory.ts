// GraphPlanMemory: storage tokens with reference counts; a step's result takes a free token of similar size
// or a new one.
// TVM: src/relay/backend/graph_plan_memory.cc (StorageAllocaInit counts, StorageAllocator plans)
import { at, only } from "../../support/assert.ts";
import {
  insertEntry,
  lowerBound,
  removeAt,
  sortedMultimap,
  upperBound,
  type SortedMultimap,
} from "../../support/sorted-multimap.ts";
import type { Origin } from "../ir/origin.ts";
import { remark, type Remark } from "../ir/remark.ts";

/** A free token serves a request down to a sixteenth and up to sixteen times of its size. */
const matchRange = 16;

/**
 * What makes tensors, in the order in which it runs. Tensors are numbered in the order in which steps make
 * them.
 */
export interface StorageStep {
  /**
   * "keep": parameters and constants, whose storage is never shared; "alias": the one result is the bytes of
   * the one read.
   */
  readonly kind: "keep" | "compute" | "alias";
  /** As remarks call it. */
  readonly name: string;
  readonly origin: Origin;
  /** Tensors. */
  readonly reads: readonly number[];
  readonly makes: readonly { readonly bytes: number; readonly device: number }[];
}

/** Something that holds tensors one after the other. */
export interface Storage {
  /** In the end: as many as the largest of its tensors asked for. */
  readonly bytes: number;
  /** DLDeviceType. */
  readonly device: number;
}

interface StoragePlan {
  /** Storage id of each tensor. */
  readonly storageOf: readonly number[];
  /** By storage id. */
  readonly storages: readonly Storage[];
}

interface StorageToken extends Storage {
  readonly sid: number;
  bytes: number;
  references: number;
}

interface Planner {
  /** How often each tensor is read. */
  readonly counts: readonly number[];
  readonly tokens: StorageToken[];
  readonly tokenOf: StorageToken[];
  readonly free: SortedMultimap<StorageToken>;
  readonly remarks: Remark[];
}

/**
 * Plans the storage of all tensors; `results` are tensors that the caller reads. Decisions are appended to
 * `remarks`.
 */
export function planGraphMemory(
  steps: readonly StorageStep[],
  results: readonly number[],
  remarks: Remark[],
): StoragePlan {
  const planner: Planner = {
    counts: countReads(steps, results),
    tokens: [],
    tokenOf: [],
    free: sortedMultimap(),
    remarks,
  };
  for (const step of steps) {
    if (step.kind === "keep") keep(planner, step);
    else planResults(planner, step);
  }
  return {
    storageOf: planner.tokenOf.map((token) => token.sid),
    storages: planner.tokens.map(({ bytes, device }) => ({ bytes, device })),
  };
}

/** How often each tensor is read: once a read it is, once more a result it is. */
function countReads(steps: readonly StorageStep[], results: readonly number[]): readonly number[] {
  const counts = steps.flatMap((step) => step.makes.map(() => 0));
  for (const tensor of [...steps.flatMap((step) => step.reads), ...results]) counts[tensor]!++;
  return counts;
}

/** One reference more than there are reads: the token is never free. */
function keep(planner: Planner, step: StorageStep): void {
  for (const { bytes, device } of step.makes) {
    const reads = at(planner.counts, planner.tokenOf.length, "tensor");
    planner.tokenOf.push(newToken(planner, bytes, reads + 1, device));
  }
}

function planResults(planner: Planner, step: StorageStep): void {
  const { counts, tokenOf } = planner;
  const first = tokenOf.length;
  const readTokens = step.reads.map((tensor) => at(tokenOf, tensor, "tensor"));
  if (step.kind === "alias") {
    const token = only(readTokens, "argument of a reshape");
    token.references += at(counts, first, "tensor");
    tokenOf.push(token);
    planner.remarks.push(
      remark(
        "GraphPlanMemory",
        "memory.alias",
        `${step.name} only changes the shape: storage ${token.sid} is handed on`,
        { origin: step.origin, facts: { sid: token.sid } },
      ),
    );
  } else
    step.makes.forEach((made, i) =>
      tokenOf.push(request(planner, step, made, at(counts, first + i, "tensor"))),
    );
  for (const token of tokenOf.slice(first)) releaseIfUnread(planner, token);
  for (const token of readTokens) {
    token.references--;
    releaseIfUnread(planner, token);
  }
}

function request(
  planner: Planner,
  { name, origin }: StorageStep,
  { bytes, device }: Storage,
  references: number,
): StorageToken {
  const { free } = planner;
  const begin = lowerBound(free, Math.floor(bytes / matchRange));
  const mid = lowerBound(free, bytes);
  const end = upperBound(free, bytes * matchRange);
  const reused = fitting(free, begin, mid, end, device);
  if (reused < 0) {
    const token = newToken(planner, bytes, references, device);
    planner.remarks.push(
      remark(
        "GraphPlanMemory",
        "memory.new",
        `${name} gets storage ${token.sid} of its own, ${bytes} bytes: ${whyNew(free.entries.length)}`,
        { origin, facts: { sid: token.sid, bytes, free: free.entries.length } },
      ),
    );
    return token;
  }
  const token = removeAt(free, reused);
  const grown = Math.max(0, bytes - token.bytes);
  token.bytes = Math.max(bytes, token.bytes);
  token.references = references;
  const slack = token.bytes - bytes;
  planner.remarks.push(
    remark(
      "GraphPlanMemory",
      "memory.reused",
      `${name} (${bytes} bytes) takes over storage ${token.sid} (${token.bytes} bytes held, ${slack} slack)`,
      { origin, facts: { sid: token.sid, bytes, held: token.bytes, slack, grown } },
    ),
  );
  return token;
}

/** Why nothing was taken over. */
function whyNew(free: number): string {
  if (free === 0) return "no storage is free";
  return free === 1
    ? "the one that is free is of another size or device"
    : `the ${free} that are free are of other sizes or devices`;
}

/**
 * The smallest free token on `device` that is large enough, else the largest that is too small, which then
 * grows; -1 for none.
 */
function fitting(
  free: SortedMultimap<StorageToken>,
  begin: number,
  mid: number,
  end: number,
  device: number,
): number {
  for (let i = mid; i < end; i++) if (free.entries[i]!.value.device === device) return i;
  for (let i = mid - 1; i >= begin; i--) if (free.entries[i]!.value.device === device) return i;
  return -1;
}

function newToken(planner: Planner, bytes: number, references: number, device: number): StorageToken {
  const token: StorageToken = { sid: planner.tokens.length, device, bytes, references };
  planner.tokens.push(token);
  return token;
}

function releaseIfUnread(planner: Planner, token: StorageToken): void {
  if (token.references === 0) insertEntry(planner.free, token.bytes, token);
}
