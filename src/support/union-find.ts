// Disjoint sets over 0..n-1, path halving, caller decides which root wins (fusion needs the child to join its
// parent).

export interface UnionFind {
  readonly parent: Int32Array;
}

export function unionFind(size: number): UnionFind {
  const parent = new Int32Array(size);
  for (let i = 0; i < size; i++) parent[i] = i;
  return { parent };
}

/** The representative of `x`. */
export function findRoot(sets: UnionFind, x: number): number {
  const { parent } = sets;
  while (parent[x]! !== x) {
    parent[x] = parent[parent[x]!]!;
    x = parent[x]!;
  }
  return x;
}

/** Makes the set of `child` part of the set of `into`; the root of `into` represents both. */
export function uniteInto(sets: UnionFind, child: number, into: number): void {
  sets.parent[findRoot(sets, child)] = findRoot(sets, into);
}
