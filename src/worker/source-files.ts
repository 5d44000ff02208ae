// Reads what the page handed over as files. The bytes of the last source are kept: they are read once,
// however often its options change.
import type { CompileInput } from "../compiler/frontend/read-source.ts";
import type { Source } from "../protocol/compile.ts";

/** What the compiler takes of a source; rejects where a file cannot be read. */
export type ReadSource = (source: Source) => Promise<CompileInput>;

export function createSourceReader(): ReadSource {
  let last = new Map<string, Uint8Array>();

  async function bytesOf(file: Blob, kept: Map<string, Uint8Array>): Promise<Uint8Array> {
    const key = file instanceof File ? `${file.name} ${file.size} ${file.lastModified}` : "";
    const bytes = (key === "" ? undefined : last.get(key)) ?? new Uint8Array(await file.arrayBuffer());
    if (key !== "") kept.set(key, bytes);
    return bytes;
  }

  return async (source) => {
    if (source.kind === "relay") {
      last.clear();
      return source;
    }
    const kept = new Map<string, Uint8Array>();
    const files = new Map<string, Uint8Array>();
    for (const { name, file } of source.extra) files.set(name, await bytesOf(file, kept));
    const bytes = await bytesOf(source.file, kept);
    last = kept;
    return { kind: source.kind, name: source.name, bytes, files };
  };
}
