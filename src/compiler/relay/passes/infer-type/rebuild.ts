// The second half of InferType: the program again, each node with the type that was found. Unchanged nodes
// are the same objects; a variable that got its type is one new object in all its places.
import { sameType, someType, type Type } from "../../../ir/type.ts";
import {
  makeMatch,
  type Call,
  type Expr,
  type Func,
  type Match,
  type Pattern,
  type Var,
} from "../../expr.ts";
import type { Inference } from "./state.ts";
import { isClosed, resolve } from "./solver.ts";
import { children, postOrder, withChildren } from "../../visit.ts";

/** `root` with types. What a mistake left open keeps the type it had. */
export function rebuild(cx: Inference, root: Expr): Expr {
  const done = cx.rebuilt;
  postOrder(
    root,
    (expr) => {
      if (!done.has(expr)) done.set(expr, rebuildNode(cx, expr));
    },
    (expr) => !done.has(expr),
  );
  return done.get(root)!;
}

function rebuildNode(cx: Inference, expr: Expr): Expr {
  if (expr.kind === "op") return expr;
  const type = knownType(cx, expr);
  if (expr.kind === "var") return rebuildVar(expr, type);
  const kids = children(expr).map((kid) => cx.rebuilt.get(kid)!);
  const same = withChildren(cx.pass.ids, expr, kids);
  const typed: Expr = type === null || type === same.type ? same : { ...same, type };
  if (typed.kind === "function") return rebuildFunction(typed, type);
  if (typed.kind === "call") return rebuildCall(cx, expr as Call, typed);
  return typed.kind === "match" ? rebuildMatch(cx, typed) : typed;
}

/**
 * The type found for `expr`, its old type object where that says the same, or null if a hole is left in it.
 */
function knownType(cx: Inference, expr: Expr): Type | null {
  const found = cx.types.get(expr);
  if (found === undefined) return null;
  const type = resolve(cx.solver, found);
  if (expr.type !== null && sameType(expr.type, type)) return expr.type;
  return isClosed(cx.solver, type) ? type : null;
}

function rebuildVar(variable: Var, type: Type | null): Var {
  if (type === null) return variable;
  const annotation =
    variable.annotation !== null && !mentionsHole(variable.annotation) ? variable.annotation : type;
  return annotation === variable.annotation && type === variable.type
    ? variable
    : { ...variable, annotation, type };
}

function mentionsHole(type: Type): boolean {
  return someType(type, (part) => part.kind === "incomplete-type");
}

function rebuildFunction(func: Func, type: Type | null): Func {
  if (type?.kind !== "func-type") return func;
  return func.resultType !== null && !mentionsHole(func.resultType)
    ? func
    : { ...func, resultType: type.result };
}

function rebuildCall(cx: Inference, original: Call, call: Call): Call {
  const found = cx.typeArgs.get(original);
  if (found === undefined) return call;
  const typeArgs = found.map((arg) => resolve(cx.solver, arg));
  return typeArgs.length === call.typeArgs.length &&
    typeArgs.every((arg, i) => sameType(arg, call.typeArgs[i]!))
    ? call
    : { ...call, typeArgs };
}

function rebuildMatch(cx: Inference, match: Match): Match {
  const clauses = match.clauses.map((clause) => {
    const pattern = rebuildPattern(cx, clause.pattern);
    return pattern === clause.pattern ? clause : { ...clause, pattern };
  });
  if (clauses.every((clause, i) => clause === match.clauses[i])) return match;
  return makeMatch(cx.pass.ids, match.data, clauses, match.complete, match);
}

function rebuildPattern(cx: Inference, pattern: Pattern): Pattern {
  switch (pattern.kind) {
    case "wildcard":
      return pattern;
    case "bind": {
      const variable = rebuild(cx, pattern.variable) as Var;
      return variable === pattern.variable ? pattern : { kind: "bind", variable };
    }
    case "constructor-pattern":
    case "tuple-pattern": {
      const patterns = pattern.patterns.map((part) => rebuildPattern(cx, part));
      return patterns.every((part, i) => part === pattern.patterns[i]) ? pattern : { ...pattern, patterns };
    }
  }
}
