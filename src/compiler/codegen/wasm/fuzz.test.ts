// Random groups under recipes and under random vector and unroll marks: passes and WebAssembly keep the
// numbers.
import { expect, test } from "vitest";
import { defaultOptions } from "../../options.ts";
import { generator, lowered, randomGroup } from "../../../testing/harness/random-te-group.ts";
import { checkPrimFunc, checkSame } from "../../../testing/harness/wasm-check.ts";
import { idSource } from "../../ir/ids.ts";
import type { PassContext } from "../../ir/pass.ts";
import { injective } from "../../recipes/injective.ts";
import { softmax } from "../../recipes/softmax.ts";
import { createSchedule, type Schedule } from "../../te/schedule.ts";
import { lowerPasses } from "../../tir/passes/pipeline.ts";
import { verifyPrimFunc } from "../../tir/verify.ts";

const cx: PassContext = {
  ids: idSource(),
  ops: new Map(),
  options: defaultOptions,
  verify: "passes" as const,
  diagnostics: [],
  remarks: [],
};

/** Splits by any factor, and marks: tails, vectors of odd length, unrolled reductions. */
function mark(s: Schedule, seed: number): void {
  const next = generator(seed + 77);
  for (const stage of s.stages) {
    if (stage.op.kind === "compute" && next(3) === 0) s.cacheWrite(stage.op.outputs[0]!, "local");
  }
  for (const stage of s.stages) {
    if (stage.op.kind !== "compute" || stage.leafIters.length === 0) continue;
    const iter = stage.leafIters[next(stage.leafIters.length)]!;
    const [, inner] = stage.split(iter, { factor: 2 + next(8) });
    const kind = next(3);
    if (kind === 0) stage.unroll(inner);
    else if (inner.kind === "data-par") stage.vectorize(inner);
  }
}

const plans: readonly (readonly [
  string,
  (s: Schedule, outputs: Schedule["outputs"], seed: number) => void,
])[] = [
  ["the default recipe", (s, outputs) => injective(s, outputs, { target: "wasm", anchor: [outputs[0]!] })],
  ["softmax's recipe", (s, outputs) => softmax(s, outputs, { target: "wasm", anchor: [outputs[0]!] })],
  ["random marks", (s, _outputs, seed) => mark(s, seed)],
];

test.each(plans)(
  "120 random groups under %s",
  (_name, plan) => {
    for (let seed = 1; seed <= 120; seed++) {
      const group = randomGroup(seed);
      const s = createSchedule(group.outputs);
      plan(s, group.outputs, seed);
      const raw = lowered(s, group);
      try {
        for (const target of ["c", "wasm"] as const) {
          const f = lowerPasses(target).reduce((unit, pass) => pass.run(unit, cx), raw);
          expect(verifyPrimFunc(f)).toEqual([]);
          if (target === "c") checkSame(f, raw, 1e-6);
          else checkPrimFunc(f, { reference: raw, tolerance: 1e-5 });
        }
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}\n${s.trace.join("\n")}`, { cause: error });
      }
    }
  },
  60_000,
);
