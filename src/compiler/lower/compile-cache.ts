// A cache of what functions were compiled to: one entry a function and target, structurally equal functions
// share it.
// TVM: src/relay/backend/te_compiler_cache.h (CCacheKey, CCacheValue)
import type { Func } from "../relay/expr.ts";
import { structuralEqual, structuralHash } from "../relay/structural.ts";

export interface CacheEntry<L> {
  readonly func: Func;
  /** The target's kind, "ext_dev" for external functions. */
  readonly target: string;
  readonly lowered: L;
  /** The calls that asked for it. */
  readonly sites: Set<object>;
}

/** What is known of an entry before its function is lowered. */
export interface NewEntry {
  /** Number of entries before it. */
  readonly index: number;
  /** Structural hash of the function. */
  readonly hash: string;
  readonly sites: ReadonlySet<object>;
}

export interface CompileCache<L> {
  /** In order of first lowering. */
  readonly entries: readonly CacheEntry<L>[];
  /**
   * The entry of `func` for `target`; `lower` is asked where there is none, and nothing is kept where it
   * throws.
   */
  readonly entryOf: (func: Func, target: string, lower: (entry: NewEntry) => L) => CacheEntry<L>;
  readonly clear: () => void;
}

export function compileCache<L>(): CompileCache<L> {
  const entries: CacheEntry<L>[] = [];
  const byHash = new Map<string, CacheEntry<L>[]>();
  /** Functions met before, by target and identity: planners ask for each call again. */
  const byFunc = new Map<string, Map<Func, CacheEntry<L>>>();
  const add = (func: Func, target: string, hash: string, lower: (entry: NewEntry) => L): CacheEntry<L> => {
    const sites = new Set<object>();
    const entry = { func, target, sites, lowered: lower({ index: entries.length, hash, sites }) };
    entries.push(entry);
    byHash.set(hash, [...(byHash.get(hash) ?? []), entry]);
    return entry;
  };
  return {
    entries,
    entryOf: (func, target, lower) => {
      const known = byFunc.get(target) ?? new Map<Func, CacheEntry<L>>();
      byFunc.set(target, known);
      const met = known.get(func);
      if (met !== undefined) return met;
      const hash = structuralHash(func);
      const alike = byHash.get(hash)?.find((one) => one.target === target && structuralEqual(one.func, func));
      const entry = alike ?? add(func, target, hash, lower);
      known.set(func, entry);
      return entry;
    },
    clear: () => {
      entries.length = 0;
      byHash.clear();
      byFunc.clear();
    },
  };
}
