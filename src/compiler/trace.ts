// The recorder: one Step a pass run. A snapshot is a pointer to an immutable root, so recording every step
// costs only the changed nodes; text is printed when somebody looks.
import { CompileError, type Diagnostic } from "./ir/diagnostic.ts";
import { InvariantError } from "../support/assert.ts";
import type { StageId } from "./options.ts";
import type { IRModule } from "./relay/module.ts";

interface Step {
  readonly index: number;
  readonly stage: StageId;
  /** TVM's pass name. */
  readonly pass: string;
  readonly ms: number;
  /** Pointer inequality of before and after. */
  readonly changed: boolean;
  readonly before: IRModule;
  readonly after: IRModule;
  /** Half-open range in the compilation's remarks. */
  readonly remarks: readonly [number, number];
}

/** What the compiler needs from whoever hosts it: a clock, and a moment to hear messages. */
export interface Clock {
  /** Milliseconds from any fixed point. */
  readonly now: () => number;
  /**
   * Called between passes; may yield to the event loop. Rejects with Cancelled when the compilation was
   * cancelled.
   */
  readonly pause: (stage: StageId, pass: string) => Promise<void>;
}

/** Rejection of Clock.pause: nobody wants this compilation any more. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export interface Trace {
  readonly steps: Step[];
  readonly stageMs: Partial<Record<StageId, number>>;
}

export function startTrace(): Trace {
  return { steps: [], stageMs: {} };
}

/** True if the collected diagnostics stop the compilation. */
export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((found) => found.severity === "error");
}

/**
 * Runs one piece of a stage, adds its time, and turns a CompileError into a diagnostic (result null). A bug
 * is rethrown with the piece's name, in a traced pass with the step too.
 */
export function timed<T>(
  trace: Trace,
  stage: { readonly id: StageId; readonly name: string; readonly traced: boolean },
  clock: Clock,
  diagnostics: Diagnostic[],
  run: () => T,
): T | null {
  const start = clock.now();
  try {
    return run();
  } catch (error) {
    if (error instanceof CompileError) {
      diagnostics.push(error.diagnostic);
      return null;
    }
    const text = error instanceof Error ? error.message : String(error);
    const at = stage.traced ? `${stage.name} (step ${trace.steps.length})` : stage.name;
    throw new InvariantError(`${at}: ${text}`, { cause: error });
  } finally {
    trace.stageMs[stage.id] = (trace.stageMs[stage.id] ?? 0) + clock.now() - start;
  }
}

/** Records one Relay pass that ran `ms` milliseconds. */
export function traceStep(
  { steps }: Trace,
  stage: { readonly id: StageId; readonly name: string },
  [before, after]: readonly [before: IRModule, after: IRModule],
  remarks: readonly [from: number, to: number],
  ms: number,
): void {
  steps.push({
    index: steps.length,
    stage: stage.id,
    pass: stage.name,
    ms,
    changed: after !== before,
    before,
    after,
    remarks,
  });
}
