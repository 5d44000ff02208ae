// The first half of InferType: walks an expression in order of evaluation and collects types and what they must satisfy.
import { byteSize } from "../ir/dtype.ts";
import { diagnostic, type DiagnosticParts } from "../ir/diagnostic.ts";
import type { OpCore, TypeReporter } from "../ir/op.ts";
import { maxTensorBytes } from "../ir/tensor-data.ts";
import {
  flattenTensorTypes, funcType, printType, scalarType, tensorType, tupleType, type FuncType, type IncompleteType, type Type, type TypeVar,
} from "../ir/type.ts";
import { bool } from "../ir/dtype.ts";
import type { Call, Expr, Func, Match, Pattern, TupleGetItem, Var } from "./expr.ts";
import { patternText, unmatchedCases } from "./infer-type-match.ts";
import { createSolver, freshHole, head, holesOf, isClosed, resolve, substitute, unify, type Solver } from "./infer-type-solver.ts";
import type { IRModule } from "./module.ts";
import type { RelayContext } from "./op.ts";
import { children } from "./visit.ts";

/** A call or projection whose result type follows from its argument types by a relation. */
interface Constraint {
  readonly expr: Call | TupleGetItem;
  readonly op: OpCore | null;
  readonly args: readonly Type[];
  /** Made when the relation could not answer at once. */
  result: IncompleteType | null;
  done: boolean;
}

export interface Inference {
  readonly module: IRModule;
  readonly pass: RelayContext;
  readonly solver: Solver<Constraint>;
  readonly types: Map<Expr, Type>;
  readonly typeArgs: Map<Call, readonly Type[]>;
  readonly globals: Map<string, FuncType>;
  readonly constraints: Constraint[];
  /** Holes that a reported mistake left behind: what depends on them is not reported again. */
  readonly poisoned: Set<IncompleteType>;
  readonly rebuilt: Map<Expr, Expr>;
}

export function createInference(module: IRModule, pass: RelayContext): Inference {
  return {
    module, pass, solver: createSolver(), types: new Map(), typeArgs: new Map(), globals: new Map(), constraints: [],
    poisoned: new Set(), rebuilt: new Map(),
  };
}

/** The type that a global function is known by: its annotations, holes for what they leave out. */
export function prepareGlobal(cx: Inference, name: string, func: Func): void {
  cx.globals.set(name, annotatedType(cx, func));
}

function annotatedType(cx: Inference, func: Func): FuncType {
  return funcType(func.params.map((param) => varType(cx, param)), func.resultType ?? freshHole(), func.typeParams);
}

function varType(cx: Inference, variable: Var): Type {
  let type = cx.types.get(variable);
  if (type === undefined) cx.types.set(variable, (type = variable.annotation ?? variable.type ?? freshHole()));
  return type;
}

function report(cx: Inference, expr: Expr, code: string, message: string, parts: DiagnosticParts = {}): void {
  cx.pass.diagnostics.push(diagnostic(code, message, { span: expr.span, origin: expr.origin, ...parts }));
}

/** A type that stands for "there was a mistake". */
function poison(cx: Inference): IncompleteType {
  const hole = freshHole();
  cx.poisoned.add(hole);
  return hole;
}

function isPoisoned(cx: Inference, type: Type): boolean {
  for (const hole of holesOf(cx.solver, type)) if (cx.poisoned.has(hole)) return true;
  return false;
}

/** Both are one type, or a mistake is reported at `expr`. Returns the common type. */
function require(cx: Inference, expr: Expr, expected: Type, got: Type, code: string, message: () => string): Type {
  const merged = unify(cx.solver, expected, got);
  if (merged !== null) return merged;
  if (!isPoisoned(cx, expected) && !isPoisoned(cx, got)) {
    report(cx, expr, code, message(), { expected: printType(resolve(cx.solver, expected)), got: printType(resolve(cx.solver, got)) });
  }
  // What hangs on the two is not told again.
  for (const hole of holesOf(cx.solver, got, holesOf(cx.solver, expected))) cx.poisoned.add(hole);
  return expected;
}

/** Types everything under `root`; for a global function also what callers know of it. */
export function inferBody(cx: Inference, root: Expr, globalName: string | null): void {
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const open = (expr: Expr) => {
    if (!cx.types.has(expr)) stack.push({ expr, kids: children(expr), next: 0 });
  };
  open(root);
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    if (cx.types.has(top.expr)) {
      stack.pop();
    } else if (top.next < top.kids.length) {
      beforeChild(cx, top.expr, top.next);
      open(top.kids[top.next++]!);
    } else {
      stack.pop();
      cx.types.set(top.expr, typeOfNode(cx, top.expr));
      drain(cx);
    }
  }
  const known = globalName === null ? undefined : cx.globals.get(globalName);
  const found = cx.types.get(root);
  if (known !== undefined && found?.kind === "func-type") unify(cx.solver, known.result, found.result);
  drain(cx);
}

/** What must be known before child `index` of `expr` is walked. */
function beforeChild(cx: Inference, expr: Expr, index: number): void {
  if (expr.kind === "let" && index === 1 && expr.value.kind === "function") {
    // A function may call itself by the name it is bound to.
    unify(cx.solver, varType(cx, expr.variable), annotatedType(cx, expr.value));
  } else if (expr.kind === "let" && index === 2) {
    const got = cx.types.get(expr.value)!;
    const merged = require(cx, expr.value, varType(cx, expr.variable), got, "RS2010", () => `\`%${expr.variable.name}\` is bound to a value of another type than its annotation says.`);
    if (expr.variable.annotation === null) cx.types.set(expr.variable, merged);
  } else if (expr.kind === "if" && index === 1) {
    require(cx, expr.condition, scalarType(bool), cx.types.get(expr.condition)!, "RS2011", () => "The condition of an `if` must be a boolean scalar.");
  } else if (expr.kind === "match" && index >= 1) {
    if (index === 1) for (const clause of expr.clauses) bindPattern(cx, expr, clause.pattern, cx.types.get(expr.data)!);
  }
}

const operator: Type = { kind: "incomplete-type" };

function typeOfNode(cx: Inference, expr: Expr): Type {
  const typed = (kid: Expr) => cx.types.get(kid)!;
  switch (expr.kind) {
    case "var":
      return varType(cx, expr);
    case "op":
      return operator;
    case "global":
      return globalType(cx, expr);
    case "constant":
      return tensorType(expr.data.shape, expr.data.dtype);
    case "constructor":
      return constructorType(cx, expr);
    case "tuple":
      return tupleType(expr.fields.map((field) => resolve(cx.solver, typed(field))));
    case "tuple-get-item":
      return constrain(cx, { expr, op: null, args: [typed(expr.tuple)], result: null, done: false });
    case "call":
      return callType(cx, expr);
    case "function":
      return functionType(cx, expr);
    case "let":
      return typed(expr.body);
    case "if":
      return require(cx, expr, typed(expr.then), typed(expr.otherwise), "RS2012", () => "The branches of this `if` have different types.");
    case "ref-create":
      return { kind: "ref-type", value: typed(expr.value) };
    case "ref-read": case "ref-write": {
      const value = freshHole();
      require(cx, expr.ref, { kind: "ref-type", value }, typed(expr.ref), "RS2013", () => "This is not a reference.");
      if (expr.kind === "ref-read") return value;
      require(cx, expr.value, value, typed(expr.value), "RS2014", () => "The value has another type than the reference holds.");
      return tupleType([]);
    }
    case "match":
      return matchType(cx, expr);
  }
}

function globalType(cx: Inference, expr: Extract<Expr, { kind: "global" }>): Type {
  const known = cx.globals.get(expr.name);
  if (known !== undefined) return known;
  if (expr.type !== null) return expr.type;
  report(cx, expr, "RS2003", `The function \`@${expr.name}\` is not in the module.`);
  return poison(cx);
}

function constructorType(cx: Inference, expr: Extract<Expr, { kind: "constructor" }>): Type {
  const params = cx.module.typeDefs.get(expr.belongTo.name)?.typeParams ?? [];
  return funcType(expr.inputs, { kind: "type-call", callee: expr.belongTo, args: params }, params);
}

function functionType(cx: Inference, func: Func): Type {
  const body = head(cx.solver, cx.types.get(func.body)!);
  // A polymorphic function as result is taken at one instance.
  const value = body.kind === "func-type" ? instantiate(body, []).type : body;
  const result = func.resultType === null ? value
    : require(cx, func.body, func.resultType, value, "RS2015", () => "The function returns another type than it declares.");
  return funcType(func.params.map((param) => resolve(cx.solver, varType(cx, param))), resolve(cx.solver, result), func.typeParams);
}

/** `type` with its type parameters at `given`, holes for the rest. */
function instantiate(type: FuncType, given: readonly Type[]): { readonly type: FuncType; readonly args: readonly Type[] } {
  if (type.typeParams.length === 0) return { type, args: [] };
  const args = type.typeParams.map((_, i) => given[i] ?? freshHole());
  const at = new Map<TypeVar, Type>(type.typeParams.map((param, i) => [param, args[i]!]));
  return { type: funcType(type.params.map((param) => substitute(param, at)), substitute(type.result, at)), args };
}

function callType(cx: Inference, call: Call): Type {
  const args = call.args.map((arg) => cx.types.get(arg)!);
  if (call.callee.kind === "op") {
    const op = cx.pass.ops.get(call.callee.name);
    if (op === undefined) {
      report(cx, call, "RS2004", `There is no operator \`${call.callee.name}\`.`);
      return poison(cx);
    }
    if (op.inputs.length !== args.length) {
      report(cx, call, "RS2005", `${op.name} takes ${op.inputs.length} arguments, ${args.length} given.`, { expected: `${op.name}(${op.inputs.join(", ")})`, got: `${args.length} arguments` });
      return poison(cx);
    }
    return constrain(cx, { expr: call, op, args, result: null, done: false });
  }
  return functionCallType(cx, call, args);
}

/** What a call of something is called in a message. */
function calleeName(callee: Expr): string {
  if (callee.kind === "global") return `@${callee.name}`;
  if (callee.kind === "var") return `%${callee.name}`;
  return callee.kind === "constructor" ? callee.name : "this function";
}

function functionCallType(cx: Inference, call: Call, args: readonly Type[]): Type {
  const callee = head(cx.solver, cx.types.get(call.callee)!);
  const name = calleeName(call.callee);
  if (callee.kind === "incomplete-type") {
    if (cx.poisoned.has(callee)) return poison(cx);
    const result = freshHole();
    unify(cx.solver, callee, funcType(args, result));
    return result;
  }
  if (callee.kind !== "func-type") {
    report(cx, call, "RS2006", `${name} is called, but it is no function.`, { expected: "a function", got: printType(resolve(cx.solver, callee)) });
    return poison(cx);
  }
  if (call.typeArgs.length > callee.typeParams.length) {
    report(cx, call, "RS2007", `${name} takes ${callee.typeParams.length} type arguments, ${call.typeArgs.length} given.`);
  }
  const instance = instantiate(callee, call.typeArgs);
  if (callee.typeParams.length > 0) cx.typeArgs.set(call, instance.args);
  const { params, result } = instance.type;
  if (params.length !== args.length) {
    report(cx, call, "RS2005", `${name} takes ${params.length} arguments, ${args.length} given.`, { expected: `(${params.map((param) => printType(resolve(cx.solver, param))).join(", ")})`, got: `${args.length} arguments` });
    return result;
  }
  params.forEach((param, i) => {
    require(cx, call, param, args[i]!, "RS2008", () => `Argument ${i + 1} of ${name} has the wrong type.`);
  });
  return result;
}

/** The constraint's type now, or a hole that gets it later. */
function constrain(cx: Inference, constraint: Constraint): Type {
  const type = attempt(cx, constraint, false);
  if (type !== null) return type;
  constraint.result = freshHole();
  cx.constraints.push(constraint);
  wait(cx, constraint);
  return constraint.result;
}

function wait(cx: Inference, constraint: Constraint): void {
  for (const arg of constraint.args) {
    for (const hole of holesOf(cx.solver, arg)) {
      const list = cx.solver.waiting.get(hole);
      if (list === undefined) cx.solver.waiting.set(hole, [constraint]);
      else if (!list.includes(constraint)) list.push(constraint);
    }
  }
}

/** Tries what became ready until nothing more does. */
function drain(cx: Inference): void {
  for (let next = cx.solver.ready.pop(); next !== undefined; next = cx.solver.ready.pop()) {
    if (next.done) continue;
    const type = attempt(cx, next, false);
    if (type !== null) settle(cx, next, type);
    else wait(cx, next);
  }
}

function settle(cx: Inference, constraint: Constraint, type: Type): void {
  constraint.done = true;
  if (constraint.result !== null) require(cx, constraint.expr, constraint.result, type, "RS2009", () => "The result has another type than its use asks for.");
}

/** The result type, a poisoned one after a mistake, or null while an argument is open (unless `last`: then mistakes are told). */
function attempt(cx: Inference, constraint: Constraint, last: boolean): Type | null {
  const args = constraint.args.map((arg) => resolve(cx.solver, arg));
  const open = !args.every((arg) => isClosed(cx.solver, arg));
  if (open && args.some((arg) => isPoisoned(cx, arg))) return poison(cx);
  if (constraint.expr.kind === "tuple-get-item") return projectionType(cx, constraint.expr, args[0]!);
  const op = constraint.op!;
  let told = 0;
  const reporter = createReporter(cx, constraint.expr, op, args, (found) => {
    told++;
    if (!open || last) cx.pass.diagnostics.push(found);
  });
  const type = op.relation(args, constraint.expr.attrs, reporter);
  if (type !== null && told === 0) return checkSize(cx, constraint.expr, op, type);
  if (open && !(last && told > 0)) return null;
  if (told === 0) report(cx, constraint.expr, "RS2002", `The type of this call of ${op.name} cannot be inferred.`, { notes: argumentNotes(constraint.expr, op, args) });
  return poison(cx);
}

function createReporter(cx: Inference, call: Call, op: OpCore, args: readonly Type[], tell: (found: ReturnType<typeof diagnostic>) => void): TypeReporter {
  const error = (code: string, message: string, parts: DiagnosticParts = {}): null => {
    const named = message.startsWith(op.name) ? message : `${op.name}: ${message}`;
    tell(diagnostic(code, named, { span: call.span, origin: call.origin, ...parts, notes: [...(parts.notes ?? []), ...argumentNotes(call, op, args)] }));
    return null;
  };
  return {
    error,
    dimEqual: (a, b) => typeof a !== "number" || typeof b !== "number" || a === b,
    unify: (a, b) => {
      if (unify(cx.solver, a, b) !== null) return true;
      const at = args.findIndex((arg) => arg === a || arg === b);
      const [expected, got] = at >= 0 && args[at] === a ? [b, a] : [a, b];
      error("RS2001", at < 0 ? `${op.name}: two types that must be equal differ` : `${op.name}: argument \`${op.inputs[at]!}\` has the wrong type`, {
        expected: printType(resolve(cx.solver, expected)), got: printType(resolve(cx.solver, got)),
      });
      return false;
    },
  };
}

/** "`weight` is %c2w: Tensor[(16, 8, 5, 5), float32]", one for each argument. */
function argumentNotes(call: Call, op: OpCore, args: readonly Type[]): readonly string[] {
  return args.map((type, i) => {
    const arg = call.args[i]!;
    return `\`${op.inputs[i] ?? String(i + 1)}\` is ${arg.kind === "var" ? `%${arg.name}: ` : ""}${printType(type)}`;
  });
}

function checkSize(cx: Inference, call: Call, op: OpCore, type: Type): Type {
  for (const tensor of type.kind === "tensor-type" ? [type] : flattenTensorTypes(type)) {
    let bytes = byteSize(tensor.dtype);
    for (const dim of tensor.shape) if (typeof dim === "number") bytes *= dim;
    if (bytes <= maxTensorBytes) continue;
    report(cx, call, "RS2016", `${op.name}: the result is too large: ${bytes} bytes.`, { expected: `at most ${maxTensorBytes} bytes`, got: printType(tensor), because: "the page and WebAssembly address memory with 32 bits" });
    return poison(cx);
  }
  return type;
}

function projectionType(cx: Inference, expr: TupleGetItem, tuple: Type): Type | null {
  if (tuple.kind === "incomplete-type") return null;
  if (tuple.kind !== "tuple-type") {
    report(cx, expr, "RS2017", `\`.${expr.index}\` takes a field of a tuple, but this is none.`, { expected: "a tuple", got: printType(tuple) });
    return poison(cx);
  }
  const field = tuple.fields[expr.index];
  if (field !== undefined) return field;
  report(cx, expr, "RS2018", `The tuple has ${tuple.fields.length} fields, there is no field ${expr.index}.`, { expected: `0 to ${tuple.fields.length - 1}`, got: String(expr.index) });
  return poison(cx);
}

function matchType(cx: Inference, match: Match): Type {
  let type: Type = freshHole();
  for (const clause of match.clauses) {
    type = require(cx, clause.body, type, cx.types.get(clause.body)!, "RS2019", () => "The cases of this `match` have different types.");
  }
  const missing = match.complete ? unmatchedCases(match, cx.module) : [];
  if (missing.length > 0) {
    report(cx, match, "RS2020", "This `match` leaves values out.", { notes: missing.map((pattern) => `no case for ${patternText(pattern)}`), hint: "Add the cases, or write `match?` if they cannot happen." });
  }
  return type;
}

/** Gives the pattern's variables their types. Patterns nest little: the parser limits them. */
function bindPattern(cx: Inference, match: Match, pattern: Pattern, type: Type): void {
  if (pattern.kind === "wildcard") return;
  if (pattern.kind === "bind") {
    require(cx, pattern.variable, varType(cx, pattern.variable), type, "RS2021", () => `\`%${pattern.variable.name}\` cannot have the type that its pattern gives it.`);
    return;
  }
  if (pattern.kind === "tuple-pattern") {
    const fields = pattern.patterns.map(() => freshHole());
    require(cx, match, tupleType(fields), type, "RS2022", () => "A tuple pattern does not fit the value.");
    pattern.patterns.forEach((part, i) => bindPattern(cx, match, part, fields[i]!));
    return;
  }
  const { constructor_: made } = pattern;
  const instance = instantiate(constructorType(cx, made) as FuncType, []).type;
  require(cx, match, instance.result, type, "RS2022", () => `The pattern \`${made.name}\` does not fit the value.`);
  pattern.patterns.forEach((part, i) => bindPattern(cx, match, part, instance.params[i] ?? poison(cx)));
}

/** When everything was walked: says what could not be inferred, once for each cause. */
export function finishInference(cx: Inference): void {
  drain(cx);
  for (const constraint of cx.constraints) {
    if (constraint.done) continue;
    const type = attempt(cx, constraint, true);
    if (type !== null) {
      settle(cx, constraint, type);
      drain(cx);
    }
  }
  for (const [expr, type] of cx.types) {
    if (expr.kind !== "var") continue;
    const holes = [...holesOf(cx.solver, type)];
    if (holes.length === 0 || holes.some((hole) => cx.poisoned.has(hole))) continue;
    report(cx, expr, "RS2000", `The type of \`%${expr.name}\` cannot be inferred.`, { hint: `Write it: \`%${expr.name}: Tensor[(…), float32]\`.` });
    for (const hole of holes) cx.poisoned.add(hole);
  }
  for (const constraint of cx.constraints) {
    if (constraint.done) continue;
    if (!constraint.args.some((arg) => isPoisoned(cx, arg))) {
      report(cx, constraint.expr, "RS2002", `The type of this call of ${constraint.op?.name ?? "a projection"} cannot be inferred.`);
    }
    for (const hole of constraint.result === null ? [] : holesOf(cx.solver, constraint.result)) cx.poisoned.add(hole);
  }
  for (const [expr, type] of cx.types) {
    if (type === operator || type.kind === "tensor-type") continue;
    const holes = [...holesOf(cx.solver, type)];
    if (holes.length === 0 || holes.some((hole) => cx.poisoned.has(hole))) continue;
    report(cx, expr, "RS2002", "The type of this expression cannot be inferred.", { got: printType(resolve(cx.solver, type)) });
    for (const hole of holes) cx.poisoned.add(hole);
  }
}
