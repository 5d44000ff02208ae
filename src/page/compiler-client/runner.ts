// Running a compiled model: in a worker of its own that can be killed without losing compile state. A dynamic
// program runs where it is compiled, since it compiles kernels as it goes.
import type { DiagnosticCode } from "../../compiler/ir/diagnostic-codes.ts";
import type { RunReply, RunRequest } from "../../protocol/runner.ts";
import type { RunBundle } from "../../runtime/bundle.ts";
import type { RunnerApi } from "../../worker/runner.worker.ts";
import type { CompileQueue } from "./compile-queue.ts";
import { launch, type Live } from "./live-worker.ts";

interface Runner {
  /** Never rejects. */
  readonly run: (request: RunRequest) => Promise<RunReply>;
  readonly cancel: () => void;
}

export function createRunner(queue: CompileQueue): Runner {
  let worker: Live<RunnerApi> | null = null;
  /** Runs in the compiler's thread. */
  let dynamicRuns = 0;

  /** What the runner takes, or the answer itself: a dynamic program runs where it is compiled. */
  async function prepare(request: RunRequest): Promise<RunBundle | RunReply | null> {
    const bundle = await queue.ask<RunBundle | null>((api) => api.runBundle(request.runId), null);
    if (bundle !== null) return bundle;
    dynamicRuns++;
    const stopped = failed(request, "RS6902", "The run stopped.");
    const reply = await queue.ask<RunReply | null>((api) => api.dynamicRun(request), stopped);
    dynamicRuns--;
    return reply;
  }

  function start(): Live<RunnerApi> {
    const next = launch<RunnerApi>(
      new Worker(new URL("../../worker/runner.worker.ts", import.meta.url), { type: "module" }),
    );
    void next.died.then(() => {
      if (worker === next) worker = null;
    });
    return next;
  }

  async function runBundle(bundle: RunBundle, request: RunRequest): Promise<RunReply> {
    worker ??= start();
    const { api, died } = worker;
    try {
      return await Promise.race([
        api.run(bundle, request),
        died.then((why) => failed(request, "RS6902", `The run stopped: ${why}.`)),
      ]);
    } catch (error) {
      return failed(request, "RS6903", error instanceof Error ? error.message : String(error));
    }
  }

  return {
    async run(request) {
      let found = await prepare(request);
      if (found === null && (await queue.restore(request.runId))) found = await prepare(request);
      if (found === null)
        return failed(request, "RS6901", "There is no compiled program to run: compile first.");
      return "status" in found ? found : await runBundle(found, request);
    },
    cancel() {
      if (dynamicRuns > 0) queue.kill("the run was stopped");
      worker?.kill("stopped by you");
      worker = null;
    },
  };
}

function failed({ runId }: RunRequest, code: DiagnosticCode, message: string): RunReply {
  return { status: "failed", runId, code, message };
}
