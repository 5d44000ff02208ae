// Assertions for bugs of ours. A user's mistake is never an exception: it is a Diagnostic (compiler/ir/diagnostic.ts).

/** A broken invariant: a bug of ours. The driver wraps it with pass and step, the page shows a card with a repro. */
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
