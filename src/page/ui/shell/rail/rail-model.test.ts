import { expect, test } from "vitest";
import { lenetSummary } from "../../../../testing/harness/lenet-run.ts";
import { foldSteps, nextChanged, railModel } from "./rail-model.ts";

const summary = lenetSummary("");

test("runs of unchanged passes fold, changed ones stand alone", () => {
  const passes = summary.steps.filter((step) => step.stage === "passes");
  expect(
    foldSteps(passes).map((item) => (item.kind === "step" ? item.step.pass : item.steps.length)),
  ).toEqual([1, "ToBasicBlockNormalForm", "InferType", 8, "CanonicalizeOps", 2, "PlanDevices", "InferType"]);
});

test("ten groups in order, with the change in operators where there is one", () => {
  const groups = railModel(summary, null, null);
  expect(groups.map((group) => group.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(groups.find((group) => group.stage === "passes")?.delta).toEqual([15, 17]);
  expect(groups.find((group) => group.stage === "c")?.delta).toBeNull();
  expect(groups.every((group) => group.state === "done")).toBe(true);
});

test("where it stopped is told, later stages have no time", () => {
  const states = railModel(summary, "types", null).map((group) => [group.state, group.ms === null]);
  expect(states.slice(0, 3)).toEqual([
    ["done", false],
    ["failed", false],
    ["waiting", true],
  ]);
});

test("stepping goes from one changed pass to the next and stops at the ends", () => {
  const changed = summary.steps.filter((step) => step.changed).map((step) => step.index);
  expect(nextChanged(summary.steps, null, 1)?.index).toBe(changed[0]);
  expect(nextChanged(summary.steps, changed[0]!, 1)?.index).toBe(changed[1]);
  expect(nextChanged(summary.steps, changed[0]!, -1)).toBeNull();
  expect(nextChanged(summary.steps, changed[changed.length - 1]!, 1)).toBeNull();
});
