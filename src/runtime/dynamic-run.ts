// Runs a program whose shapes are known only now: call by call it evaluates the shape function, makes the
// kernel for the shapes at hand (one per primitive and shapes, kept) and runs it. Or evaluates shapes alone,
// and values only where a shape depends on them.
// TVM: src/relay/backend/vm/compiler.cc, src/runtime/vm/vm.cc (invoke_packed of shape functions,
// alloc_tensor_reg)
// Known difference: TVM compiles each kernel once, with extents as arguments; this one is as good as a static
// program's.
import { maxTensorBytes } from "../compiler/limits.ts";
import type { DynamicPlan } from "../compiler/executor/dynamic-plan.ts";
import type { FlowBranch, LoweredCall, Producer, Value } from "../compiler/executor/main-flow.ts";
import { CompileError, fail, type DiagnosticParts } from "../compiler/ir/diagnostic.ts";
import { byteSize, int64, type DType } from "../compiler/ir/dtype.ts";
import { fillTensor } from "../compiler/ir/fill-rule.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import {
  flattenTensorTypes,
  printType,
  staticShape,
  tensorType,
  type TensorType,
  type Type,
} from "../compiler/ir/type.ts";
import type { LoweredPrimitive } from "../compiler/lower/lowered.ts";
import type { LoweredShapeFunc } from "../compiler/lower/shape-func.ts";
import type { TeCompiler } from "../compiler/lower/te-compiler.ts";
import { calledOp, type Call, type If, type Var } from "../compiler/relay/expr.ts";
import { typeOf } from "../compiler/relay/op.ts";
import { invariant } from "../support/assert.ts";
import { dynamicCalls, resultTypes, specialize, withCallTypes, withShapes } from "./specialize.ts";

type Shape = readonly number[];

/** Runs one kernel: on WebAssembly, on the interpreter, … */
type Execute = (primitive: LoweredPrimitive, args: readonly TensorData[]) => readonly TensorData[];

export interface DynamicProgram {
  readonly plan: DynamicPlan;
  readonly te: TeCompiler;
}

/** One call that ran. */
interface DynamicCall {
  readonly flow: LoweredCall;
  /** null where the result type says the shapes. */
  readonly shapeFunc: LoweredShapeFunc | null;
  readonly inputs: readonly Shape[];
  readonly outputs: readonly Shape[];
  /** Inputs of main whose values, not only shapes, decided `outputs`. */
  readonly fromValues: readonly string[];
  /** Milliseconds that its kernel took, the making of it not counted; 0 where values were not computed. */
  readonly ms: number;
}

interface DynamicShapes {
  readonly calls: readonly DynamicCall[];
  readonly outputs: readonly TensorType[];
}

interface DynamicRun extends DynamicShapes {
  readonly values: readonly TensorData[];
}

/** What is known of the tensors of a producer. `data` is null where nobody needs it. */
interface Known {
  readonly shapes: readonly Shape[];
  readonly data: readonly TensorData[] | null;
  /** Inputs of main whose values the shapes, and the values, depend on. */
  readonly shapesFrom: ReadonlySet<string>;
  readonly valuesFrom: ReadonlySet<string>;
}

interface Walk {
  readonly program: DynamicProgram;
  readonly now: () => number;
  readonly execute: Execute;
  /** Producers whose values are computed. */
  readonly wanted: ReadonlySet<Producer>;
  readonly known: Map<Producer, Known>;
  readonly calls: DynamicCall[];
}

const nobody: ReadonlySet<string> = new Set();

/**
 * Outputs of main for `inputs` (by parameter name). Throws CompileError (RS65xx, or an operator's own) for
 * inputs that do not fit.
 */
export function runDynamic(
  program: DynamicProgram,
  inputs: ReadonlyMap<string, TensorData>,
  execute: Execute,
  now: () => number = () => 0,
): DynamicRun {
  const { flow } = program.plan;
  const given = new Map(
    flow.params.map((param): [Producer, Known] => [param, ofInput(param, inputs.get(param.name))]),
  );
  const walk = startWalk(program, execute, new Set([...flow.params, ...flow.left]), given, now);
  const values = flow.results.map((value) => {
    const data = knownOf(walk, value.producer).data;
    invariant(data !== null, "a result was not computed");
    return data[value.index]!;
  });
  return { ...shapesOf(walk), values };
}

/**
 * Shapes of every call for inputs of these shapes (by parameter name; ones whose type is static may be left
 * out). Where a shape depends on values, inputs have those of the fill rule. Throws CompileError as
 * runDynamic.
 */
export function evaluateShapes(
  program: DynamicProgram,
  shapes: ReadonlyMap<string, Shape>,
  execute: Execute,
): DynamicShapes {
  const { flow } = program.plan;
  for (const name of shapes.keys()) {
    if (!flow.params.some((param) => param.name === name))
      fail("RS6501", `there is no input %${name}`, {
        subject: { kind: "parameter", name },
        expected: flow.params.map((param) => `%${param.name}`).join(", "),
        got: `%${name}`,
      });
  }
  const wanted = wantedForShapes(program.plan);
  const given = new Map(
    flow.params.map((param): [Producer, Known] => {
      const type = inputType(param);
      const shape = fittingShape(param, type, shapes.get(param.name) ?? staticShape(type));
      const data = wanted.has(param) ? [fillTensor(param.name, tensorType(shape, type.dtype))] : null;
      return [param, { shapes: [shape], data, shapesFrom: nobody, valuesFrom: new Set([param.name]) }];
    }),
  );
  return shapesOf(startWalk(program, execute, wanted, given));
}

function startWalk(
  program: DynamicProgram,
  execute: Execute,
  wanted: ReadonlySet<Producer>,
  known: Map<Producer, Known>,
  now: () => number = () => 0,
): Walk {
  const walk: Walk = { program, execute, wanted, known, calls: [], now };
  runRange(walk, 0, program.plan.flow.left.length, 0);
  return walk;
}

function shapesOf(walk: Walk): DynamicShapes {
  const { flow } = walk.program.plan;
  const outputs = flow.results.map(({ producer, index }, i) =>
    tensorType(knownOf(walk, producer).shapes[index]!, flow.resultTypes[i]!.dtype),
  );
  return { calls: walk.calls, outputs };
}

function inputType(param: Var): TensorType {
  const type = typeOf(param);
  invariant(type.kind === "tensor-type", "parameters of a plan are tensors");
  return type;
}

function missing(param: Var, type: TensorType, what: "value" | "shape", parts: DiagnosticParts): never {
  return fail("RS6502", `no ${what} was given for the input %${param.name}`, {
    subject: { kind: "parameter", name: param.name },
    span: param.span,
    origin: param.origin,
    expected: printType(type),
    got: "nothing",
    ...parts,
  });
}

function ofInput(param: Var, tensor: TensorData | undefined): Known {
  const type = inputType(param);
  if (tensor === undefined) {
    return missing(param, type, "value", {
      because: "its shape decides the shapes of what follows",
      hint: "give its values, or its shape",
    });
  }
  if (tensor.dtype !== type.dtype)
    fail("RS6503", `the value of %${param.name} does not fit its type`, {
      subject: { kind: "parameter", name: param.name },
      span: param.span,
      origin: param.origin,
      expected: printType(type),
      got: `${tensor.dtype.name} of shape (${tensor.shape.join(", ")})`,
    });
  return {
    shapes: [fittingShape(param, type, tensor.shape)],
    data: [tensor],
    shapesFrom: nobody,
    valuesFrom: new Set([param.name]),
  };
}

/** `shape`, which must be one that `type` allows (RS6503). */
function fittingShape(param: Var, type: TensorType, shape: Shape | null): Shape {
  if (shape === null) return missing(param, type, "shape", { hint: "give a number for each ?" });
  const fits =
    shape.length === type.shape.length &&
    shape.every(
      (dim, i) =>
        Number.isInteger(dim) && dim >= 0 && (typeof type.shape[i] !== "number" || type.shape[i] === dim),
    );
  return fits
    ? shape
    : fail("RS6503", `the shape of %${param.name} does not fit its type`, {
        subject: { kind: "parameter", name: param.name },
        span: param.span,
        origin: param.origin,
        expected: printType(type),
        got: `(${shape.join(", ")})`,
      });
}

/** Producers whose values shapes depend on, and all that those are computed from. */
function wantedForShapes({ flow, shapeFuncs }: DynamicPlan): ReadonlySet<Producer> {
  const wanted = new Set<Producer>();
  for (const producer of flow.left.toReversed()) {
    if (producer.kind === "if") {
      const branch = flow.branches.get(producer)!;
      wanted.add(branch.condition.producer);
      if (wanted.has(producer))
        for (const value of [...branch.thenResults, ...branch.otherwiseResults]) wanted.add(value.producer);
    }
    const call = producer.kind === "call" ? flow.calls.get(producer) : undefined;
    if (call === undefined) continue;
    for (const [i, input] of (shapeFuncs.get(call.call)?.inputs ?? []).entries()) {
      if (input.kind === "data") wanted.add(argOfInput(call, shapeFuncs.get(call.call)!, i).producer);
    }
    if (wanted.has(producer) && !readsShapesOnly(call)) for (const arg of call.args) wanted.add(arg.producer);
  }
  return wanted;
}

const shapeReaders: ReadonlySet<string> = new Set(["shape_of", "ndarray_size"]);

/** The kernel's result does not depend on the values of its arguments. */
function readsShapesOnly(call: LoweredCall): boolean {
  return call.primitive.ops.length === 1 && shapeReaders.has(call.primitive.ops[0]!.name);
}

function knownOf(walk: Walk, producer: Producer): Known {
  const found = walk.known.get(producer);
  invariant(found !== undefined, `a ${producer.kind} is used before it is known`);
  return found;
}

function shapeOf(walk: Walk, { producer, index }: Value): Shape {
  return knownOf(walk, producer).shapes[index]!;
}

function dataOf(walk: Walk, { producer, index }: Value): TensorData {
  const { data } = knownOf(walk, producer);
  invariant(data !== null, `the values of a ${producer.kind} were not computed`);
  return data[index]!;
}

/** Runs flow.left[from … to - 1]; `entered` ifs whose parts start at `from` are being run already. */
function runRange(walk: Walk, from: number, to: number, entered: number): void {
  const { flow } = walk.program.plan;
  for (let i = from; i < to; i++) {
    const index = i === from ? entered : 0;
    const branch = flow.branchesFrom.get(i)?.[index];
    if (branch !== undefined) {
      runBranch(walk, branch, index);
      i = branch.end;
      continue;
    }
    const producer = flow.left[i]!;
    if (producer.kind === "call") runCall(walk, producer, flow.calls.get(producer)!);
    else if (producer.kind === "constant")
      walk.known.set(producer, {
        shapes: [producer.data.shape],
        data: [producer.data],
        shapesFrom: nobody,
        valuesFrom: nobody,
      });
  }
}

function runBranch(walk: Walk, branch: FlowBranch, index: number): void {
  const holds = Number(dataOf(walk, branch.condition).data[0]) !== 0;
  const conditionFrom = knownOf(walk, branch.condition.producer).valuesFrom;
  if (holds) runRange(walk, branch.then, branch.otherwise, index + 1);
  else runRange(walk, branch.otherwise, branch.end, branch.then === branch.otherwise ? index + 1 : 0);
  const results = holds ? branch.thenResults : branch.otherwiseResults;
  const from = results.map(({ producer }) => knownOf(walk, producer));
  const expr: If = branch.expr;
  walk.known.set(expr, {
    shapes: results.map((value) => shapeOf(walk, value)),
    data: walk.wanted.has(expr) ? results.map((value) => dataOf(walk, value)) : null,
    shapesFrom: union(conditionFrom, ...from.map((one) => one.shapesFrom)),
    valuesFrom: union(conditionFrom, ...from.map((one) => one.valuesFrom)),
  });
}

function union(...sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function runCall(walk: Walk, call: Call, flow: LoweredCall): void {
  const shapeFunc = walk.program.plan.shapeFuncs.get(call) ?? null;
  const inputs = flow.args.map((arg) => shapeOf(walk, arg));
  const kernel = kernelFor(walk, flow, inputs, shapeFunc);
  const outputs = kernel.outputTypes.map((type) => staticShape(type)!);
  const args = flow.args.map(({ producer }) => knownOf(walk, producer));
  const decisive = (shapeFunc?.inputs ?? []).flatMap((input, i) =>
    input.kind === "data" ? [knownOf(walk, argOfInput(flow, shapeFunc!, i).producer).valuesFrom] : [],
  );
  const shapesFrom = union(...args.map((arg) => arg.shapesFrom), ...decisive);
  const valuesFrom = readsShapesOnly(flow)
    ? shapesFrom
    : union(shapesFrom, ...args.map((arg) => arg.valuesFrom));
  const data = walk.wanted.has(call) ? compute(walk, flow, kernel) : null;
  walk.calls.push({
    flow,
    shapeFunc,
    inputs,
    outputs,
    fromValues: [...shapesFrom],
    ms: data === null ? 0 : data.ms,
  });
  walk.known.set(call, { shapes: outputs, data: data?.values ?? null, shapesFrom, valuesFrom });
}

function compute(
  walk: Walk,
  flow: LoweredCall,
  kernel: Kernel,
): { readonly values: readonly TensorData[]; readonly ms: number } {
  // What only shapes decide needs no values, which may not be there.
  const args = flow.args.map((arg): TensorData => {
    const known = knownOf(walk, arg.producer);
    if (known.data !== null || !readsShapesOnly(flow)) return dataOf(walk, arg);
    const type = flow.primitive.inputTypes[0]!;
    return tensorData(
      type.dtype,
      known.shapes[arg.index]!,
      allocateArray(type.dtype, elementCount(known.shapes[arg.index]!)),
    );
  });
  if (flow.reshapeOnly || flow.primitive.isCopy)
    return {
      values: kernel.outputTypes.map((type, i) => ({ ...args[i]!, shape: staticShape(type)! })),
      ms: 0,
    };
  const constants = (flow.primitive.external?.constants ?? []).map(({ data }) => data);
  const lowered = kernel.lowered();
  const start = walk.now();
  const values = walk.execute(lowered, [...args, ...constants]);
  return { values, ms: walk.now() - start };
}

interface Kernel {
  readonly outputTypes: readonly TensorType[];
  readonly lowered: () => LoweredPrimitive;
}

/** Kernels of a TE compiler's dynamic primitives, by name and shapes. */
const kernels = new WeakMap<TeCompiler, Map<string, Kernel>>();

/**
 * The kernel of a call for arguments and results of these shapes.  Throws CompileError where they do not fit
 * together.
 */
export function kernelAt(
  program: DynamicProgram,
  flow: LoweredCall,
  inputs: readonly Shape[],
  outputs: readonly Shape[],
): LoweredPrimitive {
  const evaluated = program.plan.shapeFuncs.has(flow.call) ? outputs : null;
  return kernelOf(program.te, flow, inputs, () => evaluated).lowered();
}

/**
 * The kernel of a call for arguments of these shapes, its result shapes checked against the shape function's.
 */
function kernelFor(
  walk: Walk,
  flow: LoweredCall,
  inputs: readonly Shape[],
  shapeFunc: LoweredShapeFunc | null,
): Kernel {
  return kernelOf(walk.program.te, flow, inputs, () =>
    shapeFunc === null ? null : evaluateShapeFunc(walk, flow, shapeFunc),
  );
}

/**
 * A value may say a shape with other elements than the data has (an axis to squeeze that is not 1), which no
 * type can refuse (RS6507).
 */
function checkReshape(call: Call, type: Type, te: TeCompiler): void {
  const name = calledOp(call);
  const data = call.args[0];
  if (name === null || data === undefined || te.cx.ops.get(name)?.reshapeOnly !== true) return;
  const [before, after] = [typeOf(data), type].flatMap(flattenTensorTypes);
  if (before === undefined || after === undefined) return;
  const [from, to] = [staticShape(before), staticShape(after)];
  if (from === null || to === null || elementCount(from) === elementCount(to)) return;
  fail("RS6507", `${name}: its values say a shape that the data does not have the elements for`, {
    span: call.span,
    origin: call.origin,
    expected: `a shape of ${elementCount(from)} elements, those of (${from.join(", ")})`,
    got: `(${to.join(", ")})`,
  });
}

/** Values may say a shape that the data cannot be broadcast to (RS2103). */
function checkBroadcast(call: Call, type: Type): void {
  const data = call.args[0];
  if (calledOp(call) !== "dyn.broadcast_to" || data === undefined) return;
  const [from, to] = [typeOf(data), type].flatMap(flattenTensorTypes).map(staticShape);
  if (from == null || to == null) return;
  const behind = to.slice(to.length - from.length);
  if (from.every((dim, i) => dim === 1 || dim === behind[i])) return;
  fail("RS2103", "dyn.broadcast_to: argument `data` cannot be broadcast to the shape", {
    span: call.span,
    origin: call.origin,
    expected: "each dimension, counted from the last, equal to that of the shape or 1",
    got: `(${from.join(", ")}) and (${to.join(", ")})`,
  });
}

/** `evaluate` gives the result shapes that the shape function says, null where there is none. */
function kernelOf(
  te: TeCompiler,
  flow: LoweredCall,
  inputs: readonly Shape[],
  evaluate: () => readonly Shape[] | null,
): Kernel {
  const { primitive } = flow;
  const dynamic = [...primitive.inputTypes, ...primitive.outputTypes].some(
    (type) => staticShape(type) === null,
  );
  if (!dynamic && primitive.external === null)
    return { outputTypes: primitive.outputTypes, lowered: () => primitive };
  const known = kernels.get(te) ?? new Map<string, Kernel>();
  kernels.set(te, known);
  const evaluated = evaluate();
  const key = JSON.stringify([primitive.symbol, inputs, evaluated]);
  let kernel = known.get(key);
  if (kernel === undefined) {
    kernel = makeKernel(flow, inputs, evaluated, te);
    known.set(key, kernel);
  }
  return kernel;
}

function makeKernel(
  flow: LoweredCall,
  inputs: readonly Shape[],
  evaluated: readonly Shape[] | null,
  te: TeCompiler,
): Kernel {
  const func = flow.primitive.external?.lifted ?? flow.func;
  const constants = (flow.primitive.external?.constants ?? []).map(({ data }) => data.shape);
  const first = withPlace(flow, inputs, () => specialize(func, [...inputs, ...constants], te));
  const dynamic = dynamicCalls(first);
  if (dynamic.length > 1) {
    fail(
      "RS6504",
      `one primitive function holds several operators whose shapes depend on values: ${flow.primitive.name}`,
      {
        span: flow.call.span,
        origin: flow.call.origin,
        expected: "such operators alone in their functions",
        got: `${dynamic.length} of them`,
        hint: "let FuseOps make the primitive functions",
      },
    );
  }
  const types = new Map<Call, Type>(dynamic.map((call) => [call, withShapes(typeOf(call), evaluated!)]));
  for (const [call, type] of types) {
    checkReshape(call, type, te);
    checkBroadcast(call, type);
  }
  const made = dynamic.length === 0 ? first : withCallTypes(first, types, te);
  const outputTypes = resultTypes(made);
  if (evaluated !== null) {
    invariant(
      JSON.stringify(outputTypes.map((type) => type.shape)) === JSON.stringify(evaluated),
      `the shape function of ${flow.primitive.name} gives ${JSON.stringify(evaluated)}, its type ${outputTypes.map(printType).join(", ")}`,
    );
  }
  let lowered: LoweredPrimitive | null = null;
  return { outputTypes, lowered: () => (lowered ??= te.jit(made)) };
}

/** Says for which shapes a mistake was found. */
function withPlace<T>(flow: LoweredCall, inputs: readonly Shape[], make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const found = error.diagnostic;
    throw new CompileError({
      ...found,
      span: found.span ?? flow.call.span,
      notes: [
        ...found.notes,
        `found when running ${flow.primitive.name} with arguments of shape ${inputs.map((shape) => `(${shape.join(", ")})`).join(", ")}`,
      ],
    });
  }
}

/** The argument of the call that input `index` of its shape function reads. */
function argOfInput(flow: LoweredCall, shapeFunc: LoweredShapeFunc, index: number): Value {
  const input = shapeFunc.inputs[index]!;
  const before = flow.func.params
    .slice(0, input.param)
    .reduce((n, param) => n + flattenTensorTypes(typeOf(param)).length, 0);
  return flow.args[before + input.field]!;
}

function evaluateShapeFunc(walk: Walk, flow: LoweredCall, shapeFunc: LoweredShapeFunc): readonly Shape[] {
  const args = shapeFunc.inputs.map((input, i): TensorData => {
    const arg = argOfInput(flow, shapeFunc, i);
    if (input.kind === "data") return dataOf(walk, arg);
    return shapeTensor(shapeOf(walk, arg));
  });
  return walk
    .execute(shapeFunc, args)
    .map((out, i) => (flow.primitive.outputTypes[i]!.shape.length === 0 ? [] : Array.from(out.data, Number)))
    .map((shape, i) => possibleShape(flow, shape, flow.primitive.outputTypes[i]!.dtype));
}

/** `shape`, which the values at hand must not make negative or larger than a tensor may be. */
function possibleShape(flow: LoweredCall, shape: Shape, dtype: DType): Shape {
  const bytes = elementCount(shape) * byteSize(dtype);
  if (shape.every((dim) => dim >= 0) && bytes <= maxTensorBytes) return shape;
  return fail("RS1032", `${flow.primitive.name} is asked for a result of shape (${shape.join(", ")})`, {
    span: flow.call.span,
    origin: flow.call.origin,
    expected: `dimensions of 0 or more, and at most ${maxTensorBytes} bytes`,
    got: shape.some((dim) => dim < 0) ? "a negative dimension" : `${bytes} bytes`,
    because: "the shape follows from values of the inputs",
    hint: "give other values",
  });
}

/** A shape as shape functions take it: int64, one element that means nothing for rank 0. */
function shapeTensor(shape: Shape): TensorData {
  const dims = shape.length === 0 ? [0] : shape;
  return tensorData(int64, shape.length === 0 ? [] : [shape.length], BigInt64Array.from(dims, BigInt));
}
