// Records whose keys are names out of files and options: a name such as "constructor" finds nothing that
// every object inherits.

/** What `record` itself holds under `key`. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
