// Everything that running a compiled model takes, as plain data: it crosses from the compiling thread to the running one.
// Addresses are bytes in the module's memory; a step calls a kernel or copies bytes.
import type { Compilation } from "../compiler/compile.ts";
import { addressOf, type WasmModule } from "../compiler/codegen/wasm/module.ts";
import type { WasmLayout } from "../compiler/codegen/wasm/layout.ts";
import type { AotArg, AotPlan, GraphPlan, LoweredPrimitive } from "../compiler/executor/plan.ts";
import { byteSize, parseDType } from "../compiler/ir/dtype.ts";
import { elementCount, tensorBytes, type TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../compiler/ir/type.ts";
import { invariant } from "../support/assert.ts";
import { instantiate, readTensor, writeBytes, type Instance } from "./memory.ts";

export interface TensorPlace {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly offset: number;
}

export interface RunStep {
  /** Exported function; "" copies `bytes` from args[1] to args[0]. */
  readonly symbol: string;
  readonly args: readonly number[];
  readonly bytes: number;
}

/** What one executor does. */
export interface RunProgram {
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
}

export interface RunResult {
  readonly outputs: readonly TensorData[];
  /** Milliseconds of one whole run, least of the repeats. */
  readonly ms: number;
  /** Microseconds of each step, least of the repeats. */
  readonly callMicros: Float64Array;
}

/** Null where the compilation has no WebAssembly. */
export function runBundle(done: Pick<Compilation, "wasm" | "aot" | "graph" | "primitives">): RunBundle | null {
  const { wasm } = done;
  if (wasm === null) return null;
  return makeBundle(wasm, done.primitives, done.aot?.ok === true ? done.aot.value : null, done.graph?.ok === true ? done.graph.value : null);
}

export function makeBundle(wasm: WasmModule, primitives: readonly LoweredPrimitive[], aot: AotPlan | null, graph: GraphPlan | null): RunBundle {
  return {
    bytes: wasm.bytes,
    constants: wasm.constantsEmbedded ? [] : wasm.layout.constants.map((block) => ({ offset: block.offset, bytes: tensorBytes(block.data) })),
    aot: aot === null ? null : aotProgram(wasm.layout, aot),
    graph: graph === null ? null : graphProgram(wasm.layout, primitives, graph),
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
    steps: aot.calls.map((call) => {
      if (call.kind === "call") return { symbol: call.symbol, args: call.args.map((arg) => addressOf(layout, arg)), bytes: 0 };
      const [source, destination] = call.args as [AotArg, AotArg];
      return { symbol: "", args: [addressOf(layout, destination), addressOf(layout, source)], bytes: call.bytes };
    }),
    whole: "run_model",
  };
}

/** Interprets the graph JSON: a step a tvm_op node, arguments by their storage ids. __nop nodes share their input's storage. */
function graphProgram(layout: WasmLayout, primitives: readonly LoweredPrimitive[], graph: GraphPlan): RunProgram {
  const { json } = graph;
  const column = <T>(name: string): readonly T[] => json.attrs[name]![1] as readonly T[];
  const storages = column<number>("storage_id");
  const shapes = column<readonly number[]>("shape");
  const dtypes = column<string>("dltype");
  const row = (node: number, output: number): number => json.node_row_ptr[node]! + output;
  const address = (entry: number): number => layout.graphBlocks[storages[entry]!]!.offset;
  const place = (name: string, entry: number): TensorPlace => ({
    name, offset: address(entry), shape: shapes[entry]!, dtype: dtypes[entry] === "uint1" ? "bool" : dtypes[entry]!,
  });
  const steps: RunStep[] = [];
  json.nodes.forEach((node, i) => {
    if (node.op !== "tvm_op" || node.attrs?.["func_name"] === "__nop") return;
    const primitive = primitives.find((one) => one.index === graph.nodePrimitive[i]);
    invariant(primitive !== undefined, `graph node ${node.name} has no primitive`);
    const outputs = primitive.outputTypes.map((_, output) => address(row(i, output)));
    steps.push({ symbol: primitive.symbol, args: [...node.inputs.map(([from, output]) => address(row(from, output))), ...outputs], bytes: 0 });
  });
  return {
    inputs: json.arg_nodes.filter((node) => !graph.params.has(json.nodes[node]!.name)).map((node) => place(json.nodes[node]!.name, row(node, 0))),
    outputs: json.heads.map(([node, output], i) => place(i === 0 ? "output" : `output${i}`, row(node, output))),
    steps, whole: null,
  };
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
 * Runs once to warm up, then `repeats` times whole and as often step by step. Throws Error for a missing input or one of
 * another type, and for what the executor refused.
 */
export function runBundleOnce(
  bundle: RunBundle, executor: "aot" | "graph", inputs: ReadonlyMap<string, TensorData>, repeats: number, now: () => number,
): RunResult {
  return runProgram(startBundle(bundle), executor, inputs, { repeats, steps: true }, now);
}

/** As runBundleOnce, on an instance that stands already; `steps` says whether single steps are timed too. */
export function runProgram(
  running: Running, executor: "aot" | "graph", inputs: ReadonlyMap<string, TensorData>,
  { repeats, steps }: { readonly repeats: number; readonly steps: boolean }, now: () => number,
): RunResult {
  const program = running.bundle[executor];
  if (program === null) throw new Error(`the ${executor} executor has refused this model`);
  const { memory } = running.instance;
  const setInputs = (): void => {
    for (const place of program.inputs) writeInput(memory, place, inputs.get(place.name));
  };
  const runs = bind(running.instance, program);
  setInputs();
  runs.whole();
  const outputs = program.outputs.map((place) => readTensor(memory, place.offset, parseDType(place.dtype)!, place.shape));
  let ms = Infinity;
  const callMicros = new Float64Array(program.steps.length).fill(Infinity);
  for (let i = 0; i < repeats; i++) {
    // Storage of inputs may be reused inside a run; a batch of several runs only ever serves timing.
    setInputs();
    ms = Math.min(ms, timedBatch(runs.whole, leastMs, now));
  }
  const rounds = steps ? Math.min(repeats, 5) : 0;
  const target = Math.min(leastMs, stepBudgetMs / Math.max(1, runs.steps.length * rounds));
  for (let i = 0; i < rounds; i++) {
    setInputs();
    runs.steps.forEach((step, s) => {
      callMicros[s] = Math.min(callMicros[s]!, timedBatch(step, target, now) * 1000);
    });
  }
  return { outputs, ms: repeats > 0 ? ms : 0, callMicros: steps && repeats > 0 ? callMicros : callMicros.fill(0) };
}

/** Browsers round their clocks to 5 or 100 microseconds, so a short call is timed in batches of at least this long, ms. */
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

function bind(instance: Instance, program: RunProgram): { readonly whole: () => void; readonly steps: readonly (() => void)[] } {
  const bytes = new Uint8Array(instance.memory.buffer);
  const steps = program.steps.map((step) => {
    const { args } = step;
    if (step.symbol === "") return () => bytes.copyWithin(args[0]!, args[1]!, args[1]! + step.bytes);
    const kernel = instance.functions.get(step.symbol);
    invariant(kernel !== undefined, `the module has no function ${step.symbol}`);
    return () => kernel(...args);
  });
  const whole = program.whole === null ? () => {
    for (const step of steps) step();
  } : () => instance.functions.get(program.whole!)!();
  return { whole, steps };
}

function writeInput(memory: WebAssembly.Memory, place: TensorPlace, tensor: TensorData | undefined): void {
  if (tensor === undefined) throw new Error(`no value was given for input ${place.name}`);
  const bytes = tensorBytes(tensor);
  const expected = elementCount(place.shape) * byteSize(parseDType(place.dtype)!);
  if (tensor.dtype.name !== place.dtype || bytes.length !== expected) {
    throw new Error(`input ${place.name} is (${place.shape.join(", ")}) ${place.dtype}, got (${tensor.shape.join(", ")}) ${tensor.dtype.name}`);
  }
  writeBytes(memory, place.offset, bytes);
}
