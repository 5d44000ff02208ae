// Programs as deep as anyone may write them end in no stack overflow, on any back end.
import { describe, expect, it } from "vitest";
import { aotPlan } from "../compiler/compilation.ts";
import { defaultOptions } from "../compiler/options.ts";
import { at } from "../support/assert.ts";
import { compileText, filledInputs } from "../node/engine.ts";
import { runC } from "../node/run-c.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { chainText } from "./networks/chain.ts";

/** First output of `text` by WASM, the interpreter and C; checked to be alike. */
async function outputsOf(text: string, maxDepth = 256): Promise<readonly number[]> {
  const options = {
    ...defaultOptions,
    config: { ...defaultOptions.config, "relay.FuseOps.max_depth": String(maxDepth) },
  };
  const { compilation, diagnostics } = await compileText(text, options, "deep");
  expect(diagnostics).toEqual([]);
  const inputs = filledInputs(compilation);
  const plan = aotPlan(compilation);
  if (plan === null || compilation.reached !== "wasm") throw new Error("no plan");
  const [wasm, interp, c] = [
    runModel(compilation, inputs).outputs,
    interpretModel(plan, compilation.primitives, inputs),
    runC(compilation, inputs),
  ].map((outputs) => Array.from(at(outputs, 0, "output").data, Number));
  wasm!.forEach((value, i) => {
    expect(interp![i]).toBeCloseTo(value, 5);
    expect(c![i]).toBeCloseTo(value, 5);
  });
  return wasm!;
}

describe("10,000 calls in one group", () => {
  it("of floats", async () => {
    const values = await outputsOf(chainText(10_000, ["nn.relu", "negative", "abs", "sigmoid"]), -1);
    expect(values).toHaveLength(16);
  });
});
