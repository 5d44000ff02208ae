// The one selection model of all panes: an entity (a source node, a primitive, a call or a storage) resolves
// through the compile summary to the sets that every pane lights, and a line is lit if the owner row of its
// listing meets them. Pure; memoised by (summary, entity). No text is parsed.
import type { CallArg } from "../../protocol/call-arg.ts";
import type { CallView, OwnerTable, Summary } from "../../protocol/compile.ts";

export type EntityKind = "source" | "primitive" | "call" | "sid";

export interface Entity {
  readonly kind: EntityKind;
  /** SourceId, index of the primitive, index of the call, or number of the storage id. */
  readonly id: number;
}

/** What is lit. `primary` is what was pointed at: its own rows are `hit`, the rest is the extent. */
export interface Lit {
  readonly primary: Entity;
  readonly sources: ReadonlySet<number>;
  readonly primitives: ReadonlySet<number>;
  readonly calls: ReadonlySet<number>;
  readonly sids: ReadonlySet<number>;
}

export function sameEntity(a: Entity | null, b: Entity | null): boolean {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.id === b.id);
}

function sidsOf(args: readonly CallArg[]): number[] {
  return args.flatMap((arg) => (arg.kind === "sid" ? [arg.sid] : []));
}

/** Storages that a call writes. */
export function outputSids(call: Pick<CallView, "args" | "inputCount">): number[] {
  return sidsOf(call.args.slice(call.inputCount));
}

/** Storages that a call reads. */
export function inputSids(call: CallView): number[] {
  return sidsOf(call.args.slice(0, call.inputCount));
}

interface Joins {
  readonly sourceCalls: ReadonlyMap<number, ReadonlySet<number>>;
  readonly sourcePrimitives: ReadonlyMap<number, ReadonlySet<number>>;
  readonly sidCalls: ReadonlyMap<number, ReadonlySet<number>>;
  readonly memo: Map<string, Lit>;
}

const joinsOf = new WeakMap<Summary, Joins>();

function put(map: Map<number, Set<number>>, key: number, value: number): void {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
}

function joinsFor(summary: Summary): Joins {
  const known = joinsOf.get(summary);
  if (known) return known;
  const sourceCalls = new Map<number, Set<number>>();
  const sourcePrimitives = new Map<number, Set<number>>();
  const sidCalls = new Map<number, Set<number>>();
  for (const primitive of summary.primitives) {
    for (const op of primitive.ops)
      for (const source of op.sources) put(sourcePrimitives, source, primitive.index);
  }
  for (const call of summary.calls) {
    for (const sid of outputSids(call)) put(sidCalls, sid, call.index);
    for (const source of call.sources) {
      put(sourceCalls, source, call.index);
      if (call.primitive >= 0) put(sourcePrimitives, source, call.primitive);
    }
  }
  const joins: Joins = { sourceCalls, sourcePrimitives, sidCalls, memo: new Map() };
  joinsOf.set(summary, joins);
  return joins;
}

/** Source nodes of a row of a listing's owner table, in order. */
export function rowSources(owners: OwnerTable, row: number): Uint32Array {
  if (row < 0 || row + 1 >= owners.sourceStart.length) return owners.sources.subarray(0, 0);
  return owners.sources.subarray(owners.sourceStart[row], owners.sourceStart[row + 1]);
}

function primitiveSources(summary: Summary, primitive: number): number[] {
  return (summary.primitives[primitive]?.ops ?? []).flatMap((op) => op.sources);
}

/** Calls behind an entity, before anything is widened. */
function callsOf(summary: Summary, joins: Joins, entity: Entity): Set<number> {
  switch (entity.kind) {
    case "call":
      return new Set([entity.id]);
    case "primitive":
      return new Set(summary.primitives[entity.id]?.callSites ?? []);
    case "sid":
      return new Set(joins.sidCalls.get(entity.id) ?? []);
    case "source": {
      const direct = joins.sourceCalls.get(entity.id);
      if (direct) return new Set(direct);
      const through = [...(joins.sourcePrimitives.get(entity.id) ?? [])];
      return new Set(through.flatMap((primitive) => summary.primitives[primitive]?.callSites ?? []));
    }
  }
}

/**
 * Everything that `entity` is: a source lights the calls it ended up in and their primitives and storages; a
 * storage lights the calls that write it; a primitive all its call sites. The same object comes back for the
 * same question.
 */
export function resolveSelection(summary: Summary, entity: Entity): Lit {
  const joins = joinsFor(summary);
  const key = `${entity.kind}:${entity.id}`;
  const known = joins.memo.get(key);
  if (known) return known;
  const calls = callsOf(summary, joins, entity);
  const primitives = new Set<number>();
  const sources = new Set<number>();
  const sids = new Set<number>();
  if (entity.kind === "primitive") primitives.add(entity.id);
  if (entity.kind === "source") {
    sources.add(entity.id);
    if (calls.size === 0)
      for (const primitive of joins.sourcePrimitives.get(entity.id) ?? []) primitives.add(primitive);
  }
  if (entity.kind === "sid") sids.add(entity.id);
  for (const index of calls) {
    const call = summary.calls[index];
    if (!call) continue;
    if (call.primitive >= 0) primitives.add(call.primitive);
    if (entity.kind !== "sid") for (const sid of outputSids(call)) sids.add(sid);
    const own = call.sources;
    for (const source of own.length > 0 ? own : primitiveSources(summary, call.primitive))
      sources.add(source);
  }
  if (calls.size === 0)
    for (const primitive of primitives)
      for (const source of primitiveSources(summary, primitive)) sources.add(source);
  const lit: Lit = { primary: { kind: entity.kind, id: entity.id }, sources, primitives, calls, sids };
  joins.memo.set(key, lit);
  return lit;
}

/** Call, primitive and storage of a row, -1 for none, and for a row that is not there. */
function rowOwner(
  { call, primitive, storage }: OwnerTable,
  row: number,
): { readonly call: number; readonly primitive: number; readonly storage: number } {
  return { call: call[row] ?? -1, primitive: primitive[row] ?? -1, storage: storage[row] ?? -1 };
}

/** Whether the owner row of a line (lineOwner - 1; -1 = nobody) belongs to what is lit. */
export function lineIsLit(lit: Lit, owners: OwnerTable, row: number): boolean {
  const { call, primitive, storage } = rowOwner(owners, row);
  if (call >= 0) return lit.calls.has(call);
  if (primitive >= 0) return lit.primitives.has(primitive);
  for (const source of rowSources(owners, row)) if (lit.sources.has(source)) return true;
  return storage >= 0 && lit.sids.has(storage);
}

/** Whether the row is of the very thing pointed at, not only of its extent (the stronger wash). */
export function lineIsHit(lit: Lit, owners: OwnerTable, row: number): boolean {
  if (row < 0 || row >= owners.call.length) return false;
  switch (lit.primary.kind) {
    case "source":
      return rowSources(owners, row).includes(lit.primary.id) && lineIsLit(lit, owners, row);
    case "call":
      return owners.call[row] === lit.primary.id;
    case "primitive":
      return owners.primitive[row] === lit.primary.id;
    case "sid":
      return owners.storage[row] === lit.primary.id;
  }
}

/**
 * The entity that pointing at a line means: its call, else primitive, else source, else storage; null for
 * nobody.
 */
export function entityOfRow(owners: OwnerTable, row: number): Entity | null {
  const { call, primitive, storage } = rowOwner(owners, row);
  if (call >= 0) return { kind: "call", id: call };
  if (primitive >= 0) return { kind: "primitive", id: primitive };
  // The last source of a merged row is its sink: what a reader means by the line.
  const sink = rowSources(owners, row).at(-1);
  if (sink !== undefined) return { kind: "source", id: sink };
  return storage >= 0 ? { kind: "sid", id: storage } : null;
}

/** The primitive whose hue a line carries: its own, else that of the first of its sources; -1 = none. */
export function primitiveOfRow(summary: Summary, owners: OwnerTable, row: number): number {
  const { call, primitive: own } = rowOwner(owners, row);
  if (own >= 0) return own;
  if (call >= 0) return summary.calls[call]?.primitive ?? -1;
  for (const source of rowSources(owners, row)) {
    const primitive = primitiveOfSource(summary, source);
    if (primitive >= 0) return primitive;
  }
  return -1;
}

/** The first primitive that a source node ended up in, -1 for none (parameters, constants, folded away). */
export function primitiveOfSource(summary: Summary, source: number): number {
  const found = joinsFor(summary).sourcePrimitives.get(source);
  if (!found) return -1;
  let least = -1;
  for (const primitive of found) if (least < 0 || primitive < least) least = primitive;
  return least;
}

/** The same thing in a newer run, by name and not by number; null when it is gone. */
export function carryEntity(before: Summary, after: Summary, entity: Entity): Entity | null {
  switch (entity.kind) {
    case "source": {
      const old = before.sources[entity.id];
      if (!old) return null;
      const same = (name: string, op: string): boolean => name === old.name && op === old.op;
      const at = after.sources[entity.id];
      if (at && same(at.name, at.op)) return entity;
      const id = old.name === "" ? -1 : after.sources.findIndex((node) => same(node.name, node.op));
      return id < 0 ? null : { kind: "source", id };
    }
    case "primitive": {
      const name = before.primitives[entity.id]?.name;
      const found = after.primitives.find((primitive) => primitive.name === name);
      return found ? { kind: "primitive", id: found.index } : null;
    }
    case "call": {
      const old = before.calls[entity.id];
      if (!old) return null;
      const nth = before.calls.slice(0, entity.id).filter((call) => call.symbol === old.symbol).length;
      const found = after.calls.filter((call) => call.symbol === old.symbol)[nth];
      return found ? { kind: "call", id: found.index } : null;
    }
    case "sid":
      return after.calls.some((call) => outputSids(call).includes(entity.id)) ? entity : null;
  }
}
