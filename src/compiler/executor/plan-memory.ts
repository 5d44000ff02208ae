// GraphPlanMemory: storage tokens with reference counts; a call's result takes a free token of similar size or a new one.
// TVM: src/relay/backend/graph_plan_memory.cc (StorageAllocaInit counts, StorageAllocator plans)
import { invariant } from "../../support/assert.ts";
import {
  insertEntry,
  lowerBound,
  removeAt,
  sortedMultimap,
  upperBound,
  type SortedMultimap,
} from "../../support/sorted-multimap.ts";
import { remark, type Remark } from "../ir/remark.ts";
import type { Call, If } from "../relay/expr.ts";
import { branchReads, tensorTypeBytes, type MainFlow, type Producer, type Value } from "./main-flow.ts";

/** A free token serves a request down to a sixteenth and up to sixteen times of its size. */
const matchRange = 16;

interface StorageToken {
  readonly sid: number;
  readonly device: number;
  bytes: number;
  references: number;
}

export interface GraphMemory {
  /** Storage ids of each producer, one a tensor. */
  readonly sids: ReadonlyMap<Producer, readonly number[]>;
  /** Bytes that each storage id holds in the end. */
  readonly storageBytes: readonly number[];
}

interface Planner {
  readonly flow: MainFlow;
  readonly counts: ReadonlyMap<Producer, number[]>;
  readonly tokens: StorageToken[];
  readonly tokensOf: Map<Producer, readonly StorageToken[]>;
  readonly free: SortedMultimap<StorageToken>;
  readonly remarks: Remark[];
}

/** Plans `flow`: parameters and constants keep their tokens for ever; results share. Decisions are appended to `remarks`. */
export function planMemory(flow: MainFlow, remarks: Remark[]): GraphMemory {
  const planner: Planner = {
    flow,
    counts: countReferences(flow),
    tokens: [],
    tokensOf: new Map(),
    free: sortedMultimap(),
    remarks,
  };
  for (const param of flow.params) keep(planner, param);
  for (const producer of flow.left) {
    if (producer.kind === "call" || producer.kind === "if") planResults(planner, producer);
    else if (producer.kind === "constant") keep(planner, producer);
  }
  const sids = new Map(
    [...planner.tokensOf].map(([producer, tokens]) => [producer, tokens.map((token) => token.sid)] as const),
  );
  return { sids, storageBytes: planner.tokens.map((token) => token.bytes) };
}

/** How often each tensor is read: once an argument it is, once more a result it is. */
function countReferences(flow: MainFlow): Map<Producer, number[]> {
  const counts = new Map<Producer, number[]>(
    [...flow.types].map(([producer, types]) => [producer, types.map(() => 0)]),
  );
  const read = flow.left.flatMap((producer) => readsOf(flow, producer));
  for (const { producer, index } of [...read, ...flow.results]) counts.get(producer)![index]!++;
  return counts;
}

function readsOf(flow: MainFlow, producer: Producer): readonly Value[] {
  if (producer.kind === "call") return flow.calls.get(producer)!.args;
  return producer.kind === "if" ? branchReads(flow.branches.get(producer)!) : [];
}

/** One reference more than there are reads: the token is never free. */
function keep(planner: Planner, producer: Producer): void {
  const types = planner.flow.types.get(producer)!;
  planner.tokensOf.set(
    producer,
    types.map((type, i) =>
      newToken(
        planner,
        tensorTypeBytes(type),
        planner.counts.get(producer)![i]! + 1,
        planner.flow.deviceOf(producer),
      ),
    ),
  );
}

function planResults(planner: Planner, producer: Call | If): void {
  const { flow } = planner;
  const counts = planner.counts.get(producer)!;
  const argTokens = readsOf(flow, producer).map(
    (value) => planner.tokensOf.get(value.producer)![value.index]!,
  );
  if (producer.kind === "call" && flow.calls.get(producer)!.reshapeOnly) {
    invariant(argTokens.length === 1, "a reshape has one argument");
    argTokens[0]!.references += counts[0]!;
    planner.tokensOf.set(producer, [argTokens[0]!]);
    planner.remarks.push(
      remark(
        "GraphPlanMemory",
        "memory.alias",
        `${nameOf(flow, producer)} only changes the shape: storage ${argTokens[0]!.sid} is handed on`,
        { origin: producer.origin, facts: { sid: argTokens[0]!.sid } },
      ),
    );
  } else {
    const types = flow.types.get(producer)!;
    planner.tokensOf.set(
      producer,
      types.map((type, i) => request(planner, producer, tensorTypeBytes(type), counts[i]!)),
    );
  }
  for (const token of planner.tokensOf.get(producer)!) releaseIfUnread(planner, token);
  for (const token of argTokens) {
    token.references--;
    releaseIfUnread(planner, token);
  }
}

function nameOf(flow: MainFlow, producer: Call | If): string {
  return producer.kind === "if" ? "if" : flow.calls.get(producer)!.primitive.name;
}

function request(planner: Planner, producer: Call | If, bytes: number, references: number): StorageToken {
  const { free } = planner;
  const begin = lowerBound(free, Math.floor(bytes / matchRange));
  const mid = lowerBound(free, bytes);
  const end = upperBound(free, bytes * matchRange);
  const device = planner.flow.deviceOf(producer);
  const at = fitting(free, begin, mid, end, device);
  const name = nameOf(planner.flow, producer);
  if (at < 0) {
    const token = newToken(planner, bytes, references, device);
    planner.remarks.push(
      remark(
        "GraphPlanMemory",
        "memory.new",
        `${name} gets storage ${token.sid} of its own, ${bytes} bytes: ${whyNew(free.entries.length)}`,
        { origin: producer.origin, facts: { sid: token.sid, bytes, free: free.entries.length } },
      ),
    );
    return token;
  }
  const token = removeAt(free, at);
  const grown = Math.max(0, bytes - token.bytes);
  token.bytes = Math.max(bytes, token.bytes);
  token.references = references;
  const slack = token.bytes - bytes;
  planner.remarks.push(
    remark(
      "GraphPlanMemory",
      "memory.reused",
      `${name} (${bytes} bytes) takes over storage ${token.sid} (${token.bytes} bytes held, ${slack} slack)`,
      { origin: producer.origin, facts: { sid: token.sid, bytes, held: token.bytes, slack, grown } },
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

/** The smallest free token on `device` that is large enough, else the largest that is too small, which then grows; -1 for none. */
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
