// Unique names the way TVM makes them: the first `x` stays `x`, the next is `x1` (or `x_1` with separator
// "_").

export interface NameSupply {
  readonly taken: Map<string, number>;
}

export function nameSupply(): NameSupply {
  return { taken: new Map() };
}

/**
 * Returns `base` if it is free, else `base + separator + k` with the least k >= 1 not yet tried, and marks it
 * taken.
 */
export function freshName(supply: NameSupply, base: string, separator = ""): string {
  let count = supply.taken.get(base);
  if (count === undefined) {
    supply.taken.set(base, 0);
    return base;
  }
  let name: string;
  do {
    count++;
    name = `${base}${separator}${count}`;
  } while (supply.taken.has(name));
  supply.taken.set(base, count);
  supply.taken.set(name, 0);
  return name;
}
