// The facts of a program whose shapes are known only when it runs: its calls, its graph with `?` where
// an extent is dynamic, the inputs that need a shape, and the shapes of every call once those are given.
import { own } from "../support/own.ts";
import { type Compilation, dynamicProgram, inputName, outputName } from "../compiler/compilation.ts";
import type { CallArg } from "../protocol/call-arg.ts";
import type { ListingId } from "../protocol/listing-id.ts";
import type { DiagnosticCode } from "../compiler/ir/diagnostic-codes.ts";
import type {
  CallView,
  DynamicInputView,
  ShapeFuncView,
  Summary,
  TensorSpecView,
} from "../protocol/compile.ts";
import type { RunReply, RunRequest } from "../protocol/runner.ts";
import type { ShapesReply } from "../protocol/shapes.ts";
import type { GraphView } from "../protocol/views.ts";
import type { DynamicPlan } from "../compiler/executor/dynamic-plan.ts";
import type { Producer, Value } from "../compiler/executor/main-flow.ts";
import { fillTensor } from "../compiler/frontend/fill.ts";
import { CompileError, type Diagnostic } from "../compiler/ir/diagnostic.ts";
import { byteSize } from "../compiler/ir/dtype.ts";
import { elementCount, type TensorData } from "../compiler/ir/tensor-data.ts";
import { printDim, staticShape, tensorType, type TensorType } from "../compiler/ir/type.ts";
import type { LoweredPrimitive } from "../compiler/lower/lowered.ts";
import type { LoweredShapeFunc } from "../compiler/lower/shape-func.ts";
import type { Var } from "../compiler/relay/expr.ts";
import { evaluateShapes, kernelAt, runDynamic, type DynamicProgram } from "../runtime/dynamic-run.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { layoutGraph, type UnplacedEdge, type UnplacedNode } from "./layout/graph-layout.ts";
import { localName } from "./graph-view.ts";
import { sourcesOf, type OriginCache } from "./owners.ts";
import { fromView, toView } from "./tensor-view.ts";

/** Whether the kernel's loops are known: every extent of what it reads and writes is. */
export function hasLoops(primitive: LoweredPrimitive): boolean {
  return [...primitive.inputTypes, ...primitive.outputTypes].every((type) => staticShape(type) !== null);
}

export function dynamicInputs(params: readonly Var[]): readonly DynamicInputView[] {
  return params.flatMap((param) => {
    const type = param.type;
    if (type?.kind !== "tensor-type" || staticShape(type) !== null) return [];
    return [
      {
        name: param.name,
        dtype: type.dtype.name,
        dims: type.shape.map((dim) => (typeof dim === "number" ? dim : null)),
      },
    ];
  });
}

const needWords = { none: "no need", data: "data", shape: "shape", both: "data and shape" } as const;

/** The shape function of primitive `index`, null where its types say the shapes. */
export function shapeFuncOf(done: Compilation, index: number): LoweredShapeFunc | null {
  if (done.reached !== "dynamic") return null;
  const { flow, shapeFuncs } = done.dynamic;
  let byPrimitive = byPlan.get(done.dynamic);
  if (byPrimitive === undefined) {
    byPrimitive = new Map(
      [...shapeFuncs].map(([call, shapeFunc]) => [flow.calls.get(call)!.primitive.index, shapeFunc]),
    );
    byPlan.set(done.dynamic, byPrimitive);
  }
  return byPrimitive.get(index) ?? null;
}

const byPlan = new WeakMap<DynamicPlan, ReadonlyMap<number, LoweredShapeFunc>>();

export function shapeFuncView(done: Compilation, index: number): ShapeFuncView | null {
  const found = shapeFuncOf(done, index);
  return found === null ? null : { name: found.symbol, needs: found.needs.map((need) => needWords[need]) };
}

/** Calls, in order; their graph nodes are those of dynamicGraph. */
export function dynamicCalls(plan: DynamicPlan, cache: OriginCache): readonly CallView[] {
  const numbers = nodeNumbers(plan);
  return [...callsOf(plan)].map(([call, index]) => {
    const { primitive, args } = plan.flow.calls.get(call)!;
    const results = primitive.outputTypes.map((_, i) => valueArg(plan, { producer: call, index: i }));
    return {
      index,
      primitive: primitive.index,
      symbol: primitive.symbol,
      args: [...args.map((arg) => valueArg(plan, arg)), ...results],
      inputCount: args.length,
      cLines: [0, 0],
      graphNode: numbers.get(call)!,
      sources: sourcesOf(call.origin, cache),
    };
  });
}

const callNumbers = new WeakMap<DynamicPlan, ReadonlyMap<Producer & { readonly kind: "call" }, number>>();

function callsOf(plan: DynamicPlan): ReadonlyMap<Producer & { readonly kind: "call" }, number> {
  let found = callNumbers.get(plan);
  if (found === undefined) {
    found = new Map(
      plan.flow.left
        .flatMap((producer) => (producer.kind === "call" ? [producer] : []))
        .map((call, i) => [call, i]),
    );
    callNumbers.set(plan, found);
  }
  return found;
}

/** What takes the place of a storage: main's inputs and outputs, else the call (or else) that made it. */
function valueArg(plan: DynamicPlan, { producer, index }: Value): CallArg {
  const { flow } = plan;
  if (producer.kind === "var") return { kind: "input", index: flow.params.indexOf(producer) };
  if (producer.kind !== "call") return { kind: producer.kind };
  const result = flow.results.findIndex((value) => value.producer === producer && value.index === index);
  if (result >= 0) return { kind: "output", index: result };
  const several = flow.types.get(producer)!.length > 1;
  return { kind: "result", call: callsOf(plan).get(producer)!, index: several ? index : null };
}

function nodeNumbers({ flow }: DynamicPlan): ReadonlyMap<Producer, number> {
  return new Map<Producer, number>(
    [...flow.params, ...flow.left.filter((producer) => producer.kind !== "var")].map((producer, i) => [
      producer,
      i,
    ]),
  );
}

function shapeText(type: TensorType): string {
  return type.shape.length === 0 ? "scalar" : type.shape.map(printDim).join("×");
}

function typeBytes(type: TensorType): number | null {
  const shape = staticShape(type);
  return shape === null ? null : bytesOf(type, shape);
}

function bytesOf(type: TensorType, shape: readonly number[]): number {
  return elementCount(shape) * byteSize(type.dtype);
}

export function dynamicGraph(plan: DynamicPlan, summary: Summary, cache: OriginCache): GraphView {
  const { flow } = plan;
  const numbers = nodeNumbers(plan);
  const edge = (value: Value, to: number): UnplacedEdge => {
    const type = flow.types.get(value.producer)![value.index]!;
    return {
      from: numbers.get(value.producer)!,
      to,
      shape: shapeText(type),
      dtype: type.dtype.name,
      bytes: typeBytes(type),
    };
  };
  const nodes: UnplacedNode[] = [];
  const edges: UnplacedEdge[] = [];
  const none = { primitive: -1, call: -1, results: [], sid: -1, device: -1, ops: [] };
  for (const [producer, id] of numbers) {
    const sources = sourcesOf(producer.origin, cache);
    if (producer.kind === "var") nodes.push({ ...none, id, kind: "input", label: producer.name, sources });
    else if (producer.kind === "constant")
      nodes.push({ ...none, id, kind: "constant", label: "constant", sources });
    else if (producer.kind === "if") {
      const branch = flow.branches.get(producer)!;
      nodes.push({ ...none, id, kind: "tuple", label: "if", sources });
      for (const value of [branch.condition, ...branch.thenResults, ...branch.otherwiseResults])
        edges.push(edge(value, id));
    } else {
      const { primitive, args } = flow.calls.get(producer)!;
      const view = summary.primitives[primitive.index]!;
      const ops = view.ops.map((op) => ({
        name: op.name,
        pattern: op.pattern,
        local: localName(summary, op.sources),
      }));
      nodes.push({
        ...none,
        id,
        kind: "call",
        primitive: primitive.index,
        call: callsOf(plan).get(producer)!,
        label: primitive.name,
        results: [valueArg(plan, { producer, index: 0 })],
        sources,
        ops,
      });
      for (const arg of args) edges.push(edge(arg, id));
    }
  }
  flow.results.forEach((value, i) => {
    const id = nodes.length;
    nodes.push({
      ...none,
      id,
      kind: "output",
      label: i === 0 ? "output" : `output${i}`,
      sources: nodes[numbers.get(value.producer)!]?.sources ?? [],
    });
    edges.push(edge(value, id));
  });
  return layoutGraph(nodes, edges);
}

function spec(name: string, type: TensorType): TensorSpecView {
  const shape = staticShape(type)!;
  return { name, shape, dtype: type.dtype.name, bytes: bytesOf(type, shape) };
}

/** The answer to api.evaluateShapes. */
export function shapesReply(
  runId: number,
  done: Compilation,
  inputs: Readonly<Record<string, readonly number[]>>,
  cache: OriginCache,
): ShapesReply {
  const program = dynamicProgram(done);
  const failed = (code: DiagnosticCode, message: string) =>
    ({
      status: "failed",
      runId,
      code,
      message,
      expected: null,
      got: null,
      hint: null,
      notes: [],
      input: null,
    }) as const;
  if (program === null)
    return failed(
      "RS6505",
      done.reached === "unplanned"
        ? "This program did not get to primitives with shape functions."
        : "All shapes of this program are known: there is nothing to evaluate.",
    );
  try {
    const found = evaluateShapes(program, new Map(Object.entries(inputs)), runPrimitive);
    const calls = found.calls.map((call) => ({
      primitive: call.flow.primitive.index,
      symbol: call.flow.primitive.symbol,
      sources: sourcesOf(call.flow.call.origin, cache),
      call: callsOf(program.plan).get(call.flow.call)!,
      inputs: call.inputs,
      outputs: call.outputs,
      shapeFunc: call.shapeFunc?.symbol ?? null,
      fromValues: call.fromValues,
    }));
    return {
      status: "ok",
      runId,
      calls,
      outputs: found.outputs.map((type, i) => spec(outputName(done, i), type)),
    };
  } catch (error) {
    if (!(error instanceof CompileError))
      return failed("RS9001", error instanceof Error ? error.message : String(error));
    const { code, message, subject, expected, got, hint, notes } = error.diagnostic;
    const input = subject?.kind === "parameter" ? inputName(done, subject.name) : null;
    return { status: "failed", runId, code, message, expected, got, hint, notes, input };
  }
}

/**
 * Runs the program in this thread, since it compiles kernels as it goes; null for one whose shapes are known.
 */
export function dynamicRun(done: Compilation, request: RunRequest): RunReply | null {
  const program = dynamicProgram(done);
  if (program === null) return null;
  const { runId } = request;
  try {
    const inputs = inputsOf(program, request);
    const once = () => {
      const start = performance.now();
      const result = runDynamic(program, inputs, runPrimitive, () => performance.now());
      return { result, ms: performance.now() - start };
    };
    const { result } = once();
    const callMicros = new Float64Array(callsOf(program.plan).size).fill(request.repeats > 0 ? Infinity : 0);
    let ms = request.repeats > 0 ? Infinity : 0;
    for (let i = 0; i < request.repeats; i++) {
      const again = once();
      ms = Math.min(ms, again.ms);
      for (const call of again.result.calls) {
        const at = callsOf(program.plan).get(call.flow.call)!;
        callMicros[at] = Math.min(callMicros[at]!, call.ms * 1000);
      }
    }
    return {
      status: "ok",
      runId,
      outputs: result.values.map((tensor, i) => toView(outputName(done, i), tensor)),
      ms,
      callMicros: callMicros.map((micros) => (Number.isFinite(micros) ? micros : 0)),
    };
  } catch (error) {
    if (error instanceof CompileError)
      return { status: "failed", runId, code: error.diagnostic.code, message: messageOf(error.diagnostic) };
    return {
      status: "failed",
      runId,
      code: "RS6904",
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function messageOf({ message, expected, got }: Diagnostic): string {
  return `${message}${expected === null ? "" : `; expected ${expected}`}${got === null ? "" : `, got ${got}`}`;
}

/** What the request gives, and by the fill rule what it leaves out and has a shape. */
function inputsOf({ plan }: DynamicProgram, request: RunRequest): ReadonlyMap<string, TensorData> {
  const inputs = new Map(Object.entries(request.inputs).map(([name, view]) => [name, fromView(view)]));
  for (const param of plan.flow.params) {
    const type = param.type;
    if (inputs.has(param.name) || type?.kind !== "tensor-type") continue;
    const shape = own(request.shapes ?? {}, param.name) ?? staticShape(type);
    if (shape !== null) inputs.set(param.name, fillTensor(param.name, tensorType(shape, type.dtype)));
  }
  return inputs;
}

/** The kernel of primitive `index` for these shapes, null if it is none of this program. */
export function kernelOfListing(
  done: Compilation,
  { primitive, inputs, outputs }: ListingId & { readonly kind: "kernel" },
): LoweredPrimitive | null {
  const program = dynamicProgram(done);
  const call = [...(program?.plan.flow.calls.values() ?? [])].find(
    (one) => one.primitive.index === primitive,
  );
  if (program === null || call === undefined) return null;
  if (inputs.length !== call.args.length || outputs.length !== call.primitive.outputTypes.length) return null;
  return kernelAt(program, call, inputs, outputs);
}
