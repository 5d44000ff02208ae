// `run` and `bench`: the same plan on WASM, on the TIR interpreter, or as C compiled by gcc.
import {
  type Compilation,
  aotPlan,
  graphPlan,
  inputName,
  mainOf,
  outputName,
  parameterName,
  refusal,
} from "../compiler/compilation.ts";
import { CompileError } from "../compiler/ir/diagnostic.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { printType } from "../compiler/ir/type.ts";
import { runDynamic } from "../runtime/dynamic-run.ts";
import { interpretModel, interpretPrimitive } from "../runtime/interp-run.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { runModel } from "../runtime/run.ts";
import { runC } from "../node/run-c.ts";
import { type Invocation } from "./args.ts";
import { UsageError } from "../node/usage-error.ts";
import { flatValues, type OutputJson } from "../node/values.ts";

interface RunJson {
  /** With the names that a model file gives them. */
  readonly outputs: readonly (OutputJson & { readonly name?: string })[];
  readonly ms: number;
}

/** The values by the parameters of main, whatever name they were given by. */
export function byParameter(
  done: Compilation,
  given: ReadonlyMap<string, TensorData>,
): ReadonlyMap<string, TensorData> {
  return new Map([...given].map(([name, tensor]) => [parameterName(done, name), tensor]));
}

/**
 * Runs `done` once on `backend`. Throws what the AOT executor said where it refused a model that the backend
 * runs by it.
 */
export async function runBackend(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
  backend: Invocation["backend"],
): Promise<RunJson> {
  const start = performance.now();
  const outputs = await outputsOf(done, inputs, backend);
  const ms = performance.now() - start;
  const named = done.facts !== null;
  return {
    outputs: outputs.map((tensor, i) => ({
      ...(named ? { name: outputName(done, i) } : {}),
      ...flatValues(tensor),
    })),
    ms,
  };
}

async function outputsOf(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
  backend: Invocation["backend"],
): Promise<readonly TensorData[]> {
  if (done.reached === "dynamic") return runDynamicModel(done, inputs, backend);
  if (backend === "wasm") checkWasm(done);
  if (backend === "wasm") return runModel(done, inputs, { executor: chosenExecutor(done) }).outputs;
  const refused = refusal(done, "aot");
  if (refused !== null) throw new CompileError(refused);
  const plan = aotPlan(done);
  if (plan === null)
    throw new UsageError(`--backend ${backend} needs the AOT executor, which refused this model`);
  return backend === "interp" ? interpretModel(plan, done.primitives, inputs) : runC(done, inputs);
}

/** Throws UsageError where the model is too large for WebAssembly: what was compiled is C. */
function checkWasm(done: Compilation): void {
  if (done.reached === "c")
    throw new UsageError("this model has no WebAssembly, as said above: run it with --backend c or interp");
}

/** The executor that the options ask for, or the other one where that refused the model. */
function chosenExecutor(done: Compilation): "aot" | "graph" {
  const { executor } = done.options;
  const plan = executor === "aot" ? aotPlan(done) : graphPlan(done);
  return plan !== null ? executor : executor === "aot" ? "graph" : "aot";
}

/**
 * Throws UsageError for a value that the model has no input for, or that is of another type than the input.
 */
export function checkInputs(done: Compilation, given: ReadonlyMap<string, TensorData>): void {
  const params = mainOf(done)?.params ?? [];
  for (const [name, tensor] of given) {
    const wanted = parameterName(done, name);
    const type = params.find((param) => param.name === wanted)?.type;
    if (type === undefined || type === null)
      throw new UsageError(
        `there is no input ${name}; inputs are ${params.map((param) => inputName(done, param.name)).join(", ") || "none"}`,
      );
    const fits =
      type.kind === "tensor-type" &&
      type.dtype === tensor.dtype &&
      type.shape.length === tensor.shape.length &&
      type.shape.every((dim, i) => typeof dim !== "number" || dim === tensor.shape[i]);
    if (!fits)
      throw new UsageError(
        `input ${name} is ${printType(type)}, got Tensor[(${tensor.shape.join(", ")}), ${tensor.dtype.name}]`,
      );
  }
}

/** A program whose shapes are known only now. Throws CompileError where the inputs do not fit. */
function runDynamicModel(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
  backend: Invocation["backend"],
): readonly TensorData[] {
  if (done.reached !== "dynamic" || backend === "c")
    throw new UsageError("--backend c needs shapes that do not depend on values");
  const program = { plan: done.dynamic, te: done.teCompiler };
  return runDynamic(program, inputs, backend === "interp" ? interpretPrimitive : runPrimitive).values;
}

/** Least and median milliseconds of repeated WASM runs after one warm-up. */
export function benchModel(
  done: Compilation,
  inputs: ReadonlyMap<string, TensorData>,
): { readonly runs: number; readonly leastMs: number; readonly medianMs: number } {
  const once = (): number => {
    if (done.reached !== "dynamic") return runModel(done, inputs).ms;
    const start = performance.now();
    runDynamicModel(done, inputs, "wasm");
    return performance.now() - start;
  };
  checkWasm(done);
  once();
  const times: number[] = [];
  const end = performance.now() + 2000;
  while (times.length < 5 || (performance.now() < end && times.length < 100)) times.push(once());
  times.sort((a, b) => a - b);
  return { runs: times.length, leastMs: times[0]!, medianMs: times[times.length >> 1]! };
}
