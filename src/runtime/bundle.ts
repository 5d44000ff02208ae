// Everything that running a compiled model takes, as plain data: it crosses from the compiling thread to the
// running one. Addresses are bytes in the module's memory; a step calls a kernel or copies bytes.
import { type Compilation, aotPlan, graphPlan } from "../compiler/compilation.ts";
import { addressOf, type WasmModule } from "../compiler/codegen/wasm/module.ts";
import type { WasmLayout } from "../compiler/codegen/wasm/layout.ts";
import type { GraphNode, GraphPlan } from "../compiler/executor/graph-plan.ts";
import { matchingRows, type AotPlan } from "../compiler/executor/plan.ts";
import { byteSize, parseDType } from "../compiler/ir/dtype.ts";
import { elementCount, tensorBytes, type TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../compiler/ir/type.ts";
import { at, first, invariant } from "../support/assert.ts";
import { instantiate, readTensor, trapped, writeBytes, type Instance } from "./memory.ts";

export interface TensorPlace {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly offset: number;
}

interface RunStep {
  /**
   * "call" calls the exported function `symbol` on args; "copy" copies `bytes` from args[1] to args[0];
   * "branch" goes to step `target` unless the byte at args[0] is set; "jump" goes to step `target`.
   */
  readonly kind: "call" | "copy" | "branch" | "jump";
  readonly symbol: string;
  readonly args: readonly number[];
  readonly bytes: number;
  readonly target: number;
}

/** What one executor does. */
interface RunProgram {
  readonly inputs: readonly TensorPlace[];
  readonly outputs: readonly TensorPlace[];
  readonly steps: readonly RunStep[];
  /** Exported function that does all steps in order, or null. */
  readonly whole: string | null;
}

export interface RunBundle {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Constants that the module does not hold itself. */
  readonly constants: readonly { readonly offset: number; readonly bytes: Uint8Array }[];
  readonly aot: RunProgram | null;
  readonly graph: RunProgram | null;
  /** What a model file calls the results; none of Relay text. */
  readonly outputNames: readonly string[];
}

export interface RunResult {
  readonly outputs: readonly TensorData[];
  /** Milliseconds of one whole run, least of the repeats. */
  readonly ms: number;
  /** Microseconds of each step, least of the repeats. */
  readonly callMicros: Float64Array;
}

/** Null where the compilation has no WebAssembly. */
export function runBundle(done: Compilation): RunBundle | null {
  return done.reached === "wasm"
    ? makeBundle(done.wasm, aotPlan(done), graphPlan(done), done.outputNames)
    : null;
}

export function makeBundle(
  wasm: WasmModule,
  aot: AotPlan | null,
  graph: GraphPlan | null,
  outputNames: readonly string[] = [],
): RunBundle {
  return {
    bytes: wasm.bytes,
    constants: wasm.constantsEmbedded
      ? []
      : wasm.layout.constants.map((block) => ({ offset: block.offset, bytes: tensorBytes(block.data) })),
    aot: aot === null ? null : aotProgram(wasm.layout, aot),
    graph: graph === null ? null : graphProgram(wasm.layout, graph),
    outputNames,
  };
}

function placeOf(name: string, type: TensorType, offset: number): TensorPlace {
  const shape = staticShape(type);
  invariant(shape !== null, `${name} has a shape that is not known`);
  return { name, dtype: type.dtype.name, shape, offset };
}

function aotProgram(layout: WasmLayout, aot: AotPlan): RunProgram {
  return {
    inputs: aot.inputs.map((input, i) => placeOf(input.name, input.type, layout.inputs[i]!.offset)),
    outputs: aot.outputs.map((output, i) => placeOf(output.name, output.type, layout.outputs[i]!.offset)),
    steps: aotSteps(layout, aot),
    whole: "run_model",
  };
}

/** One step a row of the plan: rows "else" and "end" are jumps, the latter to the next step. */
function aotSteps(layout: WasmLayout, aot: AotPlan): readonly RunStep[] {
  const matching = matchingRows(aot.calls);
  return aot.calls.map((call, i) => {
    const args = call.args.map((arg) => addressOf(layout, arg));
    switch (call.kind) {
      case "call":
        return step("call", args, { symbol: call.symbol });
      case "copy":
        return step("copy", [args[1]!, args[0]!], { bytes: call.bytes });
      case "if":
        return step("branch", args, { target: matching.get(i)! + 1 });
      case "else":
        return step("jump", [], { target: matching.get(i)! });
      case "end":
        return step("jump", [], { target: i + 1 });
    }
  });
}

function step(
  kind: RunStep["kind"],
  args: readonly number[],
  rest: Partial<Pick<RunStep, "symbol" | "bytes" | "target">>,
): RunStep {
  return { kind, args, symbol: "", bytes: 0, target: 0, ...rest };
}

/** The graph plan read for running. */
interface GraphReader {
  readonly graph: GraphPlan;
  /** Address of an entry. */
  readonly address: (entry: number) => number;
  readonly branches: ReadonlyMap<number, readonly number[]>;
  readonly steps: RunStep[];
}

/**
 * Interprets the graph: a step an operator node, arguments by their storage ids. Reshapes share their input's
 * storage.
 */
function graphProgram(layout: WasmLayout, graph: GraphPlan): RunProgram {
  const { nodes, entries } = graph;
  const address = (entry: number): number =>
    at(layout.graphBlocks, at(entries, entry, "graph entry").storage, "storage").offset;
  const place = (name: string, entry: number): TensorPlace => {
    const { shape, dtype } = at(entries, entry, "graph entry");
    return { name, offset: address(entry), shape, dtype: dtype.name };
  };
  const reader: GraphReader = { graph, address, branches: branchesByStart(nodes), steps: [] };
  runNodes(reader, 0, nodes.length);
  return {
    inputs: nodes.flatMap((node) =>
      node.kind === "input" ? [place(node.name, first(node.outputs, "result"))] : [],
    ),
    outputs: graph.results.map((entry, i) => place(i === 0 ? "output" : `output${i}`, entry)),
    steps: reader.steps,
    whole: null,
  };
}

/** Steps of nodes [from, to). */
function runNodes(reader: GraphReader, from: number, to: number): void {
  const { nodes } = reader.graph;
  for (let i = from; i < to; i++) {
    const branch = reader.branches.get(i)?.find((end) => end < to);
    if (branch !== undefined) {
      runBranch(reader, branch);
      i = branch;
      continue;
    }
    const node = at(nodes, i, "graph node");
    if (node.kind !== "call" || node.reshapeOnly) continue;
    if (node.primitive.isCopy)
      reader.steps.push(copyStep(reader, first(node.outputs, "result"), first(node.inputs, "argument")));
    else {
      const args = [...node.inputs, ...node.outputs].map(reader.address);
      reader.steps.push(step("call", args, { symbol: node.primitive.symbol }));
    }
  }
}

function copyStep({ graph, address }: GraphReader, into: number, from: number): RunStep {
  return step("copy", [address(into), address(from)], {
    bytes: at(graph.entries, into, "graph entry").bytes,
  });
}

/** An if: see executor/graph-plan.ts. */
function runBranch(reader: GraphReader, end: number): void {
  const node = reader.graph.nodes[end];
  invariant(node?.kind === "branch", "a branch of the graph ends elsewhere");
  const { inputs, outputs, thenBegin, elseBegin } = node;
  const [condition, ...sources] = inputs;
  const test = [reader.address(condition!)];
  const side = (from: number, to: number, skipped: number): void => {
    runNodes(reader, from, to);
    outputs.forEach((into, k) => reader.steps.push(copyStep(reader, into, sources[skipped + k]!)));
  };
  const branch = reader.steps.length;
  reader.steps.push(step("branch", test, {}));
  side(thenBegin, elseBegin, 0);
  const jump = reader.steps.length;
  reader.steps.push(step("jump", [], {}));
  side(elseBegin, end, outputs.length);
  reader.steps[branch] = step("branch", test, { target: jump + 1 });
  reader.steps[jump] = step("jump", [], { target: reader.steps.length });
}

/** Ifs by the node that their first branch starts with, outermost first. */
function branchesByStart(nodes: readonly GraphNode[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  nodes.forEach((node, i) => {
    if (node.kind !== "branch") return;
    found.set(node.thenBegin, [i, ...(found.get(node.thenBegin) ?? [])]);
  });
  return found;
}

/** A bundle with an instance of its module. */
export interface Running {
  readonly bundle: RunBundle;
  readonly instance: Instance;
}

export function startBundle(bundle: RunBundle): Running {
  const instance = instantiate(bundle.bytes);
  for (const { offset, bytes } of bundle.constants) writeBytes(instance.memory, offset, bytes);
  return { bundle, instance };
}

/**
 * Runs once to warm up, then `repeats` times whole and as often step by step. Throws Error for a missing
 * input or one of another type, and for what the executor refused.
 */
export function runBundleOnce(
  bundle: RunBundle,
  executor: "aot" | "graph",
  inputs: ReadonlyMap<string, TensorData>,
  repeats: number,
  now: () => number,
): RunResult {
  return runProgram(startBundle(bundle), executor, inputs, { repeats, steps: true }, now);
}

/** As runBundleOnce, on an instance that stands already; `steps` says whether single steps are timed too. */
export function runProgram(
  running: Running,
  executor: "aot" | "graph",
  inputs: ReadonlyMap<string, TensorData>,
  { repeats, steps }: { readonly repeats: number; readonly steps: boolean },
  now: () => number,
): RunResult {
  const program = running.bundle[executor];
  if (program === null) throw new Error(`the ${executor} executor has refused this model`);
  const { memory } = running.instance;
  const setInputs = (): void => {
    for (const place of program.inputs) writeInput(memory, place, inputs.get(place.name));
  };
  const runs = bind(running.instance, program);
  setInputs();
  trapped(runs.whole);
  const outputs = program.outputs.map((place) =>
    readTensor(memory, place.offset, parseDType(place.dtype)!, place.shape),
  );
  let ms = Infinity;
  const callMicros = new Float64Array(program.steps.length).fill(Infinity);
  for (let i = 0; i < repeats; i++) {
    // Storage of inputs may be reused inside a run; a batch of several runs only ever serves timing.
    setInputs();
    ms = Math.min(ms, timedBatch(runs.whole, leastMs, now));
  }
  const rounds = steps ? Math.min(repeats, 5) : 0;
  const target = Math.min(leastMs, stepBudgetMs / Math.max(1, program.steps.length * rounds));
  for (let i = 0; i < rounds; i++) {
    setInputs();
    runs.stepwise((step, s) => {
      callMicros[s] = Math.min(callMicros[s]!, timedBatch(step, target, now) * 1000);
    });
  }
  // Steps of a branch that was not taken took no time.
  return {
    outputs,
    ms: repeats > 0 ? ms : 0,
    callMicros: callMicros.map((micros) => (micros === Infinity ? 0 : micros)),
  };
}

/**
 * Browsers round their clocks to 5 or 100 microseconds, so a short call is timed in batches of at least this
 * long, ms.
 */
const leastMs = 1;
/** What timing all single calls together may cost, ms. */
const stepBudgetMs = 600;

/** Milliseconds of one `run`, from a batch that takes `target` or more (at most 4,096 runs). */
function timedBatch(run: () => void, target: number, now: () => number): number {
  for (let count = 1; ; count *= 4) {
    const start = now();
    for (let i = 0; i < count; i++) run();
    const elapsed = now() - start;
    if (elapsed >= target || count >= 4096) return elapsed / count;
  }
}

/** The steps of one program on one instance. */
interface Bound {
  /** All steps in order, by the module's own runner where it has one. */
  readonly whole: () => void;
  /** As whole, but step by step; `around` runs each. */
  readonly stepwise: (around: (step: () => void, index: number) => void) => void;
}

function bind(instance: Instance, program: RunProgram): Bound {
  const bytes = new Uint8Array(instance.memory.buffer);
  // What comes after a step, where that is not the next.
  let target = -1;
  const steps = program.steps.map(({ kind, symbol, args, bytes: count, target: to }) => {
    switch (kind) {
      case "copy":
        return () => void bytes.copyWithin(args[0]!, args[1]!, args[1]! + count);
      case "branch":
        return () => void (bytes[args[0]!] === 0 && (target = to));
      case "jump":
        return () => void (target = to);
      case "call": {
        const kernel = instance.functions.get(symbol);
        invariant(kernel !== undefined, `the module has no function ${symbol}`);
        return () => kernel(...args);
      }
    }
  });
  const stepwise: Bound["stepwise"] = (around) => {
    for (let position = 0; position < steps.length;) {
      target = position + 1;
      around(steps[position]!, position);
      position = target;
    }
  };
  const whole =
    program.whole === null ? () => stepwise((run) => run()) : () => instance.functions.get(program.whole!)!();
  return { whole, stepwise };
}

function writeInput(memory: WebAssembly.Memory, place: TensorPlace, tensor: TensorData | undefined): void {
  if (tensor === undefined) throw new Error(`no value was given for input ${place.name}`);
  const bytes = tensorBytes(tensor);
  const expected = elementCount(place.shape) * byteSize(parseDType(place.dtype)!);
  if (tensor.dtype.name !== place.dtype || bytes.length !== expected) {
    throw new Error(
      `input ${place.name} is (${place.shape.join(", ")}) ${place.dtype}, got (${tensor.shape.join(", ")}) ${tensor.dtype.name}`,
    );
  }
  writeBytes(memory, place.offset, bytes);
}
