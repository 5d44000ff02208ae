// Assertions for bugs of ours. A user's mistake is a Diagnostic (compiler/ir/diagnostic.ts), inside a stage
// thrown as a CompileError.

/**
 * A broken invariant: a bug of ours. It is wrapped with the name of where it stood (compiler/trace.ts); the
 * page shows a card with a repro.
 */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Throws InvariantError unless `condition` holds; `message` says what was expected and what was found. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Closes an exhaustive switch: type-checks only if every kind was handled. */
export function assertNever(value: never, what: string): never {
  throw new InvariantError(`unexpected ${what}: ${String((value as { kind?: unknown }).kind ?? value)}`);
}

/** Element `index` of `list`; throws InvariantError, which names `what` it is, where there is none. */
export function at<T>(list: ArrayLike<T>, index: number, what: string): T {
  const found = list[index];
  if (found === undefined) throw new InvariantError(`no ${what} ${index} among ${list.length}`);
  return found;
}

/** The first element of a list that has one. */
export function first<T>(list: ArrayLike<T>, what: string): T {
  return at(list, 0, what);
}

/** The last element of a list that has one. */
export function last<T>(list: ArrayLike<T>, what: string): T {
  return at(list, list.length - 1, what);
}

/** The element of a list of exactly one. */
export function only<T>(list: ArrayLike<T>, what: string): T {
  if (list.length !== 1) throw new InvariantError(`expected one ${what}, got ${list.length}`);
  return at(list, 0, what);
}

/** The value, where it must be there; `what` names it in the InvariantError. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new InvariantError(`no ${what}`);
  return value;
}

/** What a map holds under a key that it must have. */
export function get<K, V>(map: ReadonlyMap<K, V>, key: K, what: string): V {
  const found = map.get(key);
  if (found === undefined) throw new InvariantError(`no ${what}`);
  return found;
}

/** Pairs of two lists of the same length. */
export function zip<A, B>(left: readonly A[], right: readonly B[], what: string): (readonly [A, B])[] {
  invariant(left.length === right.length, `${what}: ${left.length} against ${right.length}`);
  return left.map((value, i) => [value, right[i] as B] as const);
}

/** `Count` elements of one type. */
export type Tuple<T, Count extends number, Found extends readonly T[] = readonly []> = number extends Count
  ? readonly T[]
  : Found["length"] extends Count
    ? Found
    : Tuple<T, Count, readonly [...Found, T]>;

/**
 * The list, which must have `count` elements, as a tuple to take apart; `what` names the list in the
 * InvariantError.
 */
export function tuple<T, const Count extends number>(
  list: readonly T[],
  count: Count,
  what: string,
): Tuple<T, Count> {
  invariant(list.length === count, `${what}: ${list.length} elements where there must be ${count}`);
  return list as unknown as Tuple<T, Count>;
}
