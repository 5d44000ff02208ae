// Programs that once gave wrong values, left a buffer or crashed: axes without elements, positions out of
// range, ends of dtypes, NaN. Each at levels 0 and 3, on both executors, the interpreter and as C under
// sanitizers; a program that is refused is refused with a place. Values told by hand stand in `wanted`.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fromNumbers, numbersOf } from "../compiler/frontend/values.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape } from "../compiler/ir/type.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { compileText, filledInputs } from "../node/engine.ts";
import { mainOf } from "../compiler/compilation.ts";
import { runBatch, type CJob } from "./fuzz/c-batch.ts";
import { tryText } from "./fuzz/ways.ts";

const folder = new URL("hostile/", import.meta.url);
const files = readdirSync(folder).sort((a, b) => (a < b ? -1 : 1));

/** Values by file, worked out by hand; "RS…" where the program is refused. */
const wanted: Readonly<Record<string, readonly number[] | string>> = {
  "argmin-exclude-all.relay": [0, 0, 0],
  "csum-axis-zero.relay": [],
  "cprod-axis-zero-excl.relay": [],
  "dense-zero.relay": [],
  "instance-norm-2d.relay": [0, 0, 0, 0],
  "pad-edge-zero.relay": "RS2111",
  "pad-reflect-zero.relay": "RS2111",
  "slice-size-from-end.relay": [4, 5],
  "layout-block.relay": "RS2105",
  "mirror-large.relay": "RS2111",
  "lrn-wide.relay": [0.2, 0.4].map(Math.fround),
  "multibox-no-anchors.relay": "RS2105",
  "dyn-pad-empty.relay": [9, 9, 9, 9, 9, 9],
  "sparse_reshape-long.relay": "RS2105",
  "unravel-long.relay": "RS2105",
  "correlation-stride.relay": "RS2108",
  "roi_align-samples.relay": "RS2108",
  "slice_like-no-axes.relay": "RS2108",
  "dyn-one_hot-vector.relay": "RS2106",
  "gather_nd-rank.relay": "RS2105",
  "dyn-slice-int8.relay": [5, 3, 1],
  "crop-no-images.relay": [3, 3, 3, 3],
  "nll_loss-no-classes.relay": "RS2111",
  "roi_align-no-pixels.relay": [0, 0, 0, 0],
  "dyn-sparse_to_dense-rank.relay": "RS2105",
  "zero-extent-slice-stack-overflow.relay": [],
};

async function inputsOf(text: string, name: string): Promise<ReadonlyMap<string, TensorData>> {
  const { compilation } = await compileText(text, defaultOptions, name);
  const given = JSON.parse(/^\/\/ inputs: (.*)$/m.exec(text)?.[1] ?? "{}") as Readonly<
    Record<string, readonly (number | string)[]>
  >;
  const inputs = new Map<string, TensorData>();
  for (const param of mainOf(compilation)?.params ?? []) {
    const type = param.annotation;
    const values = given[param.name];
    if (values !== undefined && type?.kind === "tensor-type")
      inputs.set(param.name, fromNumbers(type.dtype, staticShape(type) ?? [], values.map(Number)));
  }
  return filledInputs(compilation, inputs);
}

describe("what once broke does not", () => {
  const inC: CJob[] = [];

  it.each(files)("%s", async (name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const inputs = await inputsOf(text, name);
    const options = {
      ...defaultOptions,
      ...(JSON.parse(/^\/\/ options: (.*)$/m.exec(text)?.[1] ?? "{}") as Partial<Options>),
      modName: `h${files.indexOf(name)}`,
    };
    const tried = await tryText(text, inputs, [options, { ...options, optLevel: 0 }]);
    expect(tried.problems.map(({ detail }) => detail)).toEqual([]);
    const { done, outputs } = tried;
    const want = wanted[name];
    if (typeof want === "string") expect(tried.refused).toContain(want);
    else if (want !== undefined) expect(outputs?.flatMap((one) => [...numbersOf(one)])).toEqual(want);
    if (done !== null && outputs !== null && done.reached === "wasm" && done.aot.ok)
      inC.push({ done, inputs, outputs });
  });

  it("in C", () => {
    expect(inC.length).toBeGreaterThan(40);
    expect(
      runBatch(inC).flatMap((list, i) =>
        list.map(({ detail }) => `${inC[i]?.done.options.modName}: ${detail}`),
      ),
    ).toEqual([]);
  });
});
