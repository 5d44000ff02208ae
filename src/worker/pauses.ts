// What the compiler is given of this thread: a clock, kernels that run, and pauses in which progress goes out
// and a cancel comes in.
import type { CompileHost } from "../compiler/compile.ts";
import type { StageId } from "../compiler/options.ts";
import { Cancelled } from "../compiler/trace.ts";
import type { Progress, RunId } from "../protocol/compile.ts";
import { runPrimitive } from "../runtime/jit.ts";

export interface Pauses {
  readonly hostFor: (runId: RunId) => CompileHost;
  /** The compilation `runId` and those before it end with Cancelled at their next pause. */
  readonly cancel: (runId: RunId) => void;
  readonly connectProgress: (port: MessagePort) => void;
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

export function createPauses(): Pauses {
  let cancelled: RunId = -1;
  let progressPort: MessagePort | null = null;
  return {
    hostFor(runId) {
      let heard = performance.now();
      let steps = 0;
      return {
        now: () => performance.now(),
        execute: (primitive, args) => runPrimitive(primitive, args),
        verify: import.meta.env.DEV ? "stages" : "never",
        async pause(stage: StageId, pass: string): Promise<void> {
          steps++;
          if (performance.now() - heard < stretchMs) return;
          progressPort?.postMessage({ runId, stage, pass, done: steps } satisfies Progress);
          await macrotask();
          heard = performance.now();
          if (cancelled >= runId) throw new Cancelled("cancelled");
        },
      };
    },
    cancel: (runId) => {
      cancelled = Math.max(cancelled, runId);
    },
    connectProgress: (port) => {
      progressPort = port;
    },
  };
}
