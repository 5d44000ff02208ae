// The one reading of main, made after LabelOps (and its control flow resolved) and before lowering: its
// values with tuples looked through, where they lie, its calls of primitive functions in both orders that
// TVM's code generators visit them in, and its ifs. Lowering takes the calls, the plans of all executors take
// the flow with what was lowered; refusals.ts says what they cannot run.
// TVM: the visitors of src/relay/backend/aot_executor_codegen.cc, graph_executor_codegen.cc,
// graph_plan_memory.cc
// Known difference: fields of nested tuples are found by flattened position (TVM takes the outer index, and
// so the wrong tensor).
import { get, invariant } from "../../support/assert.ts";
import { byteSize } from "../ir/dtype.ts";
import { elementCount, type TensorData } from "../ir/tensor-data.ts";
import { flattenTensorTypes, hasDynamicShape, staticShape, type TensorType, type Type } from "../ir/type.ts";
import type { LoweredPrimitive } from "../lower/lowered.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import {
  isPrimitive,
  type Call,
  type Constant,
  type Expr,
  type Func,
  type If,
  type Var,
} from "../relay/expr.ts";
import { devicesIn, onDeviceOf } from "../relay/on-device.ts";
import { typeOf } from "../relay/op.ts";
import { postOrder } from "../relay/visit.ts";
import { walkInBranches } from "./branch-walk.ts";
import {
  freeVariable,
  notATensor,
  notPrimitive,
  notRunnable,
  refuse,
  notStatic,
  type ExecutorName,
  type Refusal,
} from "./refusals.ts";

/** Something that has storage: a parameter of main, a constant, the results of a call, or those of an if. */
export type Producer = Var | Constant | Call | If;

/** One tensor: result `index` of its producer. */
export interface Value {
  readonly producer: Producer;
  readonly index: number;
}

/** A call of a primitive function, and the DLDeviceType that it runs on. */
interface PrimitiveSite {
  readonly call: Call;
  readonly func: Func;
  readonly device: number;
}

interface FlowCall extends PrimitiveSite {
  readonly args: readonly Value[];
  /**
   * relay.reshape_only with an argument: the result is its bytes. A reshape of a constant inside has none and
   * is computed.
   */
  readonly reshapeOnly: boolean;
}

export interface LoweredCall extends FlowCall {
  readonly primitive: LoweredPrimitive;
}

/** An if: one of two parts of `left` runs, and its results become those of the if. */
export interface FlowBranch {
  readonly expr: If;
  readonly condition: Value;
  /**
   * Positions in `left`: the first branch is [then, otherwise), the second [otherwise, end), and the if
   * itself stands at end.
   */
  readonly then: number;
  readonly otherwise: number;
  readonly end: number;
  readonly thenResults: readonly Value[];
  readonly otherwiseResults: readonly Value[];
}

/** Main in order of running. `C`: its calls, as read or with what was lowered. */
interface MainFlow<C extends FlowCall = FlowCall> {
  readonly params: readonly Var[];
  /** Results in order, nested tuples flattened. */
  readonly results: readonly Value[];
  readonly resultTypes: readonly TensorType[];
  /**
   * Constants, calls and ifs by the moment a walk enters them (consumer first) and leaves them (producers
   * first); parameters where first met. What both branches of an if or its surroundings need stands before it
   * in `left`.
   */
  readonly entered: readonly Producer[];
  readonly left: readonly Producer[];
  readonly calls: ReadonlyMap<Call, C>;
  readonly branches: ReadonlyMap<If, FlowBranch>;
  /** Ifs by where their first branch starts in `left`, outermost first. */
  readonly branchesFrom: ReadonlyMap<number, readonly FlowBranch[]>;
  /** Tensor types of each producer. */
  readonly types: ReadonlyMap<Producer, readonly TensorType[]>;
  /** DLDeviceType that a producer's tensors lie on. */
  readonly deviceOf: (producer: Producer) => number;
}

/** What the plans are made from. */
export interface LoweredFlow extends MainFlow<LoweredCall> {
  /**
   * Constants inside external functions, by TVM's names; they count among the parameters, and p0, p1, … are
   * numbered after them.
   */
  readonly externalParams: ReadonlyMap<string, TensorData>;
}

export type MainReading = {
  readonly func: Func;
  /**
   * In the order in which LowerTE meets them: arguments first, of an if the first branch before the second.
   */
  readonly sites: readonly PrimitiveSite[];
  /** Whether anything in main has a dynamic dimension. */
  readonly isDynamic: boolean;
  /** The first tensor of the flow that has one. */
  readonly dynamicDimension: Refusal | null;
} & (
  | { readonly flow: MainFlow; readonly refused: null }
  /** What no executor can run ends the reading. */
  | { readonly flow: null; readonly refused: Refusal }
);

interface Walk {
  readonly lets: Map<Var, Expr>;
  readonly values: Map<Expr, readonly Value[]>;
  readonly types: Map<Producer, readonly TensorType[]>;
  readonly calls: Map<Call, FlowCall>;
  readonly branches: Map<If, FlowBranch>;
  readonly sites: ReadonlyMap<Call, PrimitiveSite>;
  dynamicDimension: Refusal | null;
  /** The walk does nothing more once this is set. */
  refused: Refusal | null;
}

/**
 * The calls of primitive functions in `main` alone, in the order in which LowerTE meets them: for a main that
 * is not to be read.
 */
export function primitiveSites(main: Func, fallback = 1): readonly PrimitiveSite[] {
  return inOrder(main, devicesIn(main, fallback)).sites;
}

/** Reads `main`. Without the marks of PlanDevices everything is on device `fallback`. */
export function readMain(main: Func, fallback = 1): MainReading {
  const devices = devicesIn(main, fallback);
  const { order, sites } = inOrder(main, devices);
  const walk: Walk = {
    lets: new Map(),
    values: new Map(),
    types: new Map(),
    calls: new Map(),
    branches: new Map(),
    sites: new Map(sites.map((site) => [site.call, site])),
    dynamicDimension: null,
    refused: null,
  };
  for (const param of main.params) addParameter(walk, param);
  const { entered, left } = walkFlow(walk, main.body, order);
  const isDynamic = [...main.params, ...order.filter(hasResults)].some((expr) =>
    hasDynamicShape(typeOf(expr)),
  );
  const facts = { func: main, sites, isDynamic, dynamicDimension: walk.dynamicDimension };
  if (walk.refused !== null) return { ...facts, flow: null, refused: walk.refused };
  const flow: MainFlow = {
    params: main.params,
    results: valuesOf(walk, main.body),
    resultTypes: flattenTensorTypes(typeOf(main.body)),
    entered,
    left,
    calls: walk.calls,
    branches: walk.branches,
    branchesFrom: byStart(walk.branches),
    types: walk.types,
    deviceOf: (producer) => devices.get(producer) ?? fallback,
  };
  return { ...facts, flow, refused: null };
}

function hasResults(expr: Expr): boolean {
  return expr.kind === "call" || expr.kind === "if";
}

/**
 * Every node of main outside of functions, what it needs first, and the calls of primitive functions among
 * them.
 */
function inOrder(
  main: Func,
  devices: ReadonlyMap<Expr, number>,
): { readonly order: readonly Expr[]; readonly sites: readonly PrimitiveSite[] } {
  const lets = new Map<Var, Expr>();
  const order: Expr[] = [];
  const sites: PrimitiveSite[] = [];
  postOrder(
    main.body,
    (expr) => {
      order.push(expr);
      const func = expr.kind === "call" ? calleeFunction(expr, lets) : null;
      if (expr.kind === "call" && func !== null && isPrimitive(func))
        sites.push({ call: expr, func, device: get(devices, expr, "device of a call") });
    },
    (expr) => {
      if (expr.kind === "let") lets.set(expr.variable, expr.value);
      return expr.kind !== "function";
    },
  );
  return { order, sites };
}

function walkFlow(
  walk: Walk,
  body: Expr,
  order: readonly Expr[],
): { readonly entered: readonly Producer[]; readonly left: readonly Producer[] } {
  const entered: Producer[] = [];
  const left: Producer[] = [];
  walkInBranches(body, order, {
    enter: (expr) => {
      if (walk.refused !== null) return false;
      if (expr.kind === "let") walk.lets.set(expr.variable, expr.value);
      else if (
        expr.kind === "constant" ||
        expr.kind === "if" ||
        (expr.kind === "call" && calleeFunction(expr, walk.lets) !== null)
      )
        entered.push(expr);
      else if (expr.kind === "var" && !walk.lets.has(expr)) entered.push(expr);
      return expr.kind !== "function";
    },
    leave: (expr, then, otherwise) => {
      if (walk.refused !== null) return;
      if (expr.kind === "if") visitIf(walk, expr, { then, otherwise, end: left.length });
      else visitNode(walk, expr);
      if (walk.types.has(expr as Producer)) left.push(expr as Producer);
    },
    position: () => left.length,
  });
  return { entered, left };
}

function calleeFunction(call: Call, lets: ReadonlyMap<Var, Expr>): Func | null {
  let callee: Expr = call.callee;
  while (callee.kind === "var") {
    const bound = lets.get(callee);
    if (bound === undefined) return null;
    callee = bound;
  }
  return callee.kind === "function" ? callee : null;
}

/**
 * The flow for one executor, with what `te` lowered for its calls. Throws CompileError (RS50xx) for what
 * `executor` cannot run; all but the dynamic one need to know every dimension.
 */
export function loweredFlow(reading: MainReading, te: TeCompiler, executor: ExecutorName): LoweredFlow {
  const { flow, dynamicDimension, refused } = reading;
  if (dynamicDimension !== null && executor !== "dynamic executor") refuse(dynamicDimension, executor);
  if (refused !== null) refuse(refused, executor);
  invariant(flow !== null, "a reading has a flow or a refusal");
  const calls = new Map(
    [...flow.calls.values()].map((one): [Call, LoweredCall] => [
      one.call,
      { ...one, primitive: te.lower(one.func, one.call, one.device) },
    ]),
  );
  const external = [...calls.values()].flatMap(({ primitive }) => primitive.external?.constants ?? []);
  return { ...flow, calls, externalParams: new Map(external.map(({ name, data }) => [name, data])) };
}

function byStart(branches: ReadonlyMap<If, FlowBranch>): ReadonlyMap<number, readonly FlowBranch[]> {
  const found = new Map<number, FlowBranch[]>();
  // Inner ifs are left before outer ones.
  for (const branch of [...branches.values()].reverse())
    found.set(branch.then, [...(found.get(branch.then) ?? []), branch]);
  return found;
}

/** A parameter is one tensor: each has one C argument and one node. */
function addParameter(walk: Walk, param: Var): void {
  if (walk.refused !== null) return;
  const type = typeOf(param);
  if (type.kind === "tensor-type") addProducer(walk, param, [type]);
  else walk.refused = notATensor(param, type);
}

function addProducer(walk: Walk, producer: Producer, types: readonly TensorType[]): void {
  const dynamic = types.find((type) => staticShape(type) === null);
  if (dynamic !== undefined) walk.dynamicDimension ??= notStatic(producer, dynamic);
  walk.types.set(producer, types);
  walk.values.set(
    producer,
    types.map((_, index) => ({ producer, index })),
  );
}

function valuesOf(walk: Walk, expr: Expr): readonly Value[] {
  let bound = expr;
  while (bound.kind === "var" && !walk.values.has(bound) && walk.lets.has(bound))
    bound = walk.lets.get(bound)!;
  const found = walk.values.get(bound);
  invariant(found !== undefined, `a ${bound.kind} of main has no value`);
  return found;
}

function visitNode(walk: Walk, expr: Expr): void {
  switch (expr.kind) {
    case "var":
      if (!walk.values.has(expr) && !walk.lets.has(expr)) walk.refused = freeVariable(expr);
      return;
    case "constant":
      addProducer(walk, expr, flattenTensorTypes(typeOf(expr)));
      return;
    case "tuple":
      walk.values.set(
        expr,
        expr.fields.flatMap((field) => [...valuesOf(walk, field)]),
      );
      return;
    case "tuple-get-item":
      walk.values.set(expr, project(typeOf(expr.tuple), valuesOf(walk, expr.tuple), expr.index));
      return;
    case "let":
      walk.values.set(expr, valuesOf(walk, expr.body));
      return;
    case "call":
      visitCall(walk, expr);
      return;
    case "function":
    case "op":
    case "global":
      return;
    case "if":
      return;
    case "constructor":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      walk.refused = notRunnable(expr);
  }
}

function visitIf(walk: Walk, expr: If, range: Pick<FlowBranch, "then" | "otherwise" | "end">): void {
  const condition = valuesOf(walk, expr.condition)[0];
  invariant(condition !== undefined, "the condition of an if has no value");
  addProducer(walk, expr, flattenTensorTypes(typeOf(expr)));
  walk.branches.set(expr, {
    expr,
    condition,
    ...range,
    thenResults: valuesOf(walk, expr.then),
    otherwiseResults: valuesOf(walk, expr.otherwise),
  });
}

function visitCall(walk: Walk, call: Call): void {
  if (onDeviceOf(call) !== null) {
    walk.values.set(call, valuesOf(walk, call.args[0]!));
    return;
  }
  const site = walk.sites.get(call);
  if (site === undefined) {
    walk.refused = notPrimitive(call);
    return;
  }
  addProducer(walk, call, flattenTensorTypes(typeOf(call)));
  const args = call.args.flatMap((arg) => [...valuesOf(walk, arg)]);
  walk.calls.set(call, {
    ...site,
    args,
    reshapeOnly: site.func.attrs["relay.reshape_only"] === 1 && args.length === 1,
  });
}

/** Field `index` of a flattened tuple value; a field may be a tuple itself. */
function project(type: Type, values: readonly Value[], index: number): readonly Value[] {
  invariant(
    type.kind === "tuple-type" && index < type.fields.length,
    "projection of what is not such a tuple",
  );
  const before = type.fields.slice(0, index).reduce((n, field) => n + flattenTensorTypes(field).length, 0);
  return values.slice(before, before + flattenTensorTypes(type.fields[index]!).length);
}

/** What an if reads, in order: its condition, the results of its first branch, the results of its second. */
export function branchReads({ condition, thenResults, otherwiseResults }: FlowBranch): readonly Value[] {
  return [condition, ...thenResults, ...otherwiseResults];
}

/** Bytes of a tensor, dense. */
export function tensorTypeBytes(type: TensorType): number {
  const shape = staticShape(type);
  invariant(shape !== null, "bytes of a dynamic tensor");
  return elementCount(shape) * byteSize(type.dtype);
}
