// The kinds of trials, each a function of a seed. What one finds comes with a reducer.
import { numbersOf } from "../../compiler/frontend/values.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { at } from "../../support/assert.ts";
import type { CJob } from "./c-batch.ts";
import { caseText } from "./case-text.ts";
import type { Program } from "./builder.ts";
import { programInputs, programText, randomProgram } from "./program.ts";
import { nodeText, randomOnnxNode } from "./onnx-node.ts";
import { tryOnnxNode } from "./onnx-trial.ts";
import { mutatedText } from "./mutate.ts";
import { tryDamagedLink, tryDamagedOnnx, tryDamagedTflite, tryDamagedZip, type FileTried } from "./files.ts";
import { againstOracle, randomSingle } from "./single.ts";
import { edgeCalls, edgeProgram } from "./edges.ts";
import { random, type Random } from "./random.ts";
import { reduceProgram } from "./reduce.ts";
import { randomOptions, type Setting } from "./settings.ts";
import { tryText, type Problem, type Tried } from "./ways.ts";

export interface TrialResult {
  /** Ways of running that gave values. */
  readonly runs: number;
  readonly problems: readonly Problem[];
  /** What was tried, as a case file; shorter where `reduceMs` milliseconds are given for that. */
  readonly source: (problem: Problem, reduceMs: number) => Promise<string>;
  /** The program for the C batch, null where C has nothing to run. */
  readonly c: CJob | null;
  /** What was asked for was refused with a message. */
  readonly refused: boolean;
}

export interface TrialNumber {
  readonly seed: number;
  /** Counts the trials of a kind: enumerations go by it. */
  readonly n: number;
  /** Name of the C module, which no other of a batch may have. */
  readonly module: string;
  /** Called before each compilation and run. */
  readonly alive?: (() => void) | undefined;
}

type Trial = (number: TrialNumber) => Promise<TrialResult>;

interface Kind {
  readonly run: Trial;
  /** Its share of the time. */
  readonly share: number;
  /** The program that is tried: what is left of a trial that hangs or ends its process. */
  readonly text: (number: TrialNumber) => string;
}

async function programTrial({ seed, module, alive }: TrialNumber): Promise<TrialResult> {
  const rng = random(seed);
  const program = randomProgram(rng);
  const both = [randomOptions(rng, module), randomOptions(rng, `${module}b`)];
  const more = rng.chance(0.3) ? [otherInputs(rng, program, `${module}c`)] : [];
  return programResult({ kind: "program", seed, alive }, program, [...both, ...more]);
}

/** Inputs of dynamic dimensions, which options fix or only running does, or one that is a constant. */
function otherInputs(rng: Random, { params }: Program, modName: string): Setting {
  const options = randomOptions(rng, modName);
  const small = params.filter(({ value }) => value.data.length > 0 && value.data.length <= 8);
  if (small.length > 0 && rng.chance(0.4)) {
    const { name, value } = rng.pick(small);
    return { ...options, bindValues: { [name.slice(1)]: numbersOf(value) } };
  }
  const shapes = Object.fromEntries(params.map(({ name, value }) => [name.slice(1), value.shape]));
  return { ...options, dynamic: true, ...(rng.chance(0.5) ? { shapes } : {}) };
}

/** Stride over the enumeration: neighbours are of other operators. */
const edgeStride = 7919;

const edgeOf = ({ seed, n }: TrialNumber): Program =>
  edgeProgram(random(seed), at(edgeCalls, (n * edgeStride) % edgeCalls.length, "edges"));

async function edgeTrial(number: TrialNumber): Promise<TrialResult> {
  return programResult({ kind: "edge", ...number }, edgeOf(number), bothLevels(number.module));
}

/** Levels 0 and 3, which must agree with each other and with an oracle. */
async function singleTrial({ seed, module, alive }: TrialNumber): Promise<TrialResult> {
  const single = randomSingle(random(seed));
  if (single === null) return nothing;
  return programResult({ kind: "single", seed, alive }, single.program, bothLevels(module), (tried) =>
    againstOracle(single, tried),
  );
}

const nothing: TrialResult = {
  runs: 0,
  problems: [],
  source: () => Promise.resolve(""),
  c: null,
  refused: false,
};

const bothLevels = (module: string): readonly Setting[] =>
  ([0, 3] as const).map((optLevel) => ({ ...defaultOptions, optLevel, modName: `${module}_${optLevel}` }));

async function onnxTrial({ seed }: TrialNumber): Promise<TrialResult> {
  const { problems, refused, runs, text } = await tryOnnxNode(random(seed));
  return { runs, problems, refused, c: null, source: () => Promise.resolve(`${text}\n`) };
}

const damagedText = (rng: Random): string =>
  mutatedText(rng, programText(randomProgram(rng, 1 + rng.below(5))));

async function textTrial({ seed, module, alive }: TrialNumber): Promise<TrialResult> {
  const rng = random(seed);
  const text = damagedText(rng);
  const options = [randomOptions(rng, module)];
  const tried = await tryText(text, null, options, alive);
  return {
    runs: tried.runs,
    problems: tried.problems,
    refused: tried.refused !== null,
    c: null,
    source: (problem) =>
      Promise.resolve(caseText({ kind: "text", seed, problem, options, inputs: new Map(), text })),
  };
}

/** A trial of damaged files; tried again by its number. */
const fileTrial =
  (attempt: (rng: Random) => Promise<FileTried>): Trial =>
  async ({ seed }) => {
    const tried = await attempt(random(seed));
    return { ...tried, c: null, source: ({ detail }) => Promise.resolve(`// seed ${seed}: ${detail}\n`) };
  };

/** Compiles and runs a program under each of `options`. */
export async function programResult(
  { kind, seed, alive }: Pick<TrialNumber, "seed" | "alive"> & { readonly kind: string },
  program: Program,
  options: readonly Setting[],
  check: (tried: Tried) => Problem | null = () => null,
): Promise<TrialResult> {
  const inputs = programInputs(program);
  const tried = await tryText(programText(program), inputs, options, alive);
  const { done, outputs } = tried;
  const wrong = check(tried);
  const runsInC = done !== null && outputs !== null && done.reached === "wasm" && done.aot.ok;
  return {
    runs: tried.runs,
    problems: wrong === null ? tried.problems : [...tried.problems, wrong],
    refused: tried.refused !== null,
    c: runsInC ? { done, inputs, outputs } : null,
    source: async (problem, reduceMs) => {
      const small = await reducedProgram(program, problem, options, reduceMs);
      const text = programText(small.program);
      return caseText({ kind, seed, problem, ...small, inputs: programInputs(small.program), text });
    },
  };
}

async function reducedProgram(
  program: Program,
  problem: Problem,
  options: readonly Setting[],
  reduceMs: number,
): Promise<{ readonly program: Program; readonly options: readonly Setting[] }> {
  const until = performance.now() + reduceMs;
  const shows =
    (under: readonly Setting[]) =>
    async (one: Program): Promise<boolean> => {
      const tried = await tryText(programText(one), programInputs(one), under);
      return tried.problems.some(({ key }) => key === problem.key);
    };
  if (reduceMs <= 0) return { program, options };
  const alone = await firstOf([...options.map((one) => [one]), options], (under) => shows(under)(program));
  const under = alone ?? options;
  const small = await reduceProgram(program, shows(under), until);
  return { program: small, options: await plainerOptions(under, (next) => shows(next)(small)) };
}

/** Each option that need not be what it is, at its default. */
async function plainerOptions(
  options: readonly Setting[],
  fails: (options: readonly Setting[]) => Promise<boolean>,
): Promise<readonly Setting[]> {
  let best = options;
  for (const name of Object.keys(defaultOptions).filter((key) => key !== "modName"))
    for (const [i] of options.entries()) {
      const plain = { [name]: defaultOptions[name as keyof Options] };
      const next = best.map((one, k) => (k === i ? { ...one, ...plain } : one));
      if (JSON.stringify(next) !== JSON.stringify(best) && (await fails(next))) best = next;
    }
  return best;
}

async function firstOf<T>(list: readonly T[], test: (item: T) => Promise<boolean>): Promise<T | null> {
  for (const item of list) if (await test(item)) return item;
  return null;
}

const fileKind = (attempt: (rng: Random) => Promise<FileTried>, share: number): Kind => ({
  run: fileTrial(attempt),
  share,
  text: ({ seed }) => `// seed ${seed}`,
});

export const trials: Readonly<Record<string, Kind>> = {
  program: { run: programTrial, share: 5, text: ({ seed }) => programText(randomProgram(random(seed))) },
  edge: { run: edgeTrial, share: 3, text: (number) => programText(edgeOf(number)) },
  single: {
    run: singleTrial,
    share: 2,
    text: ({ seed }) => {
      const single = randomSingle(random(seed));
      return single === null ? "" : programText(single.program);
    },
  },
  onnx: { run: onnxTrial, share: 1, text: ({ seed }) => nodeText(randomOnnxNode(random(seed)).file) },
  text: { run: textTrial, share: 2, text: ({ seed }) => damagedText(random(seed)) },
  "onnx-file": fileKind(tryDamagedOnnx, 1),
  "tflite-file": fileKind(tryDamagedTflite, 1),
  link: fileKind(tryDamagedLink, 0.5),
  zip: fileKind(tryDamagedZip, 0.5),
};
