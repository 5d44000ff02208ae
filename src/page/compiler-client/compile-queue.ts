// The compiler's worker and what it compiles: one job under way, at most one waiting, the newest wins. A dead
// or deaf worker is replaced; the job under it is tried once more.
import * as Comlink from "comlink";
import type { CompileReply, CompileRequest, Progress, RunId } from "../../protocol/compile.ts";
import type { CompilerApi } from "../../worker/session.ts";
import { askWorker, createListeners, launch, type Listeners, type Live } from "./live-worker.ts";

/**
 * Grace after a cancel before a worker that does not answer is replaced, ms. The caller was answered at once.
 */
const graceMs = 120;

export interface CompileQueue {
  /**
   * The newest request wins: an older one that is waiting or under way resolves as cancelled. Never rejects.
   */
  readonly compile: (request: CompileRequest) => Promise<CompileReply>;
  readonly cancel: () => void;
  /** Asks the compiler that is there now; `ifDead` where it ends before it answers. */
  readonly ask: <T>(run: (api: Comlink.Remote<CompilerApi>) => Promise<T>, ifDead: T) => Promise<T>;
  /** Compiles a run again whose worker died; true if the compiler that is there now has it. */
  readonly restore: (runId: RunId) => Promise<boolean>;
  /** Ends the compiler as if it had died; another takes its place. */
  readonly kill: (why: string) => void;
  readonly onProgress: Listeners<Progress>["add"];
  readonly onReplaced: Listeners<string>["add"];
}

interface Job {
  readonly request: CompileRequest;
  readonly resolve: (reply: CompileReply) => void;
  answered: boolean;
  /** Times that a worker died under it. */
  deaths: number;
}

interface State {
  live: Live<CompilerApi>;
  current: Job | null;
  waiting: Job | null;
  /** The requests of the last runs that succeeded, to rebuild them in a new worker. */
  readonly kept: Map<RunId, CompileRequest>;
  readonly progress: Listeners<Progress>;
  readonly replaced: Listeners<string>;
}

export function createCompileQueue(): CompileQueue {
  const state: State = {
    live: startCompiler(),
    current: null,
    waiting: null,
    kept: new Map(),
    progress: createListeners(),
    replaced: createListeners(),
  };
  attend(state, state.live);
  const ask: CompileQueue["ask"] = (run, ifDead) => askWorker(state.live, run, ifDead);
  return {
    compile: (request) =>
      new Promise((resolve) => {
        dropWaiting(state);
        state.waiting = { request, resolve, answered: false, deaths: 0 };
        cancelCurrent(state);
        startNext(state);
      }),
    cancel() {
      dropWaiting(state);
      cancelCurrent(state);
    },
    ask,
    async restore(runId) {
      const request = state.kept.get(runId);
      if (request === undefined) return false;
      const reply = await ask<CompileReply | null>((api) => api.compile(request), null);
      return reply !== null && isDone(reply);
    },
    kill: (why) => state.live.kill(why),
    onProgress: state.progress.add,
    onReplaced: state.replaced.add,
  };
}

function startCompiler(): Live<CompilerApi> {
  return launch<CompilerApi>(
    new Worker(new URL("../../worker/compiler.worker.ts", import.meta.url), { type: "module" }),
  );
}

/** Hears the worker's progress and its end. */
function attend(state: State, worker: Live<CompilerApi>): void {
  const channel = new MessageChannel();
  channel.port1.addEventListener("message", (event: MessageEvent<Progress>) => {
    if (event.data.runId === state.current?.request.runId) state.progress.tell(event.data);
  });
  channel.port1.start();
  void worker.api.connectProgress(Comlink.transfer(channel.port2, [channel.port2])).catch(() => {});
  void worker.died.then((why) => replace(state, worker, why));
}

/** A fresh worker takes the place of `dead`; the job under it is tried once more, unless it was cancelled. */
function replace(state: State, dead: Live<CompilerApi>, why: string): void {
  if (dead !== state.live) return;
  state.live = startCompiler();
  attend(state, state.live);
  state.replaced.tell(why);
  const job = state.current;
  state.current = null;
  if (job !== null && !job.answered) {
    job.deaths++;
    if (job.deaths < 2) state.waiting ??= job;
    else
      answer(job, {
        status: "crashed",
        runId: job.request.runId,
        message: `The compiler's worker stopped twice: ${why}`,
        repro: reproText(job.request, why),
      });
  }
  startNext(state);
}

function startNext(state: State): void {
  if (state.current !== null || state.waiting === null) return;
  const job = state.waiting;
  state.waiting = null;
  state.current = job;
  const worker = state.live;
  void worker.api.compile(job.request).then(
    (reply) => settle(state, job, reply),
    (error: unknown) => worker.kill(error instanceof Error ? error.message : String(error)),
  );
}

function settle(state: State, job: Job, reply: CompileReply): void {
  if (isDone(reply)) {
    state.kept.set(reply.runId, job.request);
    for (const old of [...state.kept.keys()].slice(0, -2)) state.kept.delete(old);
  }
  answer(job, reply);
  if (state.current === job) {
    state.current = null;
    startNext(state);
  }
}

/** Answers the job under way as cancelled now; the worker gets a moment to notice, else it is replaced. */
function cancelCurrent(state: State): void {
  const job = state.current;
  if (job === null) return;
  answer(job, { status: "cancelled", runId: job.request.runId });
  const worker = state.live;
  void worker.api.cancel(job.request.runId).catch(() => {});
  setTimeout(() => {
    if (state.current === job && state.live === worker) worker.kill("cancelled while busy");
  }, graceMs);
}

function dropWaiting(state: State): void {
  if (state.waiting !== null)
    answer(state.waiting, { status: "cancelled", runId: state.waiting.request.runId });
  state.waiting = null;
}

function answer(job: Job, reply: CompileReply): void {
  if (job.answered) return;
  job.answered = true;
  job.resolve(reply);
}

function isDone(reply: CompileReply): boolean {
  return reply.status === "ok" || reply.status === "failed";
}

function reproText(request: CompileRequest, why: string): string {
  return `${why}\n\noptions: ${JSON.stringify(request.options)}\n\n${request.source.text}`;
}
