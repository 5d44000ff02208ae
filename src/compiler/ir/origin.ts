// Provenance: which nodes of the user's source something came from. A field of every node of every IR.
// Nodes made from many keep their parents and are expanded when asked for: an eager union over a folded chain
// of 10,000 calls would be quadratic.

/** Index into the compilation's source table (SourceTable), 0-based. */
export type SourceId = number;

export type Origin =
  | { readonly kind: "source"; readonly id: SourceId }
  | { readonly kind: "many"; readonly parents: readonly Origin[] }
  /** Invented by a pass with nothing in the source behind it. */
  | { readonly kind: "synthetic"; readonly by: string };

export function sourceOrigin(id: SourceId): Origin {
  return { kind: "source", id };
}

export function synthetic(by: string): Origin {
  return { kind: "synthetic", by };
}

/** The origin of something made from all of `parents`; one distinct parent stays itself. */
export function mergeOrigins(parents: readonly Origin[]): Origin {
  const distinct = [...new Set(parents)];
  return distinct.length === 1 ? distinct[0]! : { kind: "many", parents: distinct };
}

/** All source nodes behind `origin`, ascending, without duplicates. Iterative: chains may be 10,000 deep. */
export function expandOrigin(origin: Origin): readonly SourceId[] {
  if (origin.kind === "source") return [origin.id];
  const seen = new Set<Origin>([origin]);
  const found = new Set<SourceId>();
  const stack: Origin[] = [origin];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.kind === "source") found.add(top.id);
    else if (top.kind === "many") {
      for (const parent of top.parents) {
        if (seen.has(parent)) continue;
        seen.add(parent);
        stack.push(parent);
      }
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Who made a line of a listing. -1 where a column does not apply. */
export interface LineOwner {
  readonly origin: Origin | null;
  /** Index into Compilation.primitives. */
  readonly primitive: number;
  /** Index of the call in the AOT runner, in order of execution. */
  readonly call: number;
  /** Storage id (the number in `sid_N`). */
  readonly storage: number;
}

export function ownedBy(part: Partial<LineOwner>): LineOwner {
  return {
    origin: part.origin ?? null,
    primitive: part.primitive ?? -1,
    call: part.call ?? -1,
    storage: part.storage ?? -1,
  };
}
