// TVM's records of programs with dynamic dimensions: shape functions and kernels by name, every run by both
// engines.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileText, filledInputs } from "../node/engine.ts";
import { flatValues } from "../node/values.ts";
import { defaultOptions } from "../compiler/options.ts";
import { runModel } from "../runtime/run.ts";
import { compareDynamic, type DynamicRecord } from "./harness/compare-dynamic.ts";
import { compareOutputs, type GoldenOutput } from "./harness/compare-outputs.ts";
import { departures } from "./harness/departures.ts";

const folder = join(import.meta.dirname, "golden/dynamic");

describe("dynamic programs", () => {
  for (const file of readdirSync(folder).sort()) {
    const record = JSON.parse(readFileSync(join(folder, file), "utf8")) as DynamicRecord;
    it(record.name, async () => {
      const differing = (await compareDynamic(record)).filter(
        ([aspect, difference]) => difference !== null && departures[`${record.name}:${aspect}`] === undefined,
      );
      expect(differing).toEqual([]);
    });
  }
});

/** The text of a record with every dimension of main's inputs dynamic, printed types left out. */
function opened(text: string): string {
  const meta = text.indexOf("#[metadata]");
  const [body, rest] = meta < 0 ? [text, ""] : [text.slice(0, meta), text.slice(meta)];
  const bare = body.replace(
    /(meta\[relay\.Constant\]\[\d+\])? \/\* ty=.*? \*\//g,
    (whole, constant: string | undefined) => (constant === undefined ? "" : whole),
  );
  const header = /def @main\((.*)\)(?: -> .*)? \{\n/.exec(bare)!;
  const params = header[1]!.replace(
    /Tensor\[\(([^)]*)\)/g,
    (_, dims: string) => `Tensor[(${dims.replace(/\d+/g, "?")})`,
  );
  return `${bare.replace(header[0], `def @main(${params}) {\n`)}${rest}`;
}

interface StaticRecord {
  readonly input: string;
  readonly outputs: readonly GoldenOutput[];
}

describe("static programs of TVM's records, run with every dimension of their inputs dynamic", () => {
  const names = [
    "batch_norm_inference",
    "concat_pool",
    "conv_bias_relu",
    "conv_diamond",
    "depthwise_separable",
    "injective_chain",
    "lenet",
    "lstm_cell",
    "op_qnn_conv2d",
    "op_qnn_dense",
    "parallel_dense",
    "split_consumers",
    "stop_fusion",
    "take_and_where",
  ];
  it.each(names)("%s", async (name) => {
    const record = JSON.parse(
      readFileSync(join(import.meta.dirname, "golden/programs", `${name}.json`), "utf8"),
    ) as StaticRecord;
    const inputs = filledInputs((await compileText(record.input, defaultOptions, name)).compilation);
    const done = await compileText(opened(record.input), defaultOptions, name);
    expect(done.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(done.compilation.reached).toBe("dynamic");
    expect(
      compareOutputs(
        runModel(done.compilation, inputs, { repeats: 0 }).outputs.map(flatValues),
        record.outputs,
        { network: false, quantised: name.includes("qnn") },
      ),
    ).toBeNull();
  });
});
