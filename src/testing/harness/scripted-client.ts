// A compiler client that plays a script: every state of the page can be reached without a compiler. Tests and
// development only.
import type { CompilerClient, OpDoc } from "../../protocol/api.ts";
import { stageIds, type Options, type StageId } from "../../compiler/options.ts";
import type {
  CompileReply,
  DiagnosticView,
  Progress,
  RunId,
  Source,
  Summary,
} from "../../protocol/compile.ts";
import type { RunReply, RunRequest } from "../../protocol/runner.ts";
import type { ViewKey, ViewReply } from "../../protocol/views.ts";
import { lenetGraph, lenetListing, lenetMemory, lenetMicros, lenetSummary } from "./lenet-run.ts";

/**
 * What the next compilations do. "ok" unless told; a text that holds `!error` or `!crash` always fails so.
 */
export interface Script {
  /** Milliseconds until the reply. */
  delay: number;
  outcome: "ok" | "error" | "crash";
}

export interface ScriptedClient extends CompilerClient {
  readonly script: Script;
  /** Requests so far, oldest first. */
  readonly requests: readonly { readonly source: Source; readonly options: Options }[];
  readonly cancels: { compile: number; run: number };
}

export const exampleError: DiagnosticView = {
  subject: null,
  code: "RS2104",
  severity: "error",
  message: "nn.conv2d: weight and data channels differ",
  line: 19,
  column: 22,
  endLine: 19,
  endColumn: 26,
  expected: "%c2w: Tensor[(16, 6, 5, 5), float32]",
  got: "%c2w: Tensor[(16, 8, 5, 5), float32]",
  because: "%3 is 1×6×14×14 in NCHW, and groups=1",
  hint: "Make the second dimension of %c2w 6.",
  notes: [],
  stage: "types",
};

function failedSummary(text: string): Summary {
  const whole = lenetSummary(text);
  return {
    ...whole,
    totalMs: 4.3,
    steps: [],
    primitives: [],
    calls: [],
    remarks: [],
    listings: whole.listings.slice(0, 1),
    stageMs: {
      ...(Object.fromEntries(stageIds.map((stage) => [stage, 0])) as Record<StageId, number>),
      parse: 3.2,
      types: 1.1,
    },
  };
}

/** The reply where the script or the text asks for a failure; null where it does not. */
function badReply(runId: RunId, text: string, outcome: Script["outcome"]): CompileReply | null {
  if (outcome === "crash" || text.includes("!crash")) {
    return {
      status: "crashed",
      runId,
      message: "InvariantError: no storage for %4",
      repro: `relayscope compile - <<'END'\n${text}\nEND`,
    };
  }
  if (outcome === "error" || text.includes("!error")) {
    return {
      status: "failed",
      runId,
      diagnostics: [exampleError],
      summary: failedSummary(text),
      stoppedAt: "types",
    };
  }
  return null;
}

function viewReply(text: string, key: ViewKey): ViewReply {
  if (key.kind === "graph") return { status: "graph", graph: lenetGraph };
  if (key.kind === "memory") return { status: "memory", memory: lenetMemory };
  if (key.kind === "wasm") return { status: "wasm", bytes: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) };
  const listing = lenetListing(key.id, text);
  return listing === null ? { status: "gone" } : { status: "listing", listing };
}

function runReply(request: RunRequest): RunReply {
  const values = Float32Array.from([
    0.2747, 1.1943e-22, 0.6504, 7.0861e-25, 0.0747, 7.2932e-27, 9.1831e-5, 1.0626e-19, 2.4049e-5, 7.9664e-27,
  ]);
  const micros = lenetMicros.reduce((sum, value) => sum + value, 0);
  return {
    status: "ok",
    runId: request.runId,
    outputs: [{ name: "output", shape: [1, 10], dtype: "float32", values }],
    ms: micros / 1000,
    callMicros: lenetMicros,
  };
}

const opDocs: readonly OpDoc[] = [
  {
    name: "nn.conv2d",
    inputs: ["data", "weight"],
    pattern: "OutEWiseFusable",
    doc: "2-D convolution.",
    attrs: [
      { name: "strides", kind: "ints", default: "[1, 1]", doc: "Step of the window." },
      { name: "padding", kind: "ints", default: "[0, 0]", doc: "Zeros around the data." },
    ],
  },
  { name: "nn.relu", inputs: ["data"], pattern: "ElemWise", doc: "max(x, 0)", attrs: [] },
];

export function createScriptedClient(first: Partial<Script> = {}): ScriptedClient {
  const script: Script = { delay: 0, outcome: "ok", ...first };
  const requests: { source: Source; options: Options }[] = [];
  const cancels = { compile: 0, run: 0 };
  const progressListeners = new Set<(progress: Progress) => void>();
  const replacedListeners = new Set<(why: string) => void>();
  const texts = new Map<RunId, string>();
  let nextRun: RunId = 1;
  let cancelPending: (() => void) | null = null;

  function reply(runId: RunId, text: string, outcome: Script["outcome"]): CompileReply {
    const bad = badReply(runId, text, outcome);
    if (bad !== null) return bad;
    texts.set(runId, text);
    return { status: "ok", runId, diagnostics: [], summary: lenetSummary(text), stoppedAt: null };
  }

  return {
    script,
    requests,
    cancels,
    compile(source, options) {
      requests.push({ source, options });
      cancelPending?.();
      const runId = nextRun++;
      const { delay, outcome } = script;
      return new Promise<CompileReply>((resolve) => {
        stageIds.forEach((stage, done) => {
          for (const listener of progressListeners) listener({ runId, stage, pass: stage, done });
        });
        const timer = setTimeout(() => {
          cancelPending = null;
          resolve(reply(runId, source.text, outcome));
        }, delay);
        cancelPending = () => {
          clearTimeout(timer);
          cancelPending = null;
          resolve({ status: "cancelled", runId });
        };
      });
    },
    view: (runId, key) => {
      const text = texts.get(runId);
      return Promise.resolve(text === undefined ? { status: "gone" } : viewReply(text, key));
    },
    run: (request) => Promise.resolve(runReply(request)),
    evaluateShapes: () => Promise.resolve({ status: "gone" }),
    opDocs: () => Promise.resolve(opDocs),
    cancel() {
      cancels.compile++;
      cancelPending?.();
    },
    cancelRun() {
      cancels.run++;
    },
    onProgress(listener) {
      progressListeners.add(listener);
      return () => progressListeners.delete(listener);
    },
    onWorkerReplaced(listener) {
      replacedListeners.add(listener);
      return () => replacedListeners.delete(listener);
    },
    killWorkerForTest() {
      cancelPending?.();
      for (const listener of replacedListeners) listener("killed by the test");
    },
  };
}
