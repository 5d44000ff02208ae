// The files of a Model Library Format archive.  TVM: python/tvm/micro/model_library_format.py
import { type Compilation, aotPlan, cModule, graphPlan, metadataOf } from "../compiler/compilation.ts";
import { emitC } from "../compiler/codegen/c/module.ts";
import { graphJson } from "../compiler/executor/graph-json.ts";
import { serializeParams } from "../compiler/executor/param-dict.ts";
import { idSource } from "../compiler/ir/ids.ts";
import { safeModName } from "../compiler/lower/prim-func-name.ts";
import { ops } from "../compiler/ops/index.ts";
import { inferType } from "../compiler/relay/passes/infer-type/infer-type.ts";
import { parseRelay } from "../compiler/relay/text/parse.ts";
import { printRelay, typedText } from "./compile-json.ts";

/**
 * [path in the archive, bytes], in TVM's layout, for the executor that the options ask for: with AOT the
 * runner and the header of the C interface, with the graph executor kernels and graph.json. Needs a
 * compilation that reached C.
 */
export function modelLibraryFiles(done: Compilation): readonly (readonly [string, Uint8Array])[] {
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const mod = safeModName(done.options.modName);
  const aot = aotPlan(done);
  const graph = done.options.executor === "graph" || aot === null ? graphPlan(done) : null;
  const code =
    graph === null ? cModule(done) : emitC({ primitives: done.primitives, aot: null, options: done.options });
  const sources = [...(code?.files ?? [])].map(
    ([name, listing]) =>
      [
        `./codegen/host/${code?.roles.get(name)?.kind === "library" ? "src" : "include"}/${name}`,
        utf8(listing.text),
      ] as const,
  );
  const params = graph?.params ?? aot?.params ?? new Map();
  const metadata = {
    version: 5,
    model_name: done.options.modName,
    export_datetime: "1970-01-01 00:00:00Z",
    memory: metadataOf(done),
    target: Object.fromEntries(done.options.targets.map((target) => [String(target.device), target.kind])),
    executors: [graph === null ? "aot" : "graph"],
    style: "full-model",
  };
  return [
    ...sources,
    ...(graph === null
      ? []
      : [
          [
            "./executor-config/graph/graph.json",
            utf8(`${JSON.stringify(graphJson(graph), null, 2)}\n`),
          ] as const,
        ]),
    ["./metadata.json", utf8(`${JSON.stringify(metadata, null, 2)}\n`)],
    [`./parameters/${mod}.params`, serializeParams(params)],
    ["./src/relay.txt", utf8(programText(done))],
  ];
}

/** The program as printed, before parameters were bound. */
function programText(done: Compilation): string {
  if (done.source.kind !== "relay") return typedText(done) ?? done.text;
  const cx = {
    ids: idSource(),
    ops,
    options: done.options,
    verify: "never" as const,
    diagnostics: [],
    remarks: [],
    evaluate: null,
  };
  return printRelay(inferType.run(parseRelay(done.text, cx).module, cx));
}
