// Schedules change how, never what: random groups under random primitives, and under every plain recipe, give
// the very numbers of the default schedule.
import { expect, test } from "vitest";
import { stmtText } from "../tir/print.ts";
import { verifyPrimFunc } from "../tir/verify.ts";
import { generator, lowered, randomGroup, runFilled } from "../../testing/harness/random-te-group.ts";
import { conv2d } from "../recipes/conv2d.ts";
import { injective } from "../recipes/injective.ts";
import { softmax } from "../recipes/softmax.ts";
import { createSchedule, type Schedule } from "./schedule.ts";

/** Applies primitives by chance, each valid where it is applied. */
function scramble(s: Schedule, seed: number): void {
  const next = generator(seed + 1000);
  for (const stage of [...s.stages].reverse()) {
    if (stage.op.kind !== "compute") continue;
    if (next(4) === 0 && stage.state.relations.length === 0) s.cacheWrite(stage.op.outputs[0]!, "local");
  }
  for (const stage of [...s.stages].reverse()) {
    if (stage.op.kind !== "compute") continue;
    const readers = s.readers(stage);
    if (!stage.isOutput && readers.length > 0) {
      const choice = next(3);
      if (choice === 0 && stage.op.reduceAxis.length === 0) {
        stage.computeInline();
        continue;
      }
      const only = readers[0]!;
      if (
        choice === 1 &&
        readers.length === 1 &&
        only.state.attach.kind !== "inline" &&
        only.leafIters.length > 0
      )
        stage.computeAt(only, only.leafIters[next(only.leafIters.length)]!);
    }
    for (let i = 0; i < 3 && stage.leafIters.length > 0; i++) {
      const attachedHere = s.stages.some(
        (other) => other.state.attach.kind === "scope" && other.state.attach.stage === stage.state,
      );
      const at = next(stage.leafIters.length);
      const iter = stage.leafIters[at]!;
      const what = next(4);
      if (what === 0) stage.split(iter, next(2) === 0 ? { factor: 1 + next(5) } : { nparts: 1 + next(4) });
      else if (
        what === 1 &&
        at + 1 < stage.leafIters.length &&
        stage.leafIters[at + 1]!.kind === iter.kind &&
        !attachedHere
      )
        stage.fuse(iter, stage.leafIters[at + 1]!);
      else if (what === 2 && !attachedHere) {
        const order = [...stage.leafIters];
        for (let k = order.length - 1; k > 0; k--) {
          const j = next(k + 1);
          [order[k], order[j]] = [order[j]!, order[k]!];
        }
        stage.reorder(...order);
      } else stage.unroll(iter);
    }
  }
}

/** Reordering reductions changes the order of sums, so numbers are compared as floats of their size. */
function expectClose(got: number[][], want: number[][], message: string): void {
  expect(got.length, message).toBe(want.length);
  got.forEach((list, i) =>
    list.forEach((value, at) => {
      const target = want[i]![at]!;
      expect(
        (Number.isFinite(target) && Math.abs(value - target) <= 1e-4 * Math.max(1, Math.abs(target))) ||
          Object.is(value, target),
        `${message}\noutput ${i}[${at}]: ${value}, want ${target}`,
      ).toBe(true);
    }),
  );
}

test("80 random schedules", () => {
  for (let seed = 1; seed <= 80; seed++) {
    const group = randomGroup(seed);
    const want = runFilled(lowered(createSchedule(group.outputs), group));
    const s = createSchedule(group.outputs);
    scramble(s, seed);
    const describe = (): string => `seed ${seed}\n${s.trace.join("\n")}`;
    try {
      const f = lowered(s, group);
      expect(verifyPrimFunc(f)).toEqual([]);
      expectClose(runFilled(f), want, `${describe()}\n${stmtText(f.body)}`);
    } catch (error) {
      throw new Error(`${String(error)}\n${describe()}`, { cause: error });
    }
  }
}, 60_000);

test("recipes on 50 random groups, both targets", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const group = randomGroup(seed);
    const want = runFilled(lowered(createSchedule(group.outputs), group));
    for (const recipe of [injective, softmax, conv2d]) {
      for (const target of ["c", "wasm"] as const) {
        const s = createSchedule(group.outputs);
        recipe(s, group.outputs, { target, anchor: [group.outputs[0]!] });
        const describe = (): string => `seed ${seed} ${target}\n${s.trace.join("\n")}`;
        try {
          const f = lowered(s, group);
          expect(verifyPrimFunc(f)).toEqual([]);
          expectClose(runFilled(f), want, `${describe()}\n${stmtText(f.body)}`);
        } catch (error) {
          throw new Error(`${String(error)}\n${describe()}`, { cause: error });
        }
      }
    }
  }
}, 60_000);
