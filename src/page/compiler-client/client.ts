// The page's side of the compiler worker: newest request wins, a dead or deaf worker is replaced, runs that a
// dead worker kept are compiled again when somebody asks for their views. Nothing here ever rejects.
import type * as Comlink from "comlink";
import type { CompilerClient, OpDoc } from "../../protocol/api.ts";
import type { RunId } from "../../protocol/compile.ts";
import type { ShapesReply } from "../../protocol/shapes.ts";
import type { ViewReply } from "../../protocol/views.ts";
import type { CompilerApi } from "../../worker/session.ts";
import { createCompileQueue } from "./compile-queue.ts";
import { createRunner } from "./runner.ts";

export function createWorkerClient(): CompilerClient {
  const queue = createCompileQueue();
  const runner = createRunner(queue);
  let nextRun: RunId = 1;

  /** Asks about a run; where the worker does not know it, once more after compiling it again. */
  async function askOfRun<Reply extends ViewReply | ShapesReply>(
    runId: RunId,
    ask: (api: Comlink.Remote<CompilerApi>) => Promise<Reply>,
    gone: Reply,
  ): Promise<Reply> {
    const first = await queue.ask(ask, gone);
    return first.status === "gone" && (await queue.restore(runId)) ? await queue.ask(ask, gone) : first;
  }

  return {
    compile: (source, options) => queue.compile({ runId: nextRun++, source, options }),
    view: (runId, key) => askOfRun<ViewReply>(runId, (api) => api.view(runId, key), { status: "gone" }),
    run: runner.run,
    evaluateShapes: (runId, inputs) =>
      askOfRun<ShapesReply>(runId, (api) => api.evaluateShapes(runId, inputs), { status: "gone" }),
    opDocs: () => queue.ask<readonly OpDoc[]>((api) => api.opDocs(), []),
    cancel: queue.cancel,
    cancelRun: runner.cancel,
    onProgress: queue.onProgress,
    onWorkerReplaced: queue.onReplaced,
    killWorkerForTest: () => queue.kill("killed by a test"),
  };
}
