// What both executors read from `main` after fusion: its values with tuples looked through, its calls of primitive functions
// in both orders that TVM's code generators visit them in, and refusals of what no static executor can run.
// TVM: the visitors of src/relay/backend/aot_executor_codegen.cc, graph_executor_codegen.cc, graph_plan_memory.cc
// Known difference: fields of nested tuples are found by flattened position (TVM takes the outer index, and so the wrong tensor).
import type { DiagnosticCode } from "../ir/diagnostic-codes.ts";
import type { Options } from "../options.ts";
import { invariant } from "../../support/assert.ts";
import { byteSize } from "../ir/dtype.ts";
import { CompileError, fail, type Diagnostic, type DiagnosticParts } from "../ir/diagnostic.ts";
import { elementCount, type TensorData } from "../ir/tensor-data.ts";
import { flattenTensorTypes, printType, staticShape, type TensorType, type Type } from "../ir/type.ts";
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
import type { TeCompiler } from "../lower/te-compiler.ts";
import type { LoweredPrimitive, Outcome } from "./plan.ts";

/** Something that has storage: a parameter of main, a constant, the results of a call, or those of an if. */
export type Producer = Var | Constant | Call | If;

/** One tensor: result `index` of its producer. */
export interface Value {
  readonly producer: Producer;
  readonly index: number;
}

export interface FlowCall {
  readonly call: Call;
  readonly func: Func;
  readonly primitive: LoweredPrimitive;
  readonly args: readonly Value[];
  /** relay.reshape_only: the result is its argument's bytes. */
  readonly reshapeOnly: boolean;
}

/** An if: one of two parts of `left` runs, and its results become those of the if. */
export interface FlowBranch {
  readonly expr: If;
  readonly condition: Value;
  /** Positions in `left`: the first branch is [then, otherwise), the second [otherwise, end), and the if itself stands at end. */
  readonly then: number;
  readonly otherwise: number;
  readonly end: number;
  readonly thenResults: readonly Value[];
  readonly otherwiseResults: readonly Value[];
}

export interface MainFlow {
  readonly params: readonly Var[];
  /** Results in order, nested tuples flattened. */
  readonly results: readonly Value[];
  readonly resultTypes: readonly TensorType[];
  /**
   * Constants, calls and ifs by the moment a walk enters them (consumer first) and leaves them (producers first); parameters
   * where first met. What both branches of an if or its surroundings need stands before it in `left`.
   */
  readonly entered: readonly Producer[];
  readonly left: readonly Producer[];
  readonly calls: ReadonlyMap<Call, FlowCall>;
  readonly branches: ReadonlyMap<If, FlowBranch>;
  /** Ifs by where their first branch starts in `left`, outermost first. */
  readonly branchesFrom: ReadonlyMap<number, readonly FlowBranch[]>;
  /** Tensor types of each producer. */
  readonly types: ReadonlyMap<Producer, readonly TensorType[]>;
  /** DLDeviceType that a producer's tensors lie on. */
  readonly deviceOf: (producer: Producer) => number;
  /** Constants inside external functions, by TVM's names; they count among the parameters, and p0, p1, … are numbered after them. */
  readonly externalParams: ReadonlyMap<string, TensorData>;
}

/**
 * Where primitive functions stand in main, in the order in which LowerTE meets them: arguments first. Without the marks of
 * PlanDevices everything is on device `fallback`.
 */
export function primitiveCalls(
  main: Func,
  fallback = 1,
): readonly { readonly func: Func; readonly call: Call; readonly device: number }[] {
  const lets = new Map<Var, Expr>();
  const devices = devicesIn(main, fallback);
  const found: { func: Func; call: Call; device: number }[] = [];
  postOrder(
    main.body,
    (expr) => {
      const func = expr.kind === "call" ? calleeFunction(expr, lets) : null;
      if (func !== null && isPrimitive(func))
        found.push({ func, call: expr as Call, device: devices.get(expr)! });
    },
    (expr) => {
      if (expr.kind === "let") lets.set(expr.variable, expr.value);
      return expr.kind !== "function";
    },
  );
  return found;
}

function firstDevice(options: Options): number {
  return options.targets[0]?.device ?? 1;
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

/** Turns a refusal thrown inside `plan` into an Outcome. */
export function asOutcome<T>(plan: () => T): Outcome<T> {
  try {
    return { ok: true, value: plan() };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const found: Diagnostic = error.diagnostic;
    return { ok: false, diagnostic: found };
  }
}

interface Walk {
  readonly executor: string;
  /** Whether dimensions must be known. */
  readonly fixed: boolean;
  readonly te: TeCompiler;
  readonly lets: Map<Var, Expr>;
  readonly values: Map<Expr, readonly Value[]>;
  readonly types: Map<Producer, readonly TensorType[]>;
  readonly calls: Map<Call, FlowCall>;
  readonly branches: Map<If, FlowBranch>;
  readonly devices: ReadonlyMap<Expr, number>;
}

/**
 * Reads `main`; throws CompileError (RS50xx) for what `executor` ("AOT executor", "graph executor") cannot run. Dimensions must be
 * known unless `fixed` is false.
 */
export function readMain(main: Func, te: TeCompiler, executor: string, fixed = true): MainFlow {
  const devices = devicesIn(main, firstDevice(te.cx.options));
  const walk: Walk = {
    executor,
    fixed,
    te,
    lets: new Map(),
    values: new Map(),
    types: new Map(),
    calls: new Map(),
    branches: new Map(),
    devices,
  };
  for (const param of main.params) addProducer(walk, param, tensorTypeOf(walk, param));
  const entered: Producer[] = [];
  const left: Producer[] = [];
  walkInBranches(main.body, {
    enter: (expr) => {
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
      if (expr.kind === "if") visitIf(walk, expr, { then, otherwise, end: left.length });
      else visitNode(walk, expr);
      if (walk.types.has(expr as Producer)) left.push(expr as Producer);
    },
    position: () => left.length,
  });
  return {
    params: main.params,
    results: valuesOf(walk, main.body),
    resultTypes: flattenTensorTypes(typeOf(main.body)),
    entered,
    left,
    calls: walk.calls,
    branches: walk.branches,
    branchesFrom: byStart(walk.branches),
    types: walk.types,
    deviceOf: (producer) => devices.get(producer) ?? firstDevice(te.cx.options),
    externalParams: externalParams(walk.calls.values()),
  };
}

function externalParams(calls: Iterable<FlowCall>): ReadonlyMap<string, TensorData> {
  const found = new Map<string, TensorData>();
  for (const { primitive } of calls)
    for (const { name, data } of primitive.external?.constants ?? []) found.set(name, data);
  return found;
}

function byStart(branches: ReadonlyMap<If, FlowBranch>): ReadonlyMap<number, readonly FlowBranch[]> {
  const found = new Map<number, FlowBranch[]>();
  // Inner ifs are left before outer ones.
  for (const branch of [...branches.values()].reverse())
    found.set(branch.then, [...(found.get(branch.then) ?? []), branch]);
  return found;
}

/** A parameter is one tensor: each has one C argument and one node. */
function tensorTypeOf(walk: Walk, param: Var): readonly TensorType[] {
  const type = typeOf(param);
  if (type.kind !== "tensor-type") {
    refuse(walk, "RS5003", param, `parameter %${param.name} is not a tensor`, {
      expected: "tensors as parameters of @main",
      got: printType(type),
      hint: "take the fields as parameters of their own",
    });
  }
  return [type];
}

function addProducer(walk: Walk, producer: Producer, types: readonly TensorType[]): void {
  for (const type of types) {
    if (!walk.fixed || staticShape(type) !== null) continue;
    const name = producer.kind === "var" ? `parameter %${producer.name}` : `the result of a ${producer.kind}`;
    refuse(walk, "RS5002", producer, `${name} has a dimension that is not known when compiling`, {
      expected: "a static shape, so that memory can be planned",
      got: printType(type),
      hint:
        producer.kind === "var"
          ? `give its dimensions, as in --shape ${producer.name}=${exampleShape(type)}; without them, run evaluates shapes as it goes`
          : "give the dimensions of the inputs with --shape; without them, run evaluates shapes as it goes",
    });
  }
  walk.types.set(producer, types);
  walk.values.set(
    producer,
    types.map((_, index) => ({ producer, index })),
  );
}

/** "2x4": what the shape option may say. */
function exampleShape(type: TensorType): string {
  return type.shape.map((dim) => (typeof dim === "number" ? dim : 2)).join("x");
}

function valuesOf(walk: Walk, expr: Expr): readonly Value[] {
  let at = expr;
  while (at.kind === "var" && !walk.values.has(at) && walk.lets.has(at)) at = walk.lets.get(at)!;
  const found = walk.values.get(at);
  invariant(found !== undefined, `a ${at.kind} of main has no value`);
  return found;
}

function visitNode(walk: Walk, expr: Expr): void {
  switch (expr.kind) {
    case "var":
      if (!walk.values.has(expr) && !walk.lets.has(expr)) {
        refuse(walk, "RS5004", expr, `free variable %${expr.name} in @main`, {
          expected: "parameters of @main and let-bound variables",
          got: `%${expr.name}`,
          because: "nothing gives it a value",
          hint: `make %${expr.name} a parameter of @main, or bind it with let`,
        });
      }
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
      refuse(walk, "RS5005", expr, `the ${walk.executor} cannot run ${article(expr.kind)}`, {
        expected: "calls of primitive functions, tuples, let and if",
        got: expr.kind,
        because: "its plan is one list of calls, made when compiling",
        hint: "let plainMain resolve it first",
      });
  }
}

function visitIf(walk: Walk, expr: If, at: Pick<FlowBranch, "then" | "otherwise" | "end">): void {
  const condition = valuesOf(walk, expr.condition)[0];
  invariant(condition !== undefined, "the condition of an if has no value");
  addProducer(walk, expr, flattenTensorTypes(typeOf(expr)));
  walk.branches.set(expr, {
    expr,
    condition,
    ...at,
    thenResults: valuesOf(walk, expr.then),
    otherwiseResults: valuesOf(walk, expr.otherwise),
  });
}

function visitCall(walk: Walk, call: Call): void {
  if (onDeviceOf(call) !== null) {
    walk.values.set(call, valuesOf(walk, call.args[0]!));
    return;
  }
  const func = calleeFunction(call, walk.lets);
  if (func === null || !isPrimitive(func)) {
    const callee = call.callee;
    const what =
      callee.kind === "op"
        ? `operator ${callee.name}`
        : callee.kind === "global"
          ? `@${callee.name}`
          : `a ${callee.kind}`;
    refuse(walk, "RS5006", call, `the ${walk.executor} meets a call of ${what}`, {
      expected: "calls of primitive functions only",
      got: `a call of ${what}`,
      because: "FuseOps puts every operator into a primitive function, and functions must be inlined before",
      hint: callee.kind === "global" ? "inline the function into @main" : "let FuseOps run",
    });
  }
  const primitive = walk.te.lower(func, call, walk.devices.get(call));
  addProducer(walk, call, flattenTensorTypes(typeOf(call)));
  walk.calls.set(call, {
    call,
    func,
    primitive,
    args: call.args.flatMap((arg) => [...valuesOf(walk, arg)]),
    reshapeOnly: func.attrs["relay.reshape_only"] === 1,
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

function article(kind: string): string {
  return kind === "if" ? "an if" : `a ${kind}`;
}

function refuse(walk: Walk, code: DiagnosticCode, at: Expr, message: string, parts: DiagnosticParts): never {
  fail(code, message, {
    span: at.span,
    origin: at.origin,
    because: `the ${walk.executor} plans everything when compiling`,
    ...parts,
  });
}
