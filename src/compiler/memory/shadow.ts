// Shadow memory: which tensor's bytes a storage holds, while a plan is walked in the order in which it runs.
// A read asks for the tensor that was meant for it; another one there, or none, is a problem of the plan.
// Tensors begin at the start of their storage, so whoever wrote there last holds it. Tensors and storages are
// numbers or texts here.  TVM has no counterpart.

export interface Access<S extends number | string> {
  readonly storage: S;
  readonly tensor: number;
  readonly bytes: number;
}

export interface Shadow<S extends number | string> {
  /** Tensor whose bytes are at the start of each storage. */
  held: Map<S, number>;
  readonly problems: string[];
}

export function shadowMemory<S extends number | string>(): Shadow<S> {
  return { held: new Map(), problems: [] };
}

/** `what` reads a tensor. */
export function shadowRead<S extends number | string>(
  { held, problems }: Shadow<S>,
  { storage, tensor, bytes }: Access<S>,
  what: string,
): void {
  const there = held.get(storage);
  if (bytes > 0 && there !== tensor)
    problems.push(
      `${what} reads tensor ${tensor} in ${storage}, where ${there === undefined ? "nothing" : `tensor ${there}`} is`,
    );
}

/** One step: its reads come before its writes, and no write may lie where it reads or writes another. */
export function shadowStep<S extends number | string>(
  shadow: Shadow<S>,
  reads: readonly Access<S>[],
  writes: readonly Access<S>[],
  what: string,
): void {
  for (const read of reads) shadowRead(shadow, read, what);
  const taken = new Set(reads.filter(({ bytes }) => bytes > 0).map(({ storage }) => storage));
  for (const { storage, tensor, bytes } of writes) {
    if (bytes === 0) continue;
    if (taken.has(storage))
      shadow.problems.push(`${what} writes ${storage}, which it reads or writes already`);
    taken.add(storage);
    shadow.held.set(storage, tensor);
  }
}

/**
 * After two branches that started alike: a storage holds what both left there, or what `join` says of the two
 * tensors; else nothing.
 */
export function shadowJoin<S extends number | string>(
  shadow: Shadow<S>,
  then: ReadonlyMap<S, number>,
  join: (then: number, otherwise: number) => number | undefined,
): void {
  const joined = new Map<S, number>();
  for (const [storage, tensor] of shadow.held) {
    const other = then.get(storage);
    const both = other === tensor ? tensor : other === undefined ? undefined : join(other, tensor);
    if (both !== undefined) joined.set(storage, both);
  }
  shadow.held = joined;
}
