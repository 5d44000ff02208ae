/** A wrong word of the command line, or a file that cannot be read: exit 2, never a guess. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
