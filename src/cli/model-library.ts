// The files of a Model Library Format archive.  TVM: python/tvm/micro/model_library_format.py
import type { Compilation } from "../compiler/compile.ts";
import { serializeParams } from "../compiler/executor/param-dict.ts";
import { safeModName } from "../compiler/lower/prim-func-name.ts";
import { printRelay } from "./compile-json.ts";

/** [path in the archive, bytes], in TVM's layout. Needs a compilation that reached C. */
export function modelLibraryFiles(done: Compilation): readonly (readonly [string, Uint8Array])[] {
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const mod = done.options.modName;
  const sources = [...(done.c?.files ?? [])].map(([name, listing]) => [`./codegen/host/${name.endsWith(".h") ? "include" : "src"}/${name}`, utf8(listing.text)] as const);
  const params = done.aot?.ok === true ? done.aot.value.params : done.graph?.ok === true ? done.graph.value.params : new Map();
  const metadata = {
    version: 5, model_name: mod, export_datetime: "1970-01-01 00:00:00Z", memory: done.metadata,
    target: Object.fromEntries(done.options.targets.map((target) => [String(target.device), target.kind])),
    executors: [done.options.executor], style: "full-model",
  };
  return [
    ...sources,
    ["./metadata.json", utf8(`${JSON.stringify(metadata, null, 2)}\n`)],
    [`./parameters/${safeModName(mod)}.params`, serializeParams(params)],
    ["./src/relay.txt", utf8(printRelay(done.trace.steps[0]?.before ?? done.parsed))],
  ];
}
