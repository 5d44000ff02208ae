// What a piece of a stage that fails becomes: a diagnostic, or a bug with the name of where it stood.
import { expect, test } from "vitest";
import { fail, type Diagnostic } from "./ir/diagnostic.ts";
import { InvariantError } from "../support/assert.ts";
import { startTrace, timed, type Clock } from "./trace.ts";

function clockOf(...moments: readonly number[]): Clock {
  const left = [...moments];
  return { now: () => left.shift() ?? 0, pause: () => Promise.resolve() };
}

const lower = { id: "lower", name: "LowerTE", traced: false } as const;
const fold = { id: "passes", name: "FoldConstant", traced: true } as const;

function bug(): never {
  throw new Error("no such axis");
}

test("a piece's time is added to its stage's, also of one that fails", () => {
  const trace = startTrace();
  const found: Diagnostic[] = [];
  expect(timed(trace, lower, clockOf(10, 13), found, () => "made")).toBe("made");
  expect(timed(trace, lower, clockOf(20, 25), found, () => fail("RS5001", "no main", {}))).toBeNull();
  expect(trace.stageMs).toEqual({ lower: 8 });
  expect(found.map(({ code }) => code)).toEqual(["RS5001"]);
});

test("a bug says in which stage it stood, of a Relay pass also at which step", () => {
  const run = (stage: typeof lower | typeof fold) => () => timed(startTrace(), stage, clockOf(), [], bug);
  expect(run(lower)).toThrow(new InvariantError("LowerTE: no such axis"));
  expect(run(fold)).toThrow(new InvariantError("FoldConstant (step 0): no such axis"));
});
