// The recorder: one Step a pass run. A snapshot is a pointer to an immutable root, so recording every step costs only the
// changed nodes; text is printed when somebody looks.
import { CompileError, type Diagnostic } from "./ir/diagnostic.ts";
import { InvariantError } from "../support/assert.ts";
import type { Pass } from "./ir/pass.ts";
import type { StageId } from "./options.ts";
import type { IRModule } from "./relay/module.ts";
import type { RelayContext } from "./relay/op.ts";

export interface Step {
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
  /** Called between passes; may yield to the event loop. Rejects with Cancelled when the compilation was cancelled. */
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

/** Runs one stage of anything, adds its time, and turns a CompileError into a diagnostic (result null). */
export function timed<T>(
  trace: Trace,
  stage: StageId,
  clock: Clock,
  diagnostics: Diagnostic[],
  run: () => T,
): T | null {
  const start = clock.now();
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    diagnostics.push(error.diagnostic);
    return null;
  } finally {
    trace.stageMs[stage] = (trace.stageMs[stage] ?? 0) + clock.now() - start;
  }
}

/** Runs one Relay pass and records it. A bug inside is rethrown with the pass's name; null means an error was reported. */
export function runPass(
  trace: Trace,
  stage: StageId,
  pass: Pass<IRModule, RelayContext>,
  module: IRModule,
  cx: RelayContext,
  clock: Clock,
): IRModule | null {
  const remarksBefore = cx.remarks.length;
  const errorsBefore = cx.diagnostics.length;
  const start = clock.now();
  let after: IRModule | null = null;
  try {
    after = timed(trace, stage, clock, cx.diagnostics, () => pass.run(module, cx));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new InvariantError(`${pass.name} (step ${trace.steps.length}): ${text}`, { cause: error });
  }
  if (after === null || hasError(cx.diagnostics.slice(errorsBefore))) return null;
  trace.steps.push({
    index: trace.steps.length,
    stage,
    pass: pass.name,
    ms: clock.now() - start,
    changed: after !== module,
    before: module,
    after,
    remarks: [remarksBefore, cx.remarks.length],
  });
  return after;
}
