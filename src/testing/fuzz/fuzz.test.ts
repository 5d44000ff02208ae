// A fixed number of each kind of trial from fixed seeds: what `npm run fuzz` does for as long as it is asked.
import { describe, expect, it } from "vitest";
import { runBatch, type CJob } from "./c-batch.ts";
import { seedOf } from "./random.ts";
import { trials } from "./trials.ts";

interface Plan {
  readonly count: number;
  readonly seed: number;
  /** Every so many also as C, all in one gcc call. */
  readonly oneInC?: number;
}

const plans: Readonly<Record<string, Plan>> = {
  program: { count: 80, seed: 1, oneInC: 4 },
  edge: { count: 400, seed: 1, oneInC: 40 },
  single: { count: 200, seed: 1 },
  onnx: { count: 150, seed: 1 },
  text: { count: 400, seed: 1 },
  "onnx-file": { count: 100, seed: 1 },
  "tflite-file": { count: 150, seed: 1 },
  link: { count: 40, seed: 1 },
  zip: { count: 100, seed: 2 },
};

describe("random trials find nothing", () => {
  it.each(Object.entries(plans))("%s", async (kind, { count, seed, oneInC }) => {
    const found: string[] = [];
    const inC: CJob[] = [];
    for (let n = 0; n < count; n++) {
      const { problems, c } = await trials[kind]!.run({ seed: seedOf(seed, kind, n), n, module: `m${n}` });
      found.push(...problems.map(({ detail }) => `${kind}:${n} ${detail}`));
      if (c !== null && oneInC !== undefined && n % oneInC === 0) inC.push(c);
    }
    if (inC.length > 0) found.push(...runBatch(inC).flatMap((list) => list.map(({ detail }) => detail)));
    expect(found).toEqual([]);
  });
});
