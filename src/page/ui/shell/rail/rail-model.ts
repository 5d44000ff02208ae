// The stages rail as data: ten groups in order, their steps with runs of unchanged passes folded, and where
// it stopped. Pure.
import { stageIds, stageTitles, type StageId } from "../../../../compiler/options.ts";
import type { StepView, Summary } from "../../../../protocol/compile.ts";

export type RailItem =
  | { readonly kind: "step"; readonly step: StepView }
  | { readonly kind: "unchanged"; readonly steps: readonly StepView[]; readonly ms: number };

export interface RailGroup {
  readonly stage: StageId;
  readonly number: number;
  readonly title: string;
  readonly state: "done" | "failed" | "waiting" | "running";
  readonly ms: number | null;
  /** Operator calls before and after, null where they are the same. */
  readonly delta: readonly [number, number] | null;
  readonly items: readonly RailItem[];
  readonly steps: readonly StepView[];
}

/**
 * Folds runs of unchanged steps. A step between two others that changed stays on its own as "1 unchanged".
 */
export function foldSteps(steps: readonly StepView[]): RailItem[] {
  const items: RailItem[] = [];
  let run: StepView[] = [];
  const flush = (): void => {
    if (run.length > 0)
      items.push({ kind: "unchanged", steps: run, ms: run.reduce((sum, step) => sum + step.ms, 0) });
    run = [];
  };
  for (const step of steps) {
    if (step.changed) {
      flush();
      items.push({ kind: "step", step });
    } else run.push(step);
  }
  flush();
  return items;
}

/** `reached`: the stage that a compilation in flight works on, null when none is. */
export function railModel(summary: Summary, stoppedAt: StageId | null, reached: StageId | null): RailGroup[] {
  const stop = stoppedAt === null ? stageIds.length : stageIds.indexOf(stoppedAt);
  return stageIds.map((stage, index) => {
    const steps = summary.steps.filter((step) => step.stage === stage);
    const first = steps[0]?.opsBefore ?? 0;
    const last = steps[steps.length - 1]?.opsAfter ?? 0;
    const state =
      reached === stage ? "running" : index === stop ? "failed" : index > stop ? "waiting" : "done";
    return {
      stage,
      number: index + 1,
      title: stageTitles[stage],
      state,
      steps,
      ms: state === "waiting" ? null : (summary.stageMs[stage] ?? null),
      delta: first !== last && steps.length > 0 ? [first, last] : null,
      items: steps.length > 1 ? foldSteps(steps) : [],
    };
  });
}

/**
 * The next (by = 1) or previous (-1) step that changed something, from the one whose result is shown now;
 * null at the end.
 */
export function nextChanged(steps: readonly StepView[], from: number | null, by: 1 | -1): StepView | null {
  const changed = steps.filter((step) => step.changed);
  if (from === null) return (by > 0 ? changed[0] : changed[changed.length - 1]) ?? null;
  const after =
    by > 0 ? changed.find((step) => step.index > from) : changed.findLast((step) => step.index < from);
  return after ?? null;
}

/** "0.4", "12.5", "1,204": milliseconds as the rail prints them. */
export function railMs(ms: number): string {
  return ms >= 1000 ? Math.round(ms).toLocaleString("en") : ms.toFixed(1);
}
