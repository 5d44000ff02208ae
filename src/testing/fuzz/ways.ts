// One program under two sets of options, by every way of running it in this process.
import { aotPlan, mainOf, type Compilation } from "../../compiler/compilation.ts";
import { CompileError, type Diagnostic } from "../../compiler/ir/diagnostic.ts";
import { byteSize, isFloat } from "../../compiler/ir/dtype.ts";
import { elementCount, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { staticShape } from "../../compiler/ir/type.ts";
import { fromNumbers, numbersOf } from "../../compiler/frontend/values.ts";
import { compile } from "../../compiler/compile.ts";
import type { Options } from "../../compiler/options.ts";
import { filledInputs, verifyingHost } from "../../node/engine.ts";
import { runDynamic } from "../../runtime/dynamic-run.ts";
import { interpretModel, interpretPrimitive } from "../../runtime/interp-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { differenceOf, type Difference } from "./compare.ts";
import { guardedPrimitive, runGuarded } from "./guard.ts";
import { random } from "./random.ts";
import { dynamicText, type Setting } from "./settings.ts";

export interface Problem {
  readonly kind: "mismatch" | "crash" | "message" | "memory" | "sanitizer" | "hang";
  /** What a smaller program must show too to be the same problem. */
  readonly key: string;
  readonly detail: string;
}

export type Inputs = ReadonlyMap<string, TensorData>;

export interface Tried {
  readonly problems: readonly Problem[];
  /** Ways of running that gave values. */
  readonly runs: number;
  /** Code of the message that refused the program, null where it was taken. */
  readonly refused: string | null;
  /** For the C batch: what was compiled, and its values. */
  readonly done: Compilation | null;
  readonly outputs: readonly TensorData[] | null;
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Where in our source an error came from: the first frame that is ours, for telling bugs apart. */
const frame = (error: unknown): string =>
  error instanceof Error ? (/at (?:async )?([\w.$]+) \(/.exec(error.stack ?? "")?.[1] ?? "") : "";

export const crash = (where: string, error: unknown): Problem => ({
  kind: "crash",
  key: `crash ${frame(error)} ${said(error)
    .replace(/\d+|%\w+/g, "#")
    .slice(0, 60)}`,
  detail: `${where}: ${said(error).slice(0, 300)}`,
});

/** Messages about the options, whose place they name. */
const ofOptions = /^RS(?:300[123]|3011|500[78])$/;

/** What is wrong with a message itself. */
export function messageProblem(found: Diagnostic, stage: string): Problem | null {
  const bad = (what: string): Problem => ({
    kind: "message",
    key: `${found.code} ${what}`,
    detail: `${found.code} in ${stage} ${what}: ${found.message}`,
  });
  if (found.code === "RS9001") return bad("is a bug of ours");
  if (found.span === null && found.subject === null && !ofOptions.test(found.code))
    return bad("has no place");
  return null;
}

interface Way {
  readonly name: string;
  readonly run: (inputs: Inputs) => readonly TensorData[];
}

/**
 * Refused because of a pass that level or options leave out, of parameters that are not linked in, of what an
 * external code generator cannot do, of a dtype that a folded value had, or of two devices for what
 * EliminateCommonSubexpr made one.
 */
const byLevel = /^RS(?:6101|3005|3021|4107|4114|5006|5007)/;

/** Memory that a model may take here, bytes. */
const mostBytes = 2 ** 25;
/** The same on the interpreter. */
const mostInterpreted = 2 ** 17;
/**
 * 64 taps an element, each with its weights anew: some thousand elements take the interpreter ten seconds.
 */
const slowToInterpret = /resize3d\([^)]*method="cubic"/;

/** Bytes of what main takes, as far as shapes are known. */
function inputBytes(done: Compilation): number {
  return (mainOf(done)?.params ?? []).reduce((sum, { annotation: type }) => {
    const shape = type?.kind === "tensor-type" ? staticShape(type) : null;
    return shape === null || type?.kind !== "tensor-type"
      ? sum
      : sum + elementCount(shape) * byteSize(type.dtype);
  }, 0);
}

function waysOf(done: Compilation, label: string, inputs: Inputs): readonly Way[] {
  if (done.reached === "dynamic") {
    const bytes = [...inputs.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
    if (bytes > mostInterpreted) return [];
    const program = { plan: done.dynamic, te: done.teCompiler };
    const by = (execute: typeof runPrimitive) => (inputs: Inputs) =>
      runDynamic(program, inputs, execute).values;
    return [
      { name: `${label} dynamic interpreter`, run: by(interpretPrimitive) },
      { name: `${label} dynamic wasm`, run: by(runPrimitive) },
      {
        name: `${label} dynamic guarded`,
        run: by((primitive, args) => guardedPrimitive(primitive, args, 0xa5)),
      },
    ];
  }
  if (done.reached !== "wasm" || done.wasm.layout.totalBytes > mostBytes) return [];
  const aot = aotPlan(done);
  const ways: Way[] = [];
  if (aot !== null) {
    const guarded = (pattern: number) => (inputs: Inputs) =>
      runGuarded(done.wasm, aot, done.primitives, { inputs, pattern });
    if (done.wasm.layout.totalBytes <= mostInterpreted && !slowToInterpret.test(done.text))
      ways.push({
        name: `${label} interpreter`,
        run: (inputs) => interpretModel(aot, done.primitives, inputs),
      });
    ways.push(
      {
        name: `${label} aot`,
        run: (inputs) => runModel(done, inputs, { executor: "aot", repeats: 0 }).outputs,
      },
      { name: `${label} guarded 00`, run: guarded(0) },
      { name: `${label} guarded a5`, run: guarded(0xa5) },
    );
  }
  if (done.graph.ok)
    ways.push({
      name: `${label} graph`,
      run: (inputs) => runModel(done, inputs, { executor: "graph", repeats: 0 }).outputs,
    });
  return ways;
}

/** Values, or the code of the message that a run ended with. */
type Ran = { readonly outputs: readonly TensorData[] } | { readonly code: string };

function attempt(way: Way, inputs: Inputs, problems: Problem[]): Ran | null {
  try {
    const outputs = way.run(inputs);
    // Values may ask for any size (arange): too much to compare, or to run again.
    const bytes = outputs.reduce((sum, { data }) => sum + data.byteLength, 0);
    return bytes > mostBytes ? { code: "large" } : { outputs };
  } catch (error) {
    if (error instanceof CompileError) return { code: error.diagnostic.code };
    const problem = crash(way.name, error);
    problems.push(said(error).startsWith("guard:") ? { ...problem, kind: "memory" } : problem);
    return null;
  }
}

/**
 * Compiles `text` under each of `settings` and runs it by all ways, on filled inputs where `given` is null;
 * calls `alive` before each step, which alone has a deadline. Never throws.
 */
export async function tryText(
  text: string,
  given: Inputs | null,
  settings: readonly Setting[],
  alive: () => void = () => undefined,
): Promise<Tried> {
  const problems: Problem[] = [];
  let refused: string | null = null;
  let accepted = 0;
  let runs = 0;
  let first: { readonly ran: Ran; readonly way: Way; readonly done: Compilation } | null = null;
  for (const [i, one] of settings.entries()) {
    const fast = one.optLevel === 4 && !one.disabledPasses.includes("FastMath");
    const label = `${"AB"[i] ?? i}${one.optLevel}${fast ? "f" : ""}`;
    alive();
    const source = one.dynamic === true ? dynamicText(text) : text;
    const done = await compileOne(source, one, label, problems);
    if (done === null) continue;
    const error = done.diagnostics.find(({ severity }) => severity === "error");
    // Not every operator says its shape for dynamic dimensions, and a value that is bound decides too.
    const isPlain = one.dynamic !== true && Object.keys(one.bindValues).length === 0;
    if (error !== undefined) {
      if (isPlain) refused ??= `${error.code} ${error.message}`;
      continue;
    }
    if (isPlain) accepted++;
    const inputs = given ?? (inputBytes(done) > mostBytes ? null : filledInputs(done));
    if (inputs === null) continue;
    for (const way of waysOf(done, label, inputs)) {
      alive();
      const ran = attempt(way, inputs, problems);
      if (ran === null) continue;
      if ("code" in ran && ran.code === "large") break;
      runs++;
      first ??= { ran, way, done };
      const difference = first.way === way ? null : between(first, { ran, way }, inputs);
      if (difference !== null) problems.push(difference);
    }
  }
  if (refused !== null && accepted > 0 && !byLevel.test(refused))
    problems.push({
      kind: "message",
      key: `uneven ${refused.slice(0, 6)}`,
      detail: `refused with ${refused} under one of the options only`,
    });
  const outputs = first !== null && "outputs" in first.ran ? first.ran.outputs : null;
  return { problems, runs, refused, done: first?.done ?? null, outputs };
}

async function compileOne(
  text: string,
  options: Options,
  label: string,
  problems: Problem[],
): Promise<Compilation | null> {
  try {
    const done = await compile({ kind: "relay", text, name: "fuzz" }, options, verifyingHost);
    done.diagnostics.forEach((found, i) => {
      const problem =
        found.severity === "error" ? messageProblem(found, done.diagnosticStages[i] ?? "") : null;
      if (problem !== null) problems.push(problem);
    });
    return done;
  } catch (error) {
    problems.push(crash(`compiling ${label}`, error));
    return null;
  }
}

interface Side {
  readonly ran: Ran;
  readonly way: Way;
}

function between(first: Side, second: Side, inputs: Inputs): Problem | null {
  const names = `${first.way.name} and ${second.way.name}`;
  const key = `mismatch ${names.replace(/[AB]\df?/g, "")}`;
  if ("code" in first.ran || "code" in second.ran) {
    const code = ({ ran }: Side): string => ("code" in ran ? ran.code : "values");
    const codes = [code(first), code(second)];
    // WebAssembly lacks some dtypes; an operator that a level replaced may have refused more.
    if (codes.includes("RS6101") || (codes.includes("RS2105") && codes.includes("values"))) return null;
    return codes[0] === codes[1]
      ? null
      : { kind: "mismatch", key, detail: `${names}: ${code(first)} and ${code(second)}` };
  }
  // FastMath's polynomials are less exact, and know no NaN.
  const fast = /[AB]4f/.test(names);
  const found = differenceOf(second.ran.outputs, first.ran.outputs, fast ? 50 : 1);
  if (found === null || (fast && found.element >= 0) || illConditioned(first, found, inputs)) return null;
  return {
    kind: "mismatch",
    key,
    detail: `${names}: output ${found.output} element ${found.element} is ${found.want} and ${found.got}`,
  };
}

/**
 * Whether inputs changed by a few roundings move the element by about as much as the two ways differ: then
 * the difference says nothing. Tried with changes of several sizes.
 */
function illConditioned(first: Side, found: Difference, inputs: Inputs): boolean {
  const element = (outputs: readonly TensorData[]): number => {
    const tensor = outputs[found.output];
    return tensor === undefined || !isFloat(tensor.dtype) ? NaN : (numbersOf(tensor)[found.element] ?? NaN);
  };
  const [got, want] = [Number(found.got), Number(found.want)];
  if (found.element < 0 || Number.isNaN(got) !== Number.isNaN(want)) return false;
  const gap = Math.abs(got - want);
  return [1e-7, 1e-6, 1e-5].some((by) => {
    try {
      const moved = element(first.way.run(nudged(inputs, by)));
      return Number.isNaN(moved) || !(Math.abs(moved - want) * 16 < gap);
    } catch {
      return false;
    }
  });
}

/** `inputs` with floats moved by a relative amount. */
function nudged(inputs: Inputs, by: number): Inputs {
  const rng = random(1);
  const moved = (tensor: TensorData): TensorData =>
    fromNumbers(
      tensor.dtype,
      tensor.shape,
      numbersOf(tensor).map((value) => value * (1 + by * (rng.unit() - 0.5))),
    );
  return new Map([...inputs].map(([name, tensor]) => [name, isFloat(tensor.dtype) ? moved(tensor) : tensor]));
}
