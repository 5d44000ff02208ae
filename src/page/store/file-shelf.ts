// Model files that a reload should find again: the newest few, in IndexedDB, as the handles that the browser
// gave. A browser that keeps nothing (private mode, quota) costs nothing but the question to drop the file
// again.
import { zip } from "../../support/assert.ts";
import type { OpenedFile } from "./state.ts";

const database = "relayscope";
const shelf = "files";
const mostKept = 3;
/** Larger files are not copied into the browser's storage, bytes. */
const mostKeptBytes = 100_000_000;

interface Kept extends OpenedFile {
  readonly at: number;
}

/** The same file gets the same key, whoever drops it. */
export function fileKey({ file }: OpenedFile, name: string): string {
  return `${name} ${file.size} ${file instanceof File ? file.lastModified : 0}`;
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("storage failed")));
  });
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(database, 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(shelf));
  return await settled(request);
}

async function put(db: IDBDatabase, key: string, kept: Kept): Promise<void> {
  const store = db.transaction(shelf, "readwrite").objectStore(shelf);
  await settled(store.put(kept, key));
  const all: IDBRequest<Kept[]> = store.getAll();
  const [keys, kepts] = await Promise.all([settled(store.getAllKeys()), settled(all)]);
  const old = zip(keys, kepts, "files kept")
    .map(([own, { at }]) => ({ at, key: own }))
    .sort((a, b) => b.at - a.at)
    .slice(mostKept);
  for (const { key: gone } of old) await settled(store.delete(gone));
}

/** Keeps a file; false where it is too large or the browser does not. */
export async function keepFile(key: string, opened: OpenedFile, now: number): Promise<boolean> {
  const bytes = opened.extra.reduce((sum, { file }) => sum + file.size, opened.file.size);
  if (bytes > mostKeptBytes) return false;
  try {
    const db = await open();
    try {
      await put(db, key, { ...opened, at: now });
    } finally {
      db.close();
    }
    return true;
  } catch {
    return false;
  }
}

/** The file kept under `key`, null where there is none any more. */
export async function keptFile(key: string): Promise<OpenedFile | null> {
  try {
    const db = await open();
    try {
      const request: IDBRequest<Kept | undefined> = db.transaction(shelf).objectStore(shelf).get(key);
      const found = await settled(request);
      return found === undefined ? null : { kind: found.kind, file: found.file, extra: found.extra };
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}
