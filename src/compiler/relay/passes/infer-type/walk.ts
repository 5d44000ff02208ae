// The first half of InferType: walks an expression in order of evaluation and collects types and what they
// must satisfy.
import { bool } from "../../../ir/dtype.ts";
import {
  funcType,
  printType,
  scalarType,
  tensorType,
  sameType,
  tupleType,
  type FuncType,
  type Type,
  type TypeVar,
} from "../../../ir/type.ts";
import type { Call, Expr, Func, Match, Pattern } from "../../expr.ts";
import { attempt, constrain, drain, settle } from "./constraint.ts";
import { patternText, unmatchedCases } from "./match.ts";
import { freshHole, head, holesOf, resolve, substitute, unify } from "./solver.ts";
import { annotatedType, isPoisoned, poison, report, require, varType, type Inference } from "./state.ts";
import { children } from "../../visit.ts";

/** The type that a global function is known by: its annotations, holes for what they leave out. */
export function prepareGlobal(cx: Inference, name: string, func: Func): void {
  cx.globals.set(name, annotatedType(cx, func));
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

/**
 * Where a message about `part` of `whole` points: a variable's own place is where it is bound, not where it
 * is used.
 */
function placeOf(part: Expr, whole: Expr): Expr {
  return part.kind === "var" || part.kind === "global" ? whole : part;
}

/** What must be known before child `index` of `expr` is walked. */
function beforeChild(cx: Inference, expr: Expr, index: number): void {
  if (expr.kind === "let" && index === 1 && expr.value.kind === "function") {
    // A function may call itself by the name it is bound to.
    unify(cx.solver, varType(cx, expr.variable), annotatedType(cx, expr.value));
  } else if (expr.kind === "let" && index === 2) {
    const got = cx.types.get(expr.value)!;
    const merged = require(cx, placeOf(expr.value, expr), varType(cx, expr.variable), got, [
      "RS2010",
      () => `\`%${expr.variable.name}\` is bound to a value of another type than its annotation says.`,
    ]);
    if (expr.variable.annotation === null) cx.types.set(expr.variable, merged);
  } else if (expr.kind === "if" && index === 1) {
    require(cx, placeOf(expr.condition, expr), scalarType(bool), cx.types.get(expr.condition)!, [
      "RS2011",
      () => "The condition of an `if` must be a boolean scalar.",
    ]);
  } else if (expr.kind === "match" && index >= 1) {
    if (index === 1)
      for (const clause of expr.clauses) bindPattern(cx, expr, clause.pattern, cx.types.get(expr.data)!);
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
      return tupleOf(
        expr.fields.map((field) => resolve(cx.solver, typed(field))),
        expr.type,
      );
    case "tuple-get-item":
      return constrain(cx, { expr, op: null, args: [typed(expr.tuple)], result: null, done: false });
    case "call":
      return callType(cx, expr);
    case "function":
      return functionType(cx, expr);
    case "let":
      return typed(expr.body);
    case "if":
      return require(cx, expr, typed(expr.then), typed(expr.otherwise), [
        "RS2012",
        () => "The branches of this `if` have different types.",
      ]);
    case "ref-create":
      return { kind: "ref-type", value: typed(expr.value) };
    case "ref-read":
    case "ref-write": {
      const value = freshHole();
      require(cx, placeOf(expr.ref, expr), { kind: "ref-type", value }, typed(expr.ref), [
        "RS2013",
        () => "This is not a reference.",
      ]);
      if (expr.kind === "ref-read") return value;
      require(cx, placeOf(expr.value, expr), value, typed(expr.value), [
        "RS2014",
        () => "The value has another type than the reference holds.",
      ]);
      return tupleType([]);
    }
    case "match":
      return matchType(cx, expr);
  }
}

/** The type that the tuple had before, where it says the same: then what is around it says the same too. */
function tupleOf(fields: readonly Type[], before: Type | null): Type {
  if (before?.kind !== "tuple-type" || before.fields.length !== fields.length) return tupleType(fields);
  const same = before.fields.every((old, i) => {
    const field = fields[i];
    return old === field || (field?.kind === "tensor-type" && sameType(old, field));
  });
  return same ? before : tupleType(fields);
}

function globalType(cx: Inference, expr: Extract<Expr, { kind: "global" }>): Type {
  const known = cx.globals.get(expr.name);
  if (known !== undefined) return known;
  if (expr.type !== null) return expr.type;
  report(cx, expr, "RS2003", `The function \`@${expr.name}\` is not in the module.`, {
    expected: "a function of this module",
    got: `@${expr.name}`,
  });
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
  const result =
    func.resultType === null
      ? value
      : require(cx, placeOf(func.body, func), func.resultType, value, [
          "RS2015",
          () => "The function returns another type than it declares.",
        ]);
  return funcType(
    func.params.map((param) => resolve(cx.solver, varType(cx, param))),
    resolve(cx.solver, result),
    func.typeParams,
  );
}

/** `type` with its type parameters at `given`, holes for the rest. */
function instantiate(
  type: FuncType,
  given: readonly Type[],
): { readonly type: FuncType; readonly args: readonly Type[] } {
  if (type.typeParams.length === 0) return { type, args: [] };
  const args = type.typeParams.map((_, i) => given[i] ?? freshHole());
  const at = new Map<TypeVar, Type>(type.typeParams.map((param, i) => [param, args[i]!]));
  return {
    type: funcType(
      type.params.map((param) => substitute(param, at)),
      substitute(type.result, at),
    ),
    args,
  };
}

function callType(cx: Inference, call: Call): Type {
  const args = call.args.map((arg) => cx.types.get(arg)!);
  if (call.callee.kind === "op") {
    const op = cx.pass.ops.get(call.callee.name);
    if (op === undefined) {
      report(cx, call, "RS2004", `There is no operator \`${call.callee.name}\`.`, {
        expected: "an operator of Relay",
        got: call.callee.name,
      });
      return poison(cx);
    }
    if (op.inputs.length !== args.length) {
      report(cx, call, "RS2005", `${op.name} takes ${counted(op.inputs.length)}, ${args.length} given.`, {
        expected: `${op.name}(${op.inputs.join(", ")})`,
        got: counted(args.length),
      });
      return poison(cx);
    }
    return constrain(cx, { expr: call, op, args, result: null, done: false });
  }
  return functionCallType(cx, call, args);
}

function counted(count: number): string {
  return `${count} argument${count === 1 ? "" : "s"}`;
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
    report(cx, call, "RS2006", `${name} is called, but it is no function.`, {
      expected: "a function",
      got: printType(resolve(cx.solver, callee)),
    });
    return poison(cx);
  }
  if (call.typeArgs.length > callee.typeParams.length) {
    report(
      cx,
      call,
      "RS2007",
      `${name} takes ${callee.typeParams.length} type arguments, ${call.typeArgs.length} given.`,
      { expected: `at most ${callee.typeParams.length}`, got: String(call.typeArgs.length) },
    );
  }
  const instance = instantiate(callee, call.typeArgs);
  if (callee.typeParams.length > 0) cx.typeArgs.set(call, instance.args);
  const { params, result } = instance.type;
  if (params.length !== args.length) {
    report(cx, call, "RS2005", `${name} takes ${counted(params.length)}, ${args.length} given.`, {
      expected: `(${params.map((param) => printType(resolve(cx.solver, param))).join(", ")})`,
      got: counted(args.length),
    });
    return result;
  }
  params.forEach((param, i) => {
    require(cx, call, param, args[i]!, ["RS2008", () => `Argument ${i + 1} of ${name} has the wrong type.`]);
  });
  return result;
}

function matchType(cx: Inference, match: Match): Type {
  let type: Type = freshHole();
  for (const clause of match.clauses) {
    type = require(cx, placeOf(clause.body, match), type, cx.types.get(clause.body)!, [
      "RS2019",
      () => "The cases of this `match` have different types.",
    ]);
  }
  const missing = match.complete ? unmatchedCases(match, cx.module) : [];
  if (missing.length > 0) {
    report(cx, match, "RS2020", "This `match` leaves values out.", {
      expected: "a case for every value",
      got: `none for ${missing.map(patternText).join(", ")}`,
      notes: missing.map((pattern) => `no case for ${patternText(pattern)}`),
      hint: "Add the cases, or write `match?` if they cannot happen.",
    });
  }
  return type;
}

/** Gives the pattern's variables their types. Patterns nest little: the parser limits them. */
function bindPattern(cx: Inference, match: Match, pattern: Pattern, type: Type): void {
  if (pattern.kind === "wildcard") return;
  if (pattern.kind === "bind") {
    require(cx, pattern.variable, varType(cx, pattern.variable), type, [
      "RS2021",
      () => `\`%${pattern.variable.name}\` cannot have the type that its pattern gives it.`,
    ]);
    return;
  }
  if (pattern.kind === "tuple-pattern") {
    const fields = pattern.patterns.map(() => freshHole());
    require(cx, match, tupleType(fields), type, ["RS2022", () => "A tuple pattern does not fit the value."]);
    pattern.patterns.forEach((part, i) => bindPattern(cx, match, part, fields[i]!));
    return;
  }
  const { constructor_: made } = pattern;
  const instance = instantiate(constructorType(cx, made) as FuncType, []).type;
  require(cx, match, instance.result, type, [
    "RS2022",
    () => `The pattern \`${made.name}\` does not fit the value.`,
  ]);
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
    report(cx, expr, "RS2000", `The type of \`%${expr.name}\` cannot be inferred.`, {
      expected: "a use or an annotation that says what it is",
      got: printType(resolve(cx.solver, type)),
      hint: `Write it: \`%${expr.name}: Tensor[(…), float32]\`.`,
    });
    for (const hole of holes) cx.poisoned.add(hole);
  }
  for (const constraint of cx.constraints) {
    if (constraint.done) continue;
    if (!constraint.args.some((arg) => isPoisoned(cx, arg))) {
      report(
        cx,
        constraint.expr,
        "RS2002",
        `The type of this call of ${constraint.op?.name ?? "a projection"} cannot be inferred.`,
        {
          expected: "arguments whose types say what the result is",
          got: constraint.args.map((arg) => printType(resolve(cx.solver, arg))).join(", "),
        },
      );
    }
    for (const hole of constraint.result === null ? [] : holesOf(cx.solver, constraint.result))
      cx.poisoned.add(hole);
  }
  for (const [expr, type] of cx.types) {
    if (type === operator || type.kind === "tensor-type") continue;
    const holes = [...holesOf(cx.solver, type)];
    if (holes.length === 0 || holes.some((hole) => cx.poisoned.has(hole))) continue;
    report(cx, expr, "RS2002", "The type of this expression cannot be inferred.", {
      expected: "a type without holes",
      got: printType(resolve(cx.solver, type)),
    });
    for (const hole of holes) cx.poisoned.add(hole);
  }
}
