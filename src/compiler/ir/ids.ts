// Node ids come from the compilation, not from a module global, so that goldens do not depend on the order of
// tests.

/** Branded so that an index is not passed where a node id is meant. */
export type NodeId = number & { readonly __nodeId: unique symbol };

export interface IdSource {
  next: number;
}

export function idSource(first = 0): IdSource {
  return { next: first };
}

export function freshId(ids: IdSource): NodeId {
  return ids.next++ as NodeId;
}
