// The front ends behind one door: Relay text is parsed, model files are imported; both give a module whose
// origins lead to source nodes. An imported model's source nodes lie in the Relay text that is printed from
// it.
import { ops } from "../ops/index.ts";
import { expandOrigin } from "../ir/origin.ts";
import { lineStarts } from "../ir/span.ts";
import { inferTypeOnce } from "../relay/passes/infer-type/infer-type-once.ts";
import type { RelayContext } from "../relay/op.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { checkNesting } from "../relay/nesting.ts";
import { emptyModule, type IRModule } from "../relay/module.ts";
import { parseRelay, type SourceTable } from "../relay/text/parse.ts";
import { printModule, type RelayLineOwner } from "../relay/text/print.ts";
import type { Listing } from "../../support/text-writer.ts";
import type { FileNode, Imported, ModelFacts, ModelFile } from "./model-file.ts";
import { bindParameters, fixShapes } from "./bind.ts";
import { fileFacts } from "./file-facts.ts";
import { valuesByMainName, withMainNames } from "./input-names.ts";
import { importOnnx } from "./onnx/import.ts";
import { importTflite } from "./tflite/import.ts";

export type CompileInput =
  | { readonly kind: "relay"; readonly text: string; readonly name: string }
  | ({ readonly kind: "onnx" | "tflite" } & ModelFile);

export interface FrontEnd {
  readonly sources: SourceTable;
  readonly seededConstants: number;
  /** The Relay text that spans refer to: the user's own, or the one printed from the imported model. */
  readonly text: string;
  readonly facts: ModelFacts | null;
  /** What the file calls the results of main, in order; none of Relay text. */
  readonly outputNames: readonly string[];
}

interface ReadSource extends FrontEnd {
  readonly module: IRModule;
}

/**
 * Reads any source. A text with mistakes still gives what could be read, a file that an importer refused its
 * facts. `binds` are values of parameters of main: bound here, so that shapes and branches of an imported
 * model that depend on them settle.
 */
export function readSource(
  input: CompileInput,
  binds: ReadonlyMap<string, TensorData>,
  cx: RelayContext,
): ReadSource {
  if (input.kind === "relay") {
    const parsed = parseRelay(input.text, cx);
    const read = {
      sources: parsed.sources,
      seededConstants: parsed.seededConstants,
      text: input.text,
      facts: null,
      outputNames: [],
    };
    if (parsed.hasErrors) return { ...read, module: parsed.module };
    checkNesting(parsed.module);
    return { ...read, module: bindParameters(fixShapes(parsed.module, cx), binds, cx) };
  }
  const imported = input.kind === "onnx" ? importOnnx(input, cx, binds) : importTflite(input, cx);
  if (imported === null)
    return {
      module: emptyModule,
      sources: { nodes: [] },
      seededConstants: 0,
      text: "",
      facts: fileFacts(input.kind, input),
      outputNames: [],
    };
  // Values are in an ONNX model already; what is left to bind is what the fill rule gives.
  const isOnnx = input.kind === "onnx";
  const named = withMainNames(imported.names, cx.options);
  const options = isOnnx ? { ...named, bindValues: {} } : named;
  const values = isOnnx ? new Map<string, TensorData>() : valuesByMainName(imported.names, binds);
  return located({ ...imported, module: bindParameters(imported.module, values, { ...cx, options }) }, cx);
}

/** Prints the typed module and gives each file node the lines that it became. */
function located(imported: Imported, cx: RelayContext): ReadSource {
  const module = inferTypeOnce.run(imported.module, cx);
  const listing = printModule(module, { ops, showMeta: false });
  return {
    module,
    sources: { nodes: spans(imported.nodes, listing) },
    seededConstants: 0,
    text: listing.text,
    facts: imported.facts,
    outputNames: imported.outputNames,
  };
}

function spans(nodes: readonly FileNode[], listing: Listing<RelayLineOwner>): SourceTable["nodes"] {
  const starts = lineStarts(listing.text);
  const found = nodes.map((node) => ({ name: node.name, op: node.op, local: "", first: -1, last: -1 }));
  listing.owners.forEach((owner, line) => {
    for (const id of owner?.origin == null ? [] : expandOrigin(owner.origin)) {
      const node = found[id];
      if (node === undefined) continue;
      if (node.first < 0) node.first = line;
      node.last = line;
      node.local = owner?.binds ?? "";
    }
  });
  const end = (line: number): number => (starts[line + 1] ?? listing.text.length + 1) - 1;
  return found.map(({ name, op, local, first, last }) => ({
    name,
    op,
    local,
    span: first < 0 ? { start: 0, end: 0 } : { start: starts[first]!, end: end(last) },
  }));
}
