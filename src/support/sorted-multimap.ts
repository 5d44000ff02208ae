// An ordered multimap with numeric keys, as C++'s std::multimap: entries of equal keys stay in order of
// insertion. The memory planners walk their free lists through it; those lists are short, so a sorted array
// serves.

interface MultimapEntry<T> {
  readonly key: number;
  readonly value: T;
}

/** Sorted by key, then by order of insertion. */
export interface SortedMultimap<T> {
  readonly entries: MultimapEntry<T>[];
}

export function sortedMultimap<T>(): SortedMultimap<T> {
  return { entries: [] };
}

/** Index of the first entry whose key is not less than `key`. */
export function lowerBound<T>(map: SortedMultimap<T>, key: number): number {
  return search(map, (entry) => entry.key < key);
}

/** Index of the first entry whose key is greater than `key`. */
export function upperBound<T>(map: SortedMultimap<T>, key: number): number {
  return search(map, (entry) => entry.key <= key);
}

export function insertEntry<T>(map: SortedMultimap<T>, key: number, value: T): void {
  map.entries.splice(upperBound(map, key), 0, { key, value });
}

/** Takes out the entry at `index` and returns its value. */
export function removeAt<T>(map: SortedMultimap<T>, index: number): T {
  return map.entries.splice(index, 1)[0]!.value;
}

function search<T>(map: SortedMultimap<T>, before: (entry: MultimapEntry<T>) => boolean): number {
  let low = 0;
  let high = map.entries.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (before(map.entries[mid]!)) low = mid + 1;
    else high = mid;
  }
  return low;
}
