import { expect, it } from "vitest";
import { synthetic } from "../ir/origin.ts";
import type { Remark } from "../ir/remark.ts";
import { planGraphMemory, type StorageStep } from "./graph-plan-memory.ts";

function step(kind: StorageStep["kind"], reads: readonly number[], bytes: number, device = 1): StorageStep {
  return { kind, name: kind, origin: synthetic("test"), reads, makes: [{ bytes, device }] };
}

it("keeps parameters, hands reshapes on, reuses what nobody reads any more and grows it, a device for itself", () => {
  const remarks: Remark[] = [];
  const plan = planGraphMemory(
    [
      step("keep", [], 8),
      step("compute", [0], 16),
      step("alias", [1], 16),
      step("compute", [2], 32),
      step("compute", [3], 24),
      step("compute", [4], 24, 2),
      step("compute", [5], 48),
    ],
    [6],
    remarks,
  );
  expect(plan.storageOf).toEqual([0, 1, 1, 2, 1, 3, 2]);
  expect(plan.storages).toEqual([
    { bytes: 8, device: 1 },
    { bytes: 24, device: 1 },
    { bytes: 48, device: 1 },
    { bytes: 24, device: 2 },
  ]);
  expect(remarks.map(({ kind }) => kind.replace("memory.", ""))).toEqual([
    "new",
    "alias",
    "new",
    "reused",
    "new",
    "reused",
  ]);
});
