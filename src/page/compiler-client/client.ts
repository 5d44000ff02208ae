// The page's side of the compiler worker: newest request wins, a dead or deaf worker is replaced, runs that a dead worker
// kept are compiled again when somebody asks for their views. Nothing here ever rejects.
import type { DiagnosticCode } from "../../compiler/ir/diagnostic-codes.ts";
import * as Comlink from "comlink";
import type { CompilerClient, OpDoc } from "../../protocol/api.ts";
import type { Options } from "../../compiler/options.ts";
import type { CompileReply, CompileRequest, Progress, RunId, Source } from "../../protocol/compile.ts";
import type { RunReply, RunRequest } from "../../protocol/runner.ts";
import type { ShapesReply } from "../../protocol/shapes.ts";
import type { ViewKey, ViewReply } from "../../protocol/views.ts";
import type { CompilerApi, RunBundle } from "../../worker/session.ts";
import type { RunnerApi } from "../../worker/runner.worker.ts";

/** Grace after a cancel before a worker that does not answer is replaced, ms. The caller was answered at once. */
const graceMs = 120;

interface Live<Api> {
  readonly worker: Worker;
  readonly api: Comlink.Remote<Api>;
  /** Resolves with the reason when the worker is gone; never rejects. */
  readonly died: Promise<string>;
  readonly kill: (why: string) => void;
}

function launch<Api>(worker: Worker): Live<Api> {
  let kill = (_why: string): void => {};
  const died = new Promise<string>((resolve) => {
    kill = (why) => {
      worker.terminate();
      resolve(why);
    };
    worker.addEventListener("error", (event) => kill(event.message || "the worker stopped"));
    worker.addEventListener("messageerror", () => kill("a message could not be read"));
  });
  return { worker, api: Comlink.wrap<Api>(worker), died, kill };
}

interface Job {
  readonly request: CompileRequest;
  readonly resolve: (reply: CompileReply) => void;
  answered: boolean;
  /** Times that a worker died under it. */
  deaths: number;
}

function answer(job: Job, reply: CompileReply): void {
  if (job.answered) return;
  job.answered = true;
  job.resolve(reply);
}

export function createWorkerClient(): CompilerClient {
  const progressListeners = new Set<(progress: Progress) => void>();
  const replacedListeners = new Set<(why: string) => void>();
  /** The requests of the last runs that succeeded, to rebuild them in a new worker. */
  const kept = new Map<RunId, CompileRequest>();
  let nextRun: RunId = 1;
  let current: Job | null = null;
  let waiting: Job | null = null;
  let live = launchCompiler();
  let runner: Live<RunnerApi> | null = null;
  /** Runs in the compiler's thread. */
  let dynamicRuns = 0;

  function launchCompiler(): Live<CompilerApi> {
    const next = launch<CompilerApi>(
      new Worker(new URL("../../worker/compiler.worker.ts", import.meta.url), { type: "module" }),
    );
    const channel = new MessageChannel();
    channel.port1.addEventListener("message", (event: MessageEvent<Progress>) => {
      if (event.data.runId === current?.request.runId)
        for (const listener of progressListeners) listener(event.data);
    });
    channel.port1.start();
    void next.api.connectProgress(Comlink.transfer(channel.port2, [channel.port2])).catch(() => {});
    void next.died.then((why) => replace(next, why));
    return next;
  }

  /** A fresh worker takes the place of `dead`; the job under it is tried once more, unless it was cancelled. */
  function replace(dead: Live<CompilerApi>, why: string): void {
    if (dead !== live) return;
    live = launchCompiler();
    for (const listener of replacedListeners) listener(why);
    const job = current;
    current = null;
    if (job !== null && !job.answered) {
      job.deaths++;
      if (job.deaths < 2) waiting ??= job;
      else
        answer(job, {
          status: "crashed",
          runId: job.request.runId,
          message: `The compiler's worker stopped twice: ${why}`,
          repro: reproText(job.request, why),
        });
    }
    startNext();
  }

  function startNext(): void {
    if (current !== null || waiting === null) return;
    const job = waiting;
    waiting = null;
    current = job;
    const worker = live;
    void worker.api.compile(job.request).then(
      (reply) => settle(job, reply),
      (error: unknown) => worker.kill(error instanceof Error ? error.message : String(error)),
    );
  }

  function settle(job: Job, reply: CompileReply): void {
    if (reply.status === "ok" || reply.status === "failed") {
      kept.set(reply.runId, job.request);
      for (const old of [...kept.keys()].slice(0, -2)) kept.delete(old);
    }
    answer(job, reply);
    if (current === job) {
      current = null;
      startNext();
    }
  }

  /** Answers the job under way as cancelled now; the worker gets a moment to notice, else it is replaced. */
  function cancelCurrent(): void {
    const job = current;
    if (job === null) return;
    answer(job, { status: "cancelled", runId: job.request.runId });
    const worker = live;
    void worker.api.cancel(job.request.runId).catch(() => {});
    setTimeout(() => {
      if (current === job && live === worker) worker.kill("cancelled while busy");
    }, graceMs);
  }

  async function ask<T>(run: (api: Comlink.Remote<CompilerApi>) => Promise<T>, ifDead: T): Promise<T> {
    const worker = live;
    try {
      return await Promise.race([run(worker.api), worker.died.then(() => ifDead)]);
    } catch {
      return ifDead;
    }
  }

  /** Compiles a kept run again in a worker that does not know it; true if it is there now. */
  async function restore(runId: RunId): Promise<boolean> {
    const request = kept.get(runId);
    if (request === undefined) return false;
    const reply = await ask<CompileReply | null>((api) => api.compile(request), null);
    return reply !== null && (reply.status === "ok" || reply.status === "failed");
  }

  async function view(runId: RunId, key: ViewKey): Promise<ViewReply> {
    const first = await ask<ViewReply>((api) => api.view(runId, key), { status: "gone" });
    if (first.status !== "gone" || !(await restore(runId))) return first;
    return await ask<ViewReply>((api) => api.view(runId, key), { status: "gone" });
  }

  async function evaluateShapes(
    runId: RunId,
    inputs: Readonly<Record<string, readonly number[]>>,
  ): Promise<ShapesReply> {
    const first = await ask<ShapesReply>((api) => api.evaluateShapes(runId, inputs), { status: "gone" });
    if (first.status !== "gone" || !(await restore(runId))) return first;
    return await ask<ShapesReply>((api) => api.evaluateShapes(runId, inputs), { status: "gone" });
  }

  /** What the runner takes, or the answer itself: a program with unknown dimensions runs where it is compiled. */
  async function askRun(request: RunRequest): Promise<RunBundle | RunReply | null> {
    const bundle = await ask<RunBundle | null>((api) => api.runBundle(request.runId), null);
    if (bundle !== null) return bundle;
    dynamicRuns++;
    const stopped: RunReply = {
      status: "failed",
      runId: request.runId,
      code: "RS6902",
      message: "The run stopped.",
    };
    const reply = await ask<RunReply | null>((api) => api.dynamicRun(request), stopped);
    dynamicRuns--;
    return reply;
  }

  async function run(request: RunRequest): Promise<RunReply> {
    const failed = (code: DiagnosticCode, message: string): RunReply => ({
      status: "failed",
      runId: request.runId,
      code,
      message,
    });
    let found = await askRun(request);
    if (found === null && (await restore(request.runId))) found = await askRun(request);
    if (found !== null && "status" in found) return found;
    if (found === null) return failed("RS6901", "There is no compiled program to run: compile first.");
    const bundle = found;
    runner ??= launch<RunnerApi>(
      new Worker(new URL("../../worker/runner.worker.ts", import.meta.url), { type: "module" }),
    );
    const worker = runner;
    void worker.died.then(() => {
      if (runner === worker) runner = null;
    });
    try {
      return await Promise.race([
        worker.api.run(bundle, request),
        worker.died.then((why) => failed("RS6902", `The run stopped: ${why}.`)),
      ]);
    } catch (error) {
      return failed("RS6903", error instanceof Error ? error.message : String(error));
    }
  }

  return {
    compile(source: Source, options: Options): Promise<CompileReply> {
      return new Promise((resolve) => {
        if (waiting !== null) answer(waiting, { status: "cancelled", runId: waiting.request.runId });
        waiting = { request: { runId: nextRun++, source, options }, resolve, answered: false, deaths: 0 };
        cancelCurrent();
        startNext();
      });
    },
    view,
    run,
    evaluateShapes,
    opDocs: () => ask<readonly OpDoc[]>((api) => api.opDocs(), []),
    cancel(): void {
      if (waiting !== null) answer(waiting, { status: "cancelled", runId: waiting.request.runId });
      waiting = null;
      cancelCurrent();
    },
    cancelRun(): void {
      if (dynamicRuns > 0) live.kill("the run was stopped");
      runner?.kill("stopped by you");
      runner = null;
    },
    onProgress(listener) {
      progressListeners.add(listener);
      return () => progressListeners.delete(listener);
    },
    onWorkerReplaced(listener) {
      replacedListeners.add(listener);
      return () => replacedListeners.delete(listener);
    },
    killWorkerForTest(): void {
      live.kill("killed by a test");
    },
  };
}

function reproText(request: CompileRequest, why: string): string {
  return `${why}\n\noptions: ${JSON.stringify(request.options)}\n\n${request.source.text}`;
}
