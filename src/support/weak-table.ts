// A table of values that are made once and compared by identity, and that forgets what nobody holds any more:
// interning without memory that grows with every program compiled.

interface WeakTable<V extends object> {
  /** The value under `key`, made by `make` where there is none alive. */
  readonly intern: (key: string, make: () => V) => V;
  /** Entries, dead ones that were not swept yet included. */
  readonly size: () => number;
}

const leastBeforeSweep = 1024;

export function weakTable<V extends object>(): WeakTable<V> {
  const refs = new Map<string, WeakRef<V>>();
  let sweepAt = leastBeforeSweep;

  /**
   * Drops the dead; the next sweep is due when the table has doubled, so that sweeps cost a constant share of
   * what is added.
   */
  function sweep(): void {
    for (const [key, ref] of refs) if (ref.deref() === undefined) refs.delete(key);
    sweepAt = Math.max(leastBeforeSweep, 2 * refs.size);
  }

  return {
    intern(key, make) {
      const known = refs.get(key)?.deref();
      if (known !== undefined) return known;
      if (refs.size >= sweepAt) sweep();
      const made = make();
      refs.set(key, new WeakRef(made));
      return made;
    },
    size: () => refs.size,
  };
}
