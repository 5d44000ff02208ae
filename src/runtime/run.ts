// Runs a compilation's WebAssembly in this thread: by the AOT runner, or by the graph executor where AOT
// refused or the options say; a program with dynamic dimensions call by call (dynamic-run.ts).
import { type Compilation, aotPlan, graphPlan } from "../compiler/compilation.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { runDynamic } from "./dynamic-run.ts";
import { runPrimitive } from "./jit.ts";
import { makeBundle, runProgram, startBundle, type RunResult, type Running } from "./bundle.ts";

/** Instances of compilations that were run before: a second run costs no compiling. */
const started = new WeakMap<object, Running>();

interface RunModelOptions {
  readonly executor?: "aot" | "graph";
  /** Timed repeats after the first run; outputs are of the first. */
  readonly repeats?: number;
  /** Whether single calls are timed too (callMicros). */
  readonly steps?: boolean;
}

function runDynamicModel(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
  { repeats = 1 }: RunModelOptions,
): RunResult {
  if (done.reached !== "dynamic") throw new Error("all shapes of this program are known");
  const program = { plan: done.dynamic, te: done.teCompiler };
  const { values } = runDynamic(program, inputs, runPrimitive);
  let ms = repeats > 0 ? Infinity : 0;
  for (let i = 0; i < repeats; i++) {
    const start = performance.now();
    runDynamic(program, inputs, runPrimitive);
    ms = Math.min(ms, performance.now() - start);
  }
  return { outputs: values, ms, callMicros: new Float64Array(0) };
}

/**
 * Runs once (and `repeats` times more for timing). Inputs by parameter name of main. Throws Error where
 * nothing can be run.
 */
export function runModel(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
  options: RunModelOptions = {},
): RunResult {
  const chosen = options.executor ?? (aotPlan(done) !== null ? "aot" : "graph");
  if (done.reached === "dynamic") return runDynamicModel(done, inputs, options);
  if (done.reached !== "wasm") throw new Error("this compilation made no WebAssembly");
  let running = started.get(done.wasm);
  if (running === undefined) {
    running = startBundle(makeBundle(done.wasm, aotPlan(done), graphPlan(done)));
    started.set(done.wasm, running);
  }
  return runProgram(
    running,
    chosen,
    inputs,
    { repeats: options.repeats ?? 1, steps: options.steps ?? false },
    () => performance.now(),
  );
}
