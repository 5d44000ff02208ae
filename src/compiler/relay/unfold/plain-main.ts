// Main as the executors take it: calls of primitive functions, tuples, lets and ifs on data. Functions are
// called here and now (global ones, closures, functions handed around), constructors matched, references
// followed; what a condition decides that is known when compiling is decided.
// TVM has no counterpart: its AOT and graph executors refuse all of this ("let is not supported", "match not
// supported"…).
import { maxUnfoldedCalls } from "../../limits.ts";
import { first } from "../../../support/assert.ts";
import { fail } from "../../ir/diagnostic.ts";
import { remark } from "../../ir/remark.ts";
import { flattenTensorTypes, tupleType } from "../../ir/type.ts";
import {
  isPrimitive,
  makeCall,
  makeFunction,
  makeTuple,
  type Call,
  type Expr,
  type Func,
  type If,
  type Match,
  type Pattern,
  type Var,
} from "../expr.ts";
import type { IRModule } from "../module.ts";
import { fixedOnDevice, functionDevices, onDeviceOf } from "../on-device.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { postOrder } from "../visit.ts";
import { parameterLeaves } from "./parameter-leaves.ts";
import { knownCondition, type KnownValues } from "./known-condition.ts";
import {
  asData,
  data,
  describe,
  join,
  needData,
  project,
  refuse,
  type Branch,
  type Scope,
  type Static,
} from "./static-value.ts";

interface Evaluation {
  readonly module: IRModule;
  readonly cx: RelayContext;
  readonly globals: Scope;
  readonly known: KnownValues;
  /** Calls that are being evaluated: the function of each, and the branch that it was called in. */
  readonly active: { readonly func: Func; readonly branch: Branch | null }[];
  branch: Branch | null;
  calls: number;
}

/**
 * A step asks for the value of an expression in a scope and gets it back: no recursion on the depth of the
 * program.
 */
type Steps = Generator<readonly [Expr, Scope], Static, Static>;

/**
 * `main` without what the executors cannot take; the same object if there is nothing of that. Parameters that
 * are tuples become a parameter a tensor, `t.0`, `t.1.0`, …. Throws CompileError (RS50xx) for what only
 * running could decide.
 */
export function plainMain(module: IRModule, main: Func, cx: RelayContext): Func {
  if (isPlain(main)) return main;
  const globals: Scope = { outer: null, variables: new Map(), done: new Map() };
  const evaluation: Evaluation = {
    module,
    cx,
    globals,
    known: new Map(),
    active: [],
    branch: null,
    calls: 0,
  };
  const scope: Scope = { outer: globals, variables: new Map(), done: new Map() };
  const params = main.params.flatMap((param) => {
    const leaves = parameterLeaves(param, cx, new Set(main.params.map(({ name }) => name)));
    scope.variables.set(param, data(leaves.value));
    return leaves.vars;
  });
  const result = run(evaluation, main.body, scope);
  const body = needData(result, resultExpr(main.body), "the result of @main", cx);
  const header = functionDevices(main);
  const attrs =
    header === null
      ? main.attrs
      : { ...main.attrs, param_device_types: params.map((_, i) => deviceOfLeaf(main, header.params, i)) };
  return makeFunction(cx.ids, params, body, {
    origin: main.origin,
    span: main.span,
    resultType: typeOf(body),
    attrs,
    typeParams: [],
  });
}

/** What a let chain ends in: what a message about the result points at. */
function resultExpr(body: Expr): Expr {
  let at = body;
  while (at.kind === "let") at = at.body;
  return at;
}

const resolvedKinds: ReadonlySet<Expr["kind"]> = new Set([
  "global",
  "constructor",
  "match",
  "ref-create",
  "ref-read",
  "ref-write",
]);

/** True for a main that the executors' own walk reads. */
function isPlain(main: Func): boolean {
  let plain = main.params.every((param) => typeOf(param).kind === "tensor-type");
  const bound = new Map<Expr, Expr>();
  postOrder(
    main.body,
    (expr) => {
      if (expr.kind === "let") bound.set(expr.variable, expr.value);
    },
    (expr) => expr.kind !== "function",
  );
  const isConstant = (condition: Expr): boolean => {
    let at = condition;
    for (let value = bound.get(at); value !== undefined; value = bound.get(at)) at = value;
    return at.kind === "constant";
  };
  postOrder(
    main.body,
    (expr) => {
      if (expr.kind === "function") plain &&= isKernel(expr);
      else if (expr.kind === "if") plain &&= !isConstant(expr.condition);
      else plain &&= !resolvedKinds.has(expr.kind);
    },
    (expr) => expr.kind !== "function",
  );
  return plain && resultExpr(main.body).kind !== "function";
}

/**
 * Whether a function runs as one kernel. One that only hands its parameters through has no loops of its own:
 * it is unfolded like any function, also where a pass removed the one operator that it had.
 */
function isKernel(func: Func): boolean {
  if (!isPrimitive(func)) return false;
  if (func.attrs["Compiler"] !== undefined) return true;
  let calls = false;
  postOrder(func.body, (expr) => void (calls ||= expr.kind === "call"));
  return calls;
}

function deviceOfLeaf(main: Func, devices: readonly number[], leaf: number): number {
  let before = 0;
  for (const [i, param] of main.params.entries()) {
    before += flattenTensorTypes(typeOf(param)).length;
    if (leaf < before) return devices[i]!;
  }
  return devices[0] ?? 1;
}

/** Drives the steps with a stack of its own. */
function run(evaluation: Evaluation, expr: Expr, scope: Scope): Static {
  const stack: { readonly steps: Steps; readonly expr: Expr; readonly scope: Scope }[] = [];
  let value = start(evaluation, stack, expr, scope);
  for (let top = stack[stack.length - 1]; top !== undefined; top = stack[stack.length - 1]) {
    const next = value === null ? top.steps.next() : top.steps.next(value);
    if (next.done === true) {
      stack.pop();
      top.scope.done.set(top.expr, next.value);
      value = next.value;
    } else value = start(evaluation, stack, next.value[0], next.value[1]);
  }
  return value!;
}

/** The value if it is known already, else null and its steps are on the stack. */
function start(
  evaluation: Evaluation,
  stack: { readonly steps: Steps; readonly expr: Expr; readonly scope: Scope }[],
  expr: Expr,
  scope: Scope,
): Static | null {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const done = at.done.get(expr);
    if (done !== undefined) return done;
  }
  stack.push({ steps: evaluate(evaluation, expr, scope), expr, scope });
  return null;
}

function* evaluate(evaluation: Evaluation, expr: Expr, scope: Scope): Steps {
  const { cx } = evaluation;
  switch (expr.kind) {
    case "var":
      return variableValue(expr, scope);
    case "constant":
      return data(expr);
    case "op":
      return data(expr);
    case "global":
      return globalValue(evaluation, expr);
    case "constructor":
      return expr.inputs.length === 0
        ? { kind: "adt", made: expr, fields: [] }
        : { kind: "constructor", made: expr };
    case "function":
      return { kind: "closure", func: expr, scope, name: "" };
    case "tuple":
      return tupleValue(expr, yield* all(expr.fields, scope), cx);
    case "tuple-get-item":
      return project(yield [expr.tuple, scope], expr.index, expr, cx);
    case "let":
      return yield* evaluateLet(expr, scope);
    case "if":
      return yield* evaluateIf(evaluation, expr, scope);
    case "match":
      return yield* evaluateMatch(evaluation, expr, yield [expr.data, scope], scope);
    case "ref-create":
      return { kind: "reference", cell: { value: yield [expr.value, scope], branch: evaluation.branch } };
    case "ref-read":
      return readReference(yield [expr.ref, scope], expr, cx);
    case "ref-write":
      return writeReference(evaluation, yield [expr.ref, scope], yield [expr.value, scope], expr);
    case "call":
      return yield* evaluateCall(evaluation, expr, scope);
  }
}

function* all(
  exprs: readonly Expr[],
  scope: Scope,
): Generator<readonly [Expr, Scope], readonly Static[], Static> {
  const values: Static[] = [];
  for (const expr of exprs) values.push(yield [expr, scope]);
  return values;
}

function variableValue(variable: Var, scope: Scope): Static {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const value = at.variables.get(variable);
    if (value !== undefined) return value;
  }
  return refuse(variable, "RS5004", `free variable %${variable.name} in @main`, {
    expected: "parameters of @main and let-bound variables",
    got: `%${variable.name}`,
    because: "nothing gives it a value",
    hint: `make %${variable.name} a parameter of @main, or bind it with let`,
  });
}

function globalValue(evaluation: Evaluation, expr: Extract<Expr, { kind: "global" }>): Static {
  const func = evaluation.module.functions.get(expr.name);
  if (func !== undefined) return { kind: "closure", func, scope: evaluation.globals, name: `@${expr.name}` };
  return refuse(expr, "RS5001", `there is no function @${expr.name} in the module`, {
    expected: [...evaluation.module.functions.keys()].map((name) => `@${name}`).join(", "),
    got: `@${expr.name}`,
    because: "a call needs the function's body",
    hint: `define @${expr.name}`,
  });
}

function tupleValue(
  expr: Extract<Expr, { kind: "tuple" }>,
  fields: readonly Static[],
  cx: RelayContext,
): Static {
  const exprs = fields.map((field) => (field.kind === "data" ? field.expr : null));
  if (!exprs.every((field) => field !== null)) return { kind: "fields", fields };
  if (exprs.every((field, i) => field === expr.fields[i])) return data(expr);
  return data(
    makeTuple(cx.ids, exprs, { origin: expr.origin, span: expr.span, type: tupleType(exprs.map(typeOf)) }),
  );
}

function* evaluateLet(expr: Extract<Expr, { kind: "let" }>, scope: Scope): Steps {
  let at: Expr = expr;
  while (at.kind === "let") {
    const value = yield [at.value, scope];
    // A function finds itself by the name it is bound to: its scope is this one.
    scope.variables.set(
      at.variable,
      value.kind === "closure" && value.name === "" ? { ...value, name: `%${at.variable.name}` } : value,
    );
    at = at.body;
  }
  return yield [at, scope];
}

function* evaluateIf(evaluation: Evaluation, expr: If, scope: Scope): Steps {
  const { cx } = evaluation;
  const condition = needData(yield [expr.condition, scope], expr.condition, "the condition of an if", cx);
  const known = knownCondition(condition, evaluation.known, cx);
  if (known !== null) {
    cx.remarks.push(
      remark(
        "AOTExecutorCodegen",
        "main.decided",
        `the condition is ${known ? "true" : "false"} when compiling: the ${known ? "first" : "second"} branch is taken`,
        { origin: expr.origin },
      ),
    );
    return yield [known ? expr.then : expr.otherwise, scope];
  }
  const outer = evaluation.branch;
  const sides: Static[] = [];
  for (const side of [expr.then, expr.otherwise]) {
    evaluation.branch = { outer, at: expr };
    sides.push(yield [side, scope]);
  }
  evaluation.branch = outer;
  return join(condition, first(sides, "side"), sides[1]!, expr, cx);
}

function* evaluateCall(evaluation: Evaluation, call: Call, scope: Scope): Steps {
  const callee = yield [call.callee, scope];
  const args = yield* all(call.args, scope);
  // on_device of what is no data marks nothing.
  if (onDeviceOf(call) !== null && first(args, "argument").kind !== "data") return first(args, "argument");
  return yield* apply(evaluation, callee, args, call);
}

function* apply(evaluation: Evaluation, callee: Static, args: readonly Static[], call: Call): Steps {
  const { cx } = evaluation;
  switch (callee.kind) {
    case "closure":
      return isKernel(callee.func)
        ? dataCall(callee.func, args, call, cx)
        : yield* callFunction(evaluation, callee, args, call);
    case "constructor":
      return { kind: "adt", made: callee.made, fields: args };
    case "adt":
      return callee;
    case "choice": {
      const outer = evaluation.branch;
      const sides: Static[] = [];
      for (const side of [callee.then, callee.otherwise]) {
        evaluation.branch = { outer, at: callee.at };
        sides.push(yield* apply(evaluation, side, args, call));
      }
      evaluation.branch = outer;
      return join(callee.condition, first(sides, "side"), sides[1]!, callee.at, cx);
    }
    case "data":
      if (callee.expr.kind === "op") return dataCall(call.callee, args, call, cx);
      break;
    case "fields":
    case "reference":
  }
  return refuse(call, "RS5006", `what is called here is ${describe(callee)}`, {
    expected: "a function that is known when compiling",
    got: describe(callee),
    because: "the executors plan every call when compiling",
    hint: "call a function of the module, or one that is written in @main",
  });
}

/** A call of a primitive function or an operator: it stays. */
function dataCall(callee: Expr, args: readonly Static[], call: Call, cx: RelayContext): Static {
  const exprs = args.map((arg, i) => needData(arg, call.args[i]!, `argument ${i + 1} of this call`, cx));
  if (callee === call.callee && exprs.every((arg, i) => arg === call.args[i])) return data(call);
  const type =
    callee.kind === "function" && callee.resultType !== null
      ? callee.resultType
      : onDeviceOf(call) !== null
        ? typeOf(first(exprs, "expression"))
        : call.type;
  return data(
    makeCall(cx.ids, callee, exprs, call.attrs, {
      origin: call.origin,
      span: call.span,
      type,
      typeArgs: call.typeArgs,
    }),
  );
}

function* callFunction(
  evaluation: Evaluation,
  callee: Static & { readonly kind: "closure" },
  args: readonly Static[],
  call: Call,
): Steps {
  const { cx } = evaluation;
  const { func } = callee;
  checkRecursion(evaluation, callee, call);
  const scope: Scope = {
    outer: callee.scope,
    variables: new Map(func.params.map((param, i) => [param, args[i]!])),
    done: new Map(),
  };
  evaluation.active.push({ func, branch: evaluation.branch });
  const result = yield [func.body, scope];
  evaluation.active.pop();
  cx.remarks.push(
    remark(
      "AOTExecutorCodegen",
      "main.inlined",
      `${describe(callee)} is called in place: the runner has one list of calls`,
      { origin: call.origin, other: func.origin },
    ),
  );
  const header = functionDevices(func);
  const expr = header === null || cx.options.targets.length < 2 ? null : asData(result, call, cx);
  return expr === null || header === null ? result : data(fixedOnDevice(cx, expr, header.result));
}

function checkRecursion(
  evaluation: Evaluation,
  callee: Static & { readonly kind: "closure" },
  call: Call,
): void {
  const before = evaluation.active.findLast(({ func }) => func === callee.func);
  evaluation.calls++;
  if (before !== undefined && before.branch !== evaluation.branch) {
    refuse(call, "RS5009", `${describe(callee)} calls itself as often as only running can tell`, {
      expected: "recursion that ends by conditions known when compiling",
      got: "a call of itself in a branch whose condition depends on the inputs",
      because: "the executors plan a fixed list of calls, and unfold recursion when compiling",
      hint: "make what the condition depends on a constant (bind it), or write the steps out",
    });
  }
  if (evaluation.calls > maxUnfoldedCalls) {
    refuse(call, "RS5009", `more than ${maxUnfoldedCalls} calls of functions would be unfolded`, {
      expected: `at most ${maxUnfoldedCalls} calls of functions, recursion included`,
      got: `a call of ${describe(callee).replace(/^the function /, "")} beyond that`,
      because: "the executors plan a fixed list of calls, and unfold recursion when compiling",
      hint: "give the recursion an end, or make it shorter",
    });
  }
}

function* evaluateMatch(evaluation: Evaluation, match: Match, value: Static, scope: Scope): Steps {
  const { cx } = evaluation;
  if (value.kind === "choice") {
    const outer = evaluation.branch;
    const sides: Static[] = [];
    for (const side of [value.then, value.otherwise]) {
      evaluation.branch = { outer, at: value.at };
      // Each side has variables and values of its own: the same cases run twice.
      sides.push(
        yield* evaluateMatch(evaluation, match, side, {
          outer: scope,
          variables: new Map(),
          done: new Map(),
        }),
      );
    }
    evaluation.branch = outer;
    return join(value.condition, first(sides, "side"), sides[1]!, value.at, cx);
  }
  for (const clause of match.clauses) {
    if (bindPattern(clause.pattern, value, match, scope, cx)) return yield [clause.body, scope];
  }
  return refuse(match, "RS5010", `no case of this match fits ${describe(value)}`, {
    expected: "a case for every value that gets here",
    got: describe(value),
    because: "the value is known when compiling, and nothing says what to do with it",
    hint: "add a case, or `_` for all others",
  });
}

/** Whether `pattern` fits; binds its variables in `scope`. Patterns nest little: the parser limits them. */
function bindPattern(pattern: Pattern, value: Static, match: Match, scope: Scope, cx: RelayContext): boolean {
  switch (pattern.kind) {
    case "wildcard":
      return true;
    case "bind":
      scope.variables.set(pattern.variable, value);
      return true;
    case "tuple-pattern":
      return pattern.patterns.every((part, i) =>
        bindPattern(part, project(value, i, match, cx), match, scope, cx),
      );
    case "constructor-pattern":
      if (value.kind !== "adt") {
        return refuse(match, "RS5010", `which case of this match fits depends on ${describe(value)}`, {
          expected: `a value whose constructor is known when compiling`,
          got: describe(value),
          because: "the executors plan a fixed list of calls",
          hint: "match on the outer value first, and on the inner one in its case",
        });
      }
      return (
        value.made.name === pattern.constructor_.name &&
        pattern.patterns.every((part, i) => bindPattern(part, value.fields[i]!, match, scope, cx))
      );
  }
}

function readReference(value: Static, at: Expr, cx: RelayContext): Static {
  if (value.kind === "reference") return value.cell.value;
  if (value.kind === "choice")
    return join(
      value.condition,
      readReference(value.then, at, cx),
      readReference(value.otherwise, at, cx),
      value.at,
      cx,
    );
  return refuse(at, "RS5011", `${describe(value)} is read as a reference`, {
    expected: "a reference that is known when compiling",
    got: describe(value),
    because: "the executors have no references; they are followed when compiling",
    hint: "create the reference in @main or in a function that it calls",
  });
}

function writeReference(evaluation: Evaluation, reference: Static, value: Static, at: Expr): Static {
  const { cx } = evaluation;
  if (reference.kind === "reference" && reference.cell.branch === evaluation.branch) {
    reference.cell.value = value;
    return data(makeTuple(cx.ids, [], { origin: at.origin, span: at.span, type: tupleType([]) }));
  }
  const where =
    reference.kind === "reference"
      ? "inside a branch whose condition only running decides"
      : `to ${describe(reference)}`;
  return fail("RS5011", `a reference is written ${where}`, {
    span: at.span,
    origin: at.origin,
    expected: "writes that happen whatever the inputs are",
    got: `a write ${where}`,
    because: "the executors have no references; they are followed when compiling",
    hint: "let the if return the new value, and write that after it",
  });
}
