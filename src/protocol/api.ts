// What the page may ask of the compiler, whoever answers (the worker client, or a scripted double in tests).
import type { Options } from "../compiler/options.ts";
import type { CompileReply, Progress, RunId, Source } from "./compile.ts";
import type { RunReply, RunRequest } from "./runner.ts";
import type { ShapesReply } from "./shapes.ts";
import type { ViewKey, ViewReply } from "./views.ts";

/** One entry of completion and hover data for the editor, derived from the operator declarations. */
export interface OpDoc {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly pattern: string;
  readonly doc: string;
  readonly attrs: readonly {
    readonly name: string;
    readonly kind: string;
    readonly default: string | null;
    readonly doc: string;
  }[];
}

export interface CompilerClient {
  /**
   * The newest request wins: an older one that is waiting or running resolves as cancelled. Never rejects.
   */
  compile(source: Source, options: Options): Promise<CompileReply>;
  /**
   * A view of a run that is kept (the current one and the one before), else {status: "gone"}. Never rejects.
   */
  view(runId: RunId, key: ViewKey): Promise<ViewReply>;
  /** Runs in a second worker that can be killed without losing compile state. Never rejects. */
  run(request: RunRequest): Promise<RunReply>;
  /**
   * Shapes of every primitive call of a kept run for the given shapes of main's inputs (static ones may be
   * left out). Never rejects.
   */
  evaluateShapes(runId: RunId, inputs: Readonly<Record<string, readonly number[]>>): Promise<ShapesReply>;
  opDocs(): Promise<readonly OpDoc[]>;
  /** Stops the compilation in flight; answers within 200 ms (a worker that does not yield is replaced). */
  cancel(): void;
  cancelRun(): void;
  /** The listener hears progress of the newest compilation. Returns the unsubscribe function. */
  onProgress(listener: (progress: Progress) => void): () => void;
  /** The listener hears that a worker died and was replaced. */
  onWorkerReplaced(listener: (why: string) => void): () => void;
  /** For tests and the crash story: kills the worker as if it had died. */
  killWorkerForTest(): void;
}
