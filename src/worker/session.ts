// One compiler worker's state: the runs it keeps (the current one and the one before) and what may be asked of them.
// Everything that leaves is text, numbers and typed arrays.
import {
  type Compilation,
  aotPlan,
  cModule,
  graphPlan,
  metadataOf,
  wasmModule,
} from "../compiler/compilation.ts";
import type { OpDoc } from "../protocol/api.ts";
import type { StageId } from "../compiler/options.ts";
import type { CompileReply, CompileRequest, Progress, RunId, Source, Summary } from "../protocol/compile.ts";
import type { RunReply, RunRequest } from "../protocol/runner.ts";
import type { ShapesReply } from "../protocol/shapes.ts";
import { sameListing, type ListingId } from "../protocol/listing-id.ts";
import { viewKeyText } from "../protocol/view-key.ts";
import type { ListingView, ViewKey, ViewReply } from "../protocol/views.ts";
import type { CompileInput } from "../compiler/frontend/read-source.ts";
import { compile, type CompileHost } from "../compiler/compile.ts";
import { entryFile } from "../compiler/codegen/c/module.ts";
import { tensorBytes, type TensorData } from "../compiler/ir/tensor-data.ts";
import { OpPattern } from "../compiler/ir/op.ts";
import { ownedBy, type LineOwner } from "../compiler/ir/origin.ts";
import type { LoweredPrimitive } from "../compiler/executor/plan.ts";
import { lineStarts } from "../compiler/ir/span.ts";
import { ops } from "../compiler/ops/index.ts";
import { printModule } from "../compiler/relay/text/print.ts";
import { printPrimFunc } from "../compiler/tir/print.ts";
import { Cancelled } from "../compiler/trace.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { runBundle, type RunBundle } from "../runtime/bundle.ts";
import type { Listing } from "../support/text-writer.ts";
import { graphJsonListing } from "../views/graph-json-listing.ts";
import { graphView } from "../views/graph-view.ts";
import { memoryView } from "../views/memory-view.ts";
import {
  hasLoops,
  kernelOfListing,
  dynamicGraph,
  dynamicRun,
  shapeFuncOf,
  shapesReply,
} from "../views/dynamic-program.ts";
import { listingView, type OriginCache } from "../views/owners.ts";
import { cListingId, diagnosticViews, summarize } from "../views/summarize.ts";

export type { RunBundle };

export interface CompilerApi {
  readonly compile: (request: CompileRequest) => Promise<CompileReply>;
  readonly view: (runId: RunId, key: ViewKey) => ViewReply;
  readonly runBundle: (runId: RunId) => RunBundle | null;
  readonly evaluateShapes: (runId: RunId, inputs: Readonly<Record<string, readonly number[]>>) => ShapesReply;
  /** Runs a program with unknown dimensions; null for others, and for runs that are not kept. */
  readonly dynamicRun: (request: RunRequest) => RunReply | null;
  readonly opDocs: () => readonly OpDoc[];
  readonly cancel: (runId: RunId) => void;
  readonly connectProgress: (port: MessagePort) => void;
}

interface Run {
  readonly done: Compilation;
  readonly summary: Summary;
  readonly cache: OriginCache;
  readonly views: Map<string, ViewReply>;
}

/** Longest stretch without hearing messages, ms. */
const stretchMs = 8;

/** Resolves in a later macrotask: a promise tick would not let a cancel message in. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener(
      "message",
      () => {
        port1.close();
        resolve();
      },
      { once: true },
    );
    port1.start();
    port2.postMessage(null);
  });
}

export function createSession(): CompilerApi {
  const runs = new Map<RunId, Run>();
  let cancelled: RunId = -1;
  let progressPort: MessagePort | null = null;

  function hostFor(runId: RunId): CompileHost {
    let heard = performance.now();
    let steps = 0;
    return {
      now: () => performance.now(),
      execute: (primitive, args) => runPrimitive(primitive, args),
      async pause(stage: StageId, pass: string): Promise<void> {
        steps++;
        if (performance.now() - heard < stretchMs) return;
        progressPort?.postMessage({ runId, stage, pass, done: steps } satisfies Progress);
        await macrotask();
        heard = performance.now();
        if (cancelled >= runId) throw new Cancelled("cancelled");
      },
    };
  }

  /** Bytes of the files of the last source: read once, however often its options change. */
  let lastFiles = new Map<string, Uint8Array>();

  async function bytesOf(file: Blob, kept: Map<string, Uint8Array>): Promise<Uint8Array> {
    const key = file instanceof File ? `${file.name} ${file.size} ${file.lastModified}` : "";
    const bytes = (key === "" ? undefined : lastFiles.get(key)) ?? new Uint8Array(await file.arrayBuffer());
    if (key !== "") kept.set(key, bytes);
    return bytes;
  }

  async function readInput(source: Source): Promise<CompileInput> {
    if (source.kind === "relay") {
      lastFiles.clear();
      return source;
    }
    const kept = new Map<string, Uint8Array>();
    const files = new Map<string, Uint8Array>();
    for (const { name, file } of source.extra) files.set(name, await bytesOf(file, kept));
    const bytes = await bytesOf(source.file, kept);
    lastFiles = kept;
    return { kind: source.kind, name: source.name, bytes, files };
  }

  async function compileRequest(request: CompileRequest): Promise<CompileReply> {
    const { runId, source, options } = request;
    try {
      const done = await compile(await readInput(source), options, hostFor(runId));
      const cache: OriginCache = new Map();
      const summary = summarize(done, cache);
      runs.set(runId, { done, summary, cache, views: new Map() });
      for (const old of [...runs.keys()].sort((a, b) => a - b).slice(0, -2)) runs.delete(old);
      const failed = done.stoppedAt !== null || done.diagnostics.some((found) => found.severity === "error");
      return {
        status: failed ? "failed" : "ok",
        runId,
        diagnostics: diagnosticViews(done, lineStarts(done.text)),
        summary,
        stoppedAt: done.stoppedAt,
      };
    } catch (error) {
      if (error instanceof Cancelled) return { status: "cancelled", runId };
      const message = error instanceof Error ? error.message : String(error);
      const stack = error instanceof Error ? (error.stack ?? "") : "";
      return {
        status: "crashed",
        runId,
        message,
        repro: `${message}\n${stack}\n\noptions: ${JSON.stringify(options)}\n\n${source.text}`,
      };
    }
  }

  function view(runId: RunId, key: ViewKey): ViewReply {
    const run = runs.get(runId);
    if (run === undefined) return { status: "gone" };
    const name = viewKeyText(key);
    let reply = run.views.get(name);
    if (reply === undefined) {
      reply = makeView(run, key);
      run.views.set(name, reply);
    }
    return reply;
  }

  return {
    compile: compileRequest,
    view,
    runBundle: (runId) => {
      const run = runs.get(runId);
      return run === undefined ? null : runBundle(run.done);
    },
    evaluateShapes: (runId, inputs) => {
      const run = runs.get(runId);
      return run === undefined ? { status: "gone" } : shapesReply(runId, run.done, inputs, run.cache);
    },
    dynamicRun: (request) => {
      const run = runs.get(request.runId);
      return run === undefined ? null : dynamicRun(run.done, request);
    },
    opDocs,
    cancel: (runId) => {
      cancelled = Math.max(cancelled, runId);
    },
    connectProgress: (port) => {
      progressPort = port;
    },
  };
}

function makeView(run: Run, key: ViewKey): ViewReply {
  const { done, summary, cache } = run;
  switch (key.kind) {
    case "graph": {
      const graph =
        done.reached === "dynamic"
          ? dynamicGraph(done.dynamic, summary, cache)
          : graphView(done, summary, cache);
      return graph === null ? { status: "gone" } : { status: "graph", graph };
    }
    case "memory": {
      const memory = memoryView(done, summary);
      return memory === null ? { status: "gone" } : { status: "memory", memory };
    }
    case "wasm":
      return done.reached !== "wasm"
        ? { status: "gone" }
        : { status: "wasm", bytes: new Uint8Array(done.wasm.bytes) };
    case "listing": {
      const listing = render(run, key.id);
      return listing === null ? { status: "gone" } : { status: "listing", listing };
    }
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

function rawListing({ done, summary }: Run, id: ListingId): Listing<LineOwner> | null {
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
  // lib0 spells out every parameter: too long to look at where there are many, so the page shows it without values.
  const isEntry = id.kind === "c-library" && id.library === 0;
  const aot = isEntry ? aotPlan(done) : null;
  if (aot !== null && constantBytes(aot.params) > mostShownBytes) return entryFile(aot, done.options);
  const c = cModule(done);
  const found = [...(c?.roles ?? [])].find(([, role]) => sameListing(cListingId(role), id));
  return found === undefined ? null : (c?.files.get(found[0]) ?? null);
}

function render(run: Run, id: ListingId): ListingView | null {
  const listing = rawListing(run, id);
  return listing === null ? null : listingView(listing, run.cache);
}

function opDocs(): readonly OpDoc[] {
  const patterns = new Map(Object.entries(OpPattern).map(([name, value]) => [value as number, name]));
  return [...ops.values()].map((op) => ({
    name: op.name,
    inputs: op.inputs,
    pattern: patterns.get(op.pattern) ?? "opaque",
    doc: op.doc,
    attrs: Object.entries(op.attrs).map(([name, field]) => ({
      name,
      kind: field.kind,
      doc: field.doc,
      default: field.default === undefined ? null : JSON.stringify(field.default),
    })),
  }));
}
