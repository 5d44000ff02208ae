// Runs one case file: every opt level, both executors, WebAssembly, the TIR interpreter and (where gcc is) C,
// and what its header says beyond values (case-facts.ts).
import { type Compilation, aotPlan, dynamicProgram, parameterName } from "../../compiler/compilation.ts";
import { compileText, nodeHost, type CompiledText } from "../../node/engine.ts";
import { flatValues, type OutputJson } from "../../node/values.ts";
import { compile, type CompileHost } from "../../compiler/compile.ts";
import { tensorBytes, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { ops } from "../../compiler/ops/index.ts";
import { printModule } from "../../compiler/relay/text/print.ts";
import { structuralEqual } from "../../compiler/relay/structural.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { runDynamic } from "../../runtime/dynamic-run.ts";
import { interpretModel, interpretPrimitive } from "../../runtime/interp-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { caseFacts } from "./case-facts.ts";
import type { CaseFile, CaseRun } from "./case-file.ts";
import { runC } from "../../node/run-c.ts";

export interface CaseSettings {
  readonly levels: readonly Options["optLevel"][];
  /** Levels that are also compiled by gcc. */
  readonly c: readonly Options["optLevel"][];
  readonly host: CompileHost;
}

export const allLevels: CaseSettings = { levels: [0, 1, 2, 3], c: [0, 3], host: nodeHost };

/** What is wrong with our answer to `file`, empty if nothing. `text` is the Relay program. */
export async function runCase(
  file: CaseFile,
  text: string,
  settings: CaseSettings = allLevels,
): Promise<readonly string[]> {
  const facts = caseFacts[file.number];
  const wrong: string[] = [];
  for (const optLevel of settings.levels) {
    const isOpen = /Tensor\[\([^)]*\?/.test(text);
    const forRun = (run: CaseRun | undefined): Options => ({
      ...defaultOptions,
      optLevel,
      shapes: isOpen && run !== undefined ? shapesOf(run) : {},
      ...facts?.options,
    });
    const options = forRun(file.runs[0]);
    const done = await compileText(text, options, file.slug, file.binds, settings.host);
    const problems: string[] = [];
    const withC = settings.c.includes(optLevel);
    if (file.error !== null) problems.push(...refused(file.error, done, text));
    else if (!isOpen) problems.push(...accepted(file, done.compilation, withC));
    else {
      // Each run has shapes of its own.
      for (const [i, run] of file.runs.entries()) {
        const fixed =
          i === 0 ? done : await compileText(text, forRun(run), file.slug, file.binds, settings.host);
        problems.push(...accepted({ ...file, runs: [run] }, fixed.compilation, withC));
      }
    }
    wrong.push(...problems.map((problem) => `opt level ${optLevel}: ${problem}`));
    if (file.error === null && isOpen)
      wrong.push(
        ...(await dynamicRuns(file, text, options, settings.host)).map(
          (problem) => `opt level ${optLevel}, open: ${problem}`,
        ),
      );
    const fact =
      file.error === null ? await facts?.check(done, { optLevel, text, options, binds: file.binds }) : null;
    if (typeof fact === "string") wrong.push(`opt level ${optLevel}: ${fact}`);
  }
  if (file.error === null) wrong.push(...(await roundTrip(text, file)));
  return wrong;
}

function shapesOf(run: CaseRun): Options["shapes"] {
  return Object.fromEntries([...run.inputs].map(([name, tensor]) => [name, tensor.shape]));
}

/** The same runs without giving the shapes when compiling. */
async function dynamicRuns(
  file: CaseFile,
  text: string,
  options: Options,
  host: CompileHost,
): Promise<readonly string[]> {
  const { compilation } = await compileText(text, { ...options, shapes: {} }, file.slug, file.binds, host);
  const program = dynamicProgram(compilation);
  if (program === null) return ["is refused"];
  return file.runs.flatMap((run) =>
    [runPrimitive, interpretPrimitive].flatMap((execute) => {
      const difference = attempt(() =>
        compareRun(runDynamic(program, run.inputs, execute).values, run, file.exact),
      );
      return difference === null ? [] : [difference];
    }),
  );
}

function refused(want: NonNullable<CaseFile["error"]>, done: CompiledText, text: string): readonly string[] {
  const error = done.diagnostics.findIndex((found) => found.severity === "error");
  // Filling in what the text lacks is right if it is said.
  const at = error >= 0 ? error : done.diagnostics.findIndex(({ code }) => code === "RS1043");
  const found = done.diagnostics[at];
  if (found === undefined)
    return [
      `is accepted, expected a refusal while ${want.stage === "infer" ? "inferring types" : "parsing"}`,
    ];
  const stage =
    done.compilation.diagnosticStages[at] === "types" ? "infer" : done.compilation.diagnosticStages[at];
  const where = found.span === null ? "nowhere" : text.slice(found.span.start, found.span.end);
  const wrong: string[] = [];
  if (stage !== want.stage) wrong.push(`refused in stage ${stage}, expected ${want.stage}`);
  if (where !== want.at) wrong.push(`refused at "${where}", expected "${want.at}"`);
  return wrong;
}

/** As runCase, for a model file: `runs` are the values that its script writes beside it. */
export async function runModelCase(
  file: CaseFile,
  bytes: Uint8Array,
  runs: readonly CaseRun[],
  settings: CaseSettings = allLevels,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const optLevel of settings.levels) {
    const done = await compile(
      { kind: "onnx", name: `${file.slug}.onnx`, bytes, files: new Map() },
      { ...defaultOptions, optLevel },
      settings.host,
    );
    const named = runs.map((run) => ({
      ...run,
      inputs: new Map([...run.inputs].map(([name, tensor]) => [parameterName(done, name), tensor])),
    }));
    wrong.push(
      ...accepted({ ...file, runs: named }, done, settings.c.includes(optLevel)).map(
        (problem) => `opt level ${optLevel}: ${problem}`,
      ),
    );
  }
  return wrong;
}

function accepted(file: CaseFile, compilation: Compilation, withC: boolean): readonly string[] {
  const found = compilation.diagnostics.find((one) => one.severity === "error");
  if (found !== undefined) return [`refused: ${found.code} ${found.message}`];
  const aot = aotPlan(compilation);
  const wrong: string[] = [];
  for (const run of file.runs) {
    const ways: (readonly [string, () => readonly TensorData[]])[] = [
      ["aot", () => runModel(compilation, run.inputs, { executor: "aot", repeats: 0 }).outputs],
      ["graph", () => runModel(compilation, run.inputs, { executor: "graph", repeats: 0 }).outputs],
      ["interpreter", () => interpretModel(aot!, compilation.primitives, run.inputs)],
      ...(withC ? [["C", () => runC(compilation, run.inputs)] as const] : []),
    ];
    for (const [way, outputs] of ways) {
      const difference = attempt(() => compareRun(outputs(), run, file.exact));
      if (difference !== null) wrong.push(`${way}: ${difference}`);
    }
  }
  return wrong;
}

function attempt(check: () => string | null): string | null {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** First difference of outputs in words, or null. */
function compareRun(got: readonly TensorData[], run: CaseRun, exact: boolean): string | null {
  if (got.length !== run.outputs.length) return `${got.length} outputs, expected ${run.outputs.length}`;
  for (const [i, want] of run.outputs.entries()) {
    const difference = compareTensor(got[i]!, want, exact);
    if (difference !== null) return `output ${i}: ${difference}`;
  }
  return null;
}

function compareTensor(got: TensorData, want: TensorData, exact: boolean): string | null {
  if (got.dtype !== want.dtype) return `dtype ${got.dtype.name}, expected ${want.dtype.name}`;
  if (got.shape.join() !== want.shape.join())
    return `shape (${got.shape.join(", ")}), expected (${want.shape.join(", ")})`;
  if (exact) {
    const a = tensorBytes(got);
    return tensorBytes(want).every((byte, i) => byte === a[i])
      ? null
      : `differs in bits: ${shown(got)}, expected ${shown(want)}`;
  }
  const float = want.dtype.code === "float" || want.dtype.code === "bfloat";
  const a = flatValues(got).values;
  const b = flatValues(want).values;
  for (const [i, expected] of b.entries()) {
    const value = a[i]!;
    if (Object.is(value, expected) || value === expected) continue;
    if (
      float &&
      typeof value === "number" &&
      typeof expected === "number" &&
      Math.abs(value - expected) <= 1e-6 + 2e-6 * Math.abs(expected)
    )
      continue;
    return `element ${i} is ${String(value)}, expected ${String(expected)}`;
  }
  return null;
}

function shown(tensor: TensorData): string {
  const { values }: OutputJson = flatValues(tensor);
  return `[${values.slice(0, 8).map(String).join(", ")}${values.length > 8 ? ", …" : ""}]`;
}

/** What is printed reads back as the same program, and prints the same. */
async function roundTrip(text: string, file: CaseFile): Promise<readonly string[]> {
  const typed = async (source: string) => {
    const done = await compile(
      { kind: "relay", text: source, name: file.slug },
      { ...defaultOptions, optLevel: 0 },
      nodeHost,
    );
    return done.trace.steps.find((step) => step.pass === "InferType")?.after ?? null;
  };
  const first = await typed(text);
  if (first === null) return ["InferType was not reached"];
  const printed = printModule(first, { ops, showMeta: true }).text;
  const second = await typed(printed);
  if (second === null) return ["what is printed cannot be read"];
  const main = first.functions.get("main");
  const again = second.functions.get("main");
  if (main === undefined || again === undefined || !structuralEqual(main, again))
    return ["what is printed reads back as another program"];
  return printModule(second, { ops, showMeta: true }).text === printed
    ? []
    : ["printing again gives another text"];
}
