// `npm run bench`: our WebAssembly beside onnxruntime-web's, in one Chromium run, one thread each. Prints
// times and ratios.
//   bench [--all] [--relaxed] [--filter WORD]
// Times are of a shared machine: read the ratios (peer's time / ours, median of rounds run in turn; above 1,
// ours is faster).
import { aotPlan } from "../compiler/compilation.ts";
import { float32 } from "../compiler/ir/dtype.ts";
import { tensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions } from "../compiler/options.ts";
import { compile } from "../compiler/compile.ts";
import { emitWasm, type WasmModule } from "../compiler/codegen/wasm/module.ts";
import { openBrowser, type BenchBrowser, type Measured } from "../testing/bench/browser.ts";
import { issueCases, moreCases, type BenchCase } from "../testing/bench/cases.ts";
import { writeOnnx } from "../testing/bench/onnx-writer.ts";
import { nodeHost } from "../node/engine.ts";

async function buildCase(one: BenchCase, relaxedMadd: boolean): Promise<WasmModule> {
  const weight = tensorData(float32, one.weight.shape, one.weight.data);
  const done = await compile(
    { kind: "relay", text: one.relay, name: one.name },
    defaultOptions,
    nodeHost,
    new Map([["w", weight]]),
  );
  const problem = done.diagnostics.find((found) => found.severity === "error");
  if (problem !== undefined) throw new Error(`${one.name}: ${problem.code} ${problem.message}`);
  const plan = aotPlan(done);
  if (plan === null) throw new Error(`${one.name}: no AOT plan`);
  return emitWasm(done.primitives, plan, null, { relaxedMadd });
}

async function measure(browser: BenchBrowser, one: BenchCase, relaxedMadd: boolean): Promise<Measured> {
  const module = await buildCase(one, relaxedMadd);
  const { data, name, shape } = one.input;
  return browser.measure({
    wasm: browser.serve("ours.wasm", module.bytes),
    onnx: browser.serve("peer.onnx", writeOnnx(one.onnx)),
    input: {
      name,
      shape,
      offset: module.layout.inputs[0]!.offset,
      data: browser.serve("input.bin", new Uint8Array(data.buffer)),
    },
    output: { offset: module.layout.outputs[0]!.offset, count: one.outputCount },
    rounds: 7,
    roundMs: 150,
  });
}

function row(one: BenchCase, label: string, result: Measured): string {
  const rate = (ms: number): string => (one.flops / ms / 1e6).toFixed(1).padStart(6);
  return [
    one.name.padEnd(46),
    label.padEnd(8),
    `${result.ours.toFixed(3).padStart(9)} ms ${rate(result.ours)} GFLOP/s`,
    `${result.peer.toFixed(3).padStart(9)} ms ${rate(result.peer)} GFLOP/s`,
    `ratio ${result.ratio.toFixed(2)}`,
    `difference ${result.difference.toExponential(1)}`,
  ].join("  ");
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const filter = words.includes("--filter") ? words[words.indexOf("--filter") + 1]! : "";
  const cases = [...issueCases, ...(words.includes("--all") ? moreCases : [])].filter((one) =>
    one.name.includes(filter),
  );
  const browser = await openBrowser();
  try {
    console.log(
      "                                                        ours                         onnxruntime-web 1.30 (wasm, 1 thread)",
    );
    for (const one of cases) {
      console.log(row(one, "simd", await measure(browser, one, false)));
      if (words.includes("--relaxed")) console.log(row(one, "relaxed", await measure(browser, one, true)));
    }
    console.log(
      "\nratio: onnxruntime-web's time / ours, median of 7 rounds run in turn; the goal is 0.80 or more for the first two.",
    );
  } finally {
    await browser.close();
  }
}

await main();
