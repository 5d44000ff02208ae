// One compiler worker's state: the runs it keeps (the current one and the one before) and what may be asked
// of them. Everything that leaves is text, numbers and typed arrays.
import { type Compilation } from "../compiler/compilation.ts";
import { compile } from "../compiler/compile.ts";
import { lineStarts } from "../compiler/ir/span.ts";
import { Cancelled } from "../compiler/trace.ts";
import type { OpDoc } from "../protocol/api.ts";
import type { CompileReply, CompileRequest, RunId, Summary } from "../protocol/compile.ts";
import type { RunReply, RunRequest } from "../protocol/runner.ts";
import type { ShapesReply } from "../protocol/shapes.ts";
import { viewKeyText } from "../protocol/view-key.ts";
import type { ViewKey, ViewReply } from "../protocol/views.ts";
import { runBundle, type RunBundle } from "../runtime/bundle.ts";
import { dynamicGraph, dynamicRun, shapesReply } from "../views/dynamic-program.ts";
import { graphView } from "../views/graph-view.ts";
import { printListing } from "../views/listings.ts";
import { memoryView } from "../views/memory-view.ts";
import { opDocs } from "../views/op-docs.ts";
import { listingView, type OriginCache } from "../views/owners.ts";
import { diagnosticViews, summarize } from "../views/summarize.ts";
import { createPauses, type Pauses } from "./pauses.ts";
import { createSourceReader, type ReadSource } from "./source-files.ts";

export interface CompilerApi {
  readonly compile: (request: CompileRequest) => Promise<CompileReply>;
  readonly view: (runId: RunId, key: ViewKey) => ViewReply;
  readonly runBundle: (runId: RunId) => RunBundle | null;
  readonly evaluateShapes: (runId: RunId, inputs: Readonly<Record<string, readonly number[]>>) => ShapesReply;
  /** Runs a program with dynamic dimensions; null for others, and for runs that are not kept. */
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

type Runs = Map<RunId, Run>;

export function createSession(): CompilerApi {
  const runs: Runs = new Map();
  const pauses = createPauses();
  const read = createSourceReader();
  const ofRun = <T, G>(runId: RunId, answer: (run: Run) => T, gone: G): T | G => {
    const run = runs.get(runId);
    return run === undefined ? gone : answer(run);
  };
  return {
    compile: (request) => compileRequest(request, runs, pauses, read),
    view: (runId, key) => ofRun(runId, (run) => keptView(run, key), { status: "gone" }),
    runBundle: (runId) => ofRun(runId, (run) => runBundle(run.done), null),
    evaluateShapes: (runId, inputs) =>
      ofRun(runId, (run) => shapesReply(runId, run.done, inputs, run.cache), { status: "gone" }),
    dynamicRun: (request) => ofRun(request.runId, (run) => dynamicRun(run.done, request), null),
    opDocs,
    cancel: pauses.cancel,
    connectProgress: pauses.connectProgress,
  };
}

/** Compiles and keeps the run; an error that is no Cancelled is a bug of ours, and the reply says so. */
async function compileRequest(
  request: CompileRequest,
  runs: Runs,
  pauses: Pauses,
  read: ReadSource,
): Promise<CompileReply> {
  const { runId, source, options } = request;
  try {
    const done = await compile(await read(source), options, pauses.hostFor(runId));
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

/** A view is made when it is first asked for. */
function keptView(run: Run, key: ViewKey): ViewReply {
  const name = viewKeyText(key);
  let reply = run.views.get(name);
  if (reply === undefined) {
    reply = makeView(run, key);
    run.views.set(name, reply);
  }
  return reply;
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
      const listing = printListing(done, summary, key.id);
      return listing === null
        ? { status: "gone" }
        : { status: "listing", listing: listingView(listing, cache) };
    }
  }
}
