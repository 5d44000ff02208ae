// What the keys that go forth and back do: passes, stages, problems, calls.
import { at } from "../../../../support/assert.ts";
import type { App } from "../../../store/app.ts";
import { goToPlace } from "../../kit/regions.ts";
import { stageIds } from "../../../../compiler/options.ts";
import { nextChanged } from "../rail/rail-model.ts";

export function stepChanged(app: App, by: 1 | -1): void {
  const { compile, layout } = app.store.getState();
  const steps = compile.shown?.summary.steps ?? [];
  const step = nextChanged(steps, layout.diffAfter, by);
  if (step === null) return;
  app.actions.showStage(step.stage, step.index - 1, step.index);
  app.actions.setLayout({ tabA: "diff", slot: "a" });
}

export function stepGroup(app: App, by: 1 | -1): void {
  const { compile, layout } = app.store.getState();
  const steps = compile.shown?.summary.steps ?? [];
  const stage = stageIds[stageIds.indexOf(layout.stage) + by] ?? layout.stage;
  const own = steps.filter((step) => step.stage === stage);
  app.actions.showStage(
    stage,
    own[0] ? own[0].index - 1 : layout.diffBefore,
    own.at(-1)?.index ?? layout.diffAfter,
  );
}

export function stepProblem(app: App, by: 1 | -1): void {
  const placed = app.store.getState().compile.diagnostics.filter((found) => found.line > 0);
  if (placed.length === 0) return;
  const before = Number(document.body.dataset["problem"] ?? "-1");
  const index = (before + by + placed.length) % placed.length;
  document.body.dataset["problem"] = String(index);
  goToPlace(at(placed, index, "problem"));
}

/**
 * With nothing pinned, the first or last call is; with a pin the chain bar walks along its links by the same
 * keys.
 */
export function stepCall(app: App, by: 1 | -1): boolean | void {
  const { compile, selection } = app.store.getState();
  if (selection.pinned !== null) return false;
  const calls = compile.shown?.summary.calls ?? [];
  if (calls.length === 0) return;
  app.actions.pin({ kind: "call", id: by > 0 ? 0 : calls.length - 1 });
}
