// A golden record of a program with dynamic dimensions against ours: which shape functions and kernels there
// are, and every run, by shape functions on WebAssembly and on the interpreter, and as a static program of
// the run's shapes.
import { dynamicProgram, mainOf } from "../../compiler/compilation.ts";
import type { CompileHost } from "../../compiler/compile.ts";
import { compileText, filledInputs, nodeHost, type CompiledText } from "../../node/engine.ts";
import { flatValues } from "../../node/values.ts";
import { fillTensor } from "../../compiler/frontend/fill.ts";
import { allocateArray, tensorData, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { tensorType, type TensorType } from "../../compiler/ir/type.ts";
import { defaultOptions } from "../../compiler/options.ts";
import { evaluateShapes, runDynamic, type DynamicProgram } from "../../runtime/dynamic-run.ts";
import { interpretPrimitive } from "../../runtime/interp-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { compareOutputs, type GoldenOutput } from "./compare-outputs.ts";

export interface DynamicRecord {
  readonly name: string;
  readonly input: string;
  readonly error?: string;
  readonly primitives?: readonly string[];
  readonly runs?: readonly {
    readonly inputs: readonly GoldenInput[];
    readonly outputs: readonly GoldenOutput[];
  }[];
}

interface GoldenInput {
  readonly shape: readonly number[];
  readonly values: "fill" | readonly number[];
}

/** Aspect -> what differs, or null. */
export type DynamicVerdicts = readonly (readonly [
  aspect: "shape functions" | "primitives" | "runs" | "static runs",
  difference: string | null,
])[];

const exact = { network: false, quantised: false };

export async function compareDynamic(
  record: DynamicRecord,
  host: CompileHost = nodeHost,
): Promise<DynamicVerdicts> {
  const done = await compileText(record.input, defaultOptions, record.name, new Map(), host);
  const program = dynamicProgram(done.compilation);
  if (program === null)
    return [
      ["runs", `refused: ${done.diagnostics.map((found) => `${found.code} ${found.message}`).join("; ")}`],
    ];
  if (record.error !== undefined) return [["runs", `TVM refuses (${record.error}), we do not`]];
  const runs = record.runs ?? [];
  return [
    [
      "shape functions",
      differs(
        program.te.shapeFuncs().map((one) => one.symbol),
        record.primitives!.filter((name) => name.startsWith("shape_func")),
      ),
    ],
    [
      "primitives",
      differs(kernelNames(program), withoutAllocation(record.primitives!, kernelNames(program))),
    ],
    ["runs", first(runs.map((run) => compareRun(done, program, run)))],
    ["static runs", await firstStatic(record, runs, host)],
  ];
}

function differs(got: readonly string[], want: readonly string[]): string | null {
  return got.join() === want.join() ? null : `${got.join(" ")}, expected ${want.join(" ")}`;
}

function first(differences: readonly (string | null)[]): string | null {
  return differences.find((one) => one !== null) ?? null;
}

/** Kernels that run; a reshape is none, neither here nor in TVM's VM. */
function kernelNames(program: DynamicProgram): readonly string[] {
  const calls = [...program.plan.flow.calls.values()].filter((call) => !call.reshapeOnly);
  return [...new Set(calls.map((call) => call.primitive.name))];
}

/**
 * TVM's VM also lowers the arithmetic of its allocations: the first fused_prod and fused_multiply that are
 * not the program's.
 */
function withoutAllocation(names: readonly string[], ours: readonly string[]): readonly string[] {
  const kernels = names.filter((name) => !name.startsWith("shape_func"));
  for (const name of ["fused_prod", "fused_multiply"]) {
    const at = kernels.indexOf(name);
    if (at >= 0 && kernels.filter((one) => one === name).length > ours.filter((one) => one === name).length)
      kernels.splice(at, 1);
  }
  return kernels;
}

type Run = NonNullable<DynamicRecord["runs"]>[number];

function inputsOf(done: CompiledText, run: Run): ReadonlyMap<string, TensorData> {
  const params = mainOf(done.compilation)?.params ?? [];
  return new Map(
    run.inputs.map((input, i) => {
      const { dtype } = params[i]!.type as TensorType;
      if (input.values === "fill")
        return [params[i]!.name, fillTensor(params[i]!.name, tensorType(input.shape, dtype))];
      const data = allocateArray(dtype, input.values.length);
      input.values.forEach((value, k) => {
        data[k] = data instanceof BigInt64Array ? BigInt(value) : value;
      });
      return [params[i]!.name, tensorData(dtype, input.shape, data)];
    }),
  );
}

function compareRun(done: CompiledText, program: DynamicProgram, run: Run): string | null {
  const inputs = inputsOf(done, run);
  const byWasm = runDynamic(program, inputs, runPrimitive);
  const byInterpreter = runDynamic(program, inputs, interpretPrimitive);
  const fill = run.inputs.every((input) => input.values === "fill");
  const shapes = fill
    ? evaluateShapes(
        program,
        new Map([...inputs].map(([name, tensor]) => [name, tensor.shape])),
        interpretPrimitive,
      )
    : byWasm;
  return first([
    compareOutputs(byWasm.values.map(flatValues), run.outputs, exact),
    compareOutputs(byInterpreter.values.map(flatValues), run.outputs, exact),
    differs(
      shapes.outputs.map((type) => type.shape.join("x")),
      run.outputs.map((output) => output.shape.join("x")),
    ),
  ]);
}

/** --shape: the program of the run's shapes; where values decide shapes too, it stays dynamic. */
async function firstStatic(
  record: DynamicRecord,
  runs: readonly Run[],
  host: CompileHost,
): Promise<string | null> {
  for (const run of runs) {
    const unfixed = await compileText(record.input, defaultOptions, record.name, new Map(), host);
    const shapes = Object.fromEntries(
      [...inputsOf(unfixed, run)].map(([name, tensor]) => [name, tensor.shape]),
    );
    const done = await compileText(record.input, { ...defaultOptions, shapes }, record.name, new Map(), host);
    const inputs = filledInputs(done.compilation, inputsOf(unfixed, run));
    const program = dynamicProgram(done.compilation);
    const values =
      program !== null
        ? runDynamic(program, inputs, runPrimitive).values
        : runModel(done.compilation, inputs).outputs;
    const difference = compareOutputs(values.map(flatValues), run.outputs, exact);
    if (difference !== null) return difference;
  }
  return null;
}
