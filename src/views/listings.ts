// The listings of one compilation, printed when somebody asks for them, every line with its owner.
import {
  type Compilation,
  aotPlan,
  cModule,
  graphPlan,
  metadataOf,
  wasmModule,
} from "../compiler/compilation.ts";
import { entryFile } from "../compiler/codegen/c/module.ts";
import type { LoweredPrimitive } from "../compiler/executor/plan.ts";
import { ownedBy, type LineOwner } from "../compiler/ir/origin.ts";
import { tensorBytes, type TensorData } from "../compiler/ir/tensor-data.ts";
import { ops } from "../compiler/ops/index.ts";
import { printModule } from "../compiler/relay/text/print.ts";
import { printPrimFunc } from "../compiler/tir/print.ts";
import type { Summary } from "../protocol/compile.ts";
import { sameListing, type ListingId } from "../protocol/listing-id.ts";
import type { Listing } from "../support/text-writer.ts";
import { hasLoops, kernelOfListing, shapeFuncOf } from "./dynamic-program.ts";
import { graphJsonListing } from "./graph-json-listing.ts";
import { cListingId } from "./summarize.ts";

/** null where the compilation did not make what the listing shows. */
export function printListing(
  done: Compilation,
  summary: Pick<Summary, "calls">,
  id: ListingId,
): Listing<LineOwner> | null {
  const aot = aotPlan(done);
  const graph = graphPlan(done);
  const metadata = metadataOf(done);
  switch (id.kind) {
    case "relay":
      return relayListing(done, id.step);
    case "tir": {
      const primitive = done.primitives[id.primitive];
      return primitive === undefined || !hasLoops(primitive) ? null : kernelListing(done, primitive);
    }
    case "schedule":
      return scheduleListing(done, id.primitive);
    case "shape": {
      const shapeFunc = shapeFuncOf(done, id.primitive);
      return shapeFunc === null ? null : printPrimFunc(shapeFunc.forC);
    }
    case "kernel": {
      const kernel = kernelOfListing(done, id);
      return kernel === null ? null : kernelListing(done, kernel);
    }
    case "c-library":
    case "c-header":
    case "c-runtime":
      return cListing(done, id);
    case "aot":
      return aot === null ? null : printPrimFunc(aot.main);
    case "wat":
      return wasmModule(done)?.wat() ?? null;
    case "graph-json":
      return graph === null ? null : graphJsonListing(graph, summary.calls);
    case "metadata":
      return metadata === null ? null : plain(`${JSON.stringify(metadata, null, 2)}\n`);
  }
}

function relayListing(done: Compilation, index: number): Listing<LineOwner> | null {
  const module = index < 0 ? done.parsed : done.trace.steps[index]?.after;
  return module === undefined ? null : printModule(module, { ops, showMeta: false });
}

/** Constants that the page still spells out in lib0, bytes. */
const mostShownBytes = 64 * 1024;

function constantBytes(params: ReadonlyMap<string, TensorData>): number {
  return [...params.values()].reduce((sum, tensor) => sum + tensorBytes(tensor).length, 0);
}

function plain(text: string): Listing<LineOwner> {
  return { text, owners: text.split("\n").map(() => null) };
}

/** null for a schedule that changes nothing. */
function traceListing(
  lines: readonly string[],
  { index, origin }: LoweredPrimitive,
): Listing<LineOwner> | null {
  const owner = ownedBy({ origin, primitive: index });
  return lines.length === 0
    ? null
    : { text: `${lines.join("\n")}\n`, owners: [...lines.map(() => owner), null] };
}

function kernelListing(done: Compilation, { forC, forWasm }: LoweredPrimitive): Listing<LineOwner> {
  return printPrimFunc(done.options.targets[0]?.kind === "wasm" ? forWasm : forC);
}

function scheduleListing(done: Compilation, index: number): Listing<LineOwner> | null {
  const primitive = done.primitives[index];
  if (primitive === undefined || !hasLoops(primitive) || primitive.isCopy || primitive.external !== null)
    return null;
  const engine = done.options.targets[0]?.kind === "wasm" ? "wasm" : "c";
  return traceListing(primitive.scheduleTrace?.(engine) ?? [], primitive);
}

function cListing(done: Compilation, id: ListingId): Listing<LineOwner> | null {
  // lib0 spells out every parameter: too long to look at where there are many, so the page shows it without
  // values.
  const isEntry = id.kind === "c-library" && id.library === 0;
  const aot = isEntry ? aotPlan(done) : null;
  if (aot !== null && constantBytes(aot.params) > mostShownBytes) return entryFile(aot, done.options);
  const c = cModule(done);
  const found = [...(c?.roles ?? [])].find(([, role]) => sameListing(cListingId(role), id));
  return found === undefined ? null : (c?.files.get(found[0]) ?? null);
}
