// What an expression of main is before the program runs: data that only running knows, or something that can
// be followed now (functions, constructors and what they made, references, and a choice between two of these
// by a condition).
import type { DiagnosticCode } from "../../ir/diagnostic-codes.ts";
import { fail, type DiagnosticParts } from "../../ir/diagnostic.ts";
import { printType, tupleType, type Type } from "../../ir/type.ts";
import {
  makeIf,
  makeTuple,
  makeTupleGetItem,
  type Constructor,
  type Expr,
  type Func,
  type If,
  type Var,
} from "../expr.ts";
import { typeOf, type RelayContext } from "../op.ts";

/** Variables of one call of a function, and what its expressions turned out to be; each is evaluated once. */
export interface Scope {
  readonly outer: Scope | null;
  readonly variables: Map<Var, Static>;
  readonly done: Map<Expr, Static>;
}

/** The branch of an if with an unknown condition that is being evaluated; null outside of any. */
export interface Branch {
  readonly outer: Branch | null;
  readonly at: Expr;
}

/** What a reference holds at this moment of the evaluation. */
interface Cell {
  value: Static;
  readonly branch: Branch | null;
}

export type Static =
  /** Tensors and tuples of them: an expression of the plain main. */
  | { readonly kind: "data"; readonly expr: Expr }
  /** A tuple with a field that is no data. */
  | { readonly kind: "fields"; readonly fields: readonly Static[] }
  /** `name`: "@f" or "%f", "" before it has one. */
  | { readonly kind: "closure"; readonly func: Func; readonly scope: Scope; readonly name: string }
  | { readonly kind: "constructor"; readonly made: Constructor }
  | { readonly kind: "adt"; readonly made: Constructor; readonly fields: readonly Static[] }
  | { readonly kind: "reference"; readonly cell: Cell }
  | {
      readonly kind: "choice";
      readonly condition: Expr;
      readonly then: Static;
      readonly otherwise: Static;
      readonly at: If;
    };

export function data(expr: Expr): Static {
  return { kind: "data", expr };
}

/** What a person calls it. */
export function describe(value: Static): string {
  switch (value.kind) {
    case "data":
      return "a tensor";
    case "fields":
      return "a tuple with a field that is no tensor";
    case "closure":
      return value.name === "" ? "a function" : `the function ${value.name}`;
    case "constructor":
      return `the constructor ${value.made.name}`;
    case "adt":
      return `a value of type ${value.made.belongTo.name} (${value.made.name})`;
    case "reference":
      return "a reference";
    case "choice":
      return `one of two values: ${describe(value.then)} or ${describe(value.otherwise)}`;
  }
}

/** The expression that `value` is, or null where it is no data. */
export function asData(value: Static, at: Expr, cx: RelayContext): Expr | null {
  if (value.kind === "data") return value.expr;
  if (value.kind === "choice") {
    const then = asData(value.then, at, cx);
    const otherwise = asData(value.otherwise, at, cx);
    return then === null || otherwise === null
      ? null
      : choose(value.condition, then, otherwise, value.at, cx);
  }
  if (value.kind !== "fields") return null;
  const fields: Expr[] = [];
  for (const field of value.fields) {
    const expr = asData(field, at, cx);
    if (expr === null) return null;
    fields.push(expr);
  }
  return makeTuple(cx.ids, fields, { origin: at.origin, span: at.span, type: tupleType(fields.map(typeOf)) });
}

function choose(condition: Expr, then: Expr, otherwise: Expr, at: If, cx: RelayContext): Expr {
  return then === otherwise
    ? then
    : makeIf(cx.ids, condition, then, otherwise, { origin: at.origin, span: at.span, type: typeOf(then) });
}

/** Field `index` of a tuple. */
export function project(value: Static, index: number, at: Expr, cx: RelayContext): Static {
  if (value.kind === "fields") return value.fields[index]!;
  if (value.kind === "choice")
    return join(
      value.condition,
      project(value.then, index, at, cx),
      project(value.otherwise, index, at, cx),
      value.at,
      cx,
    );
  if (value.kind !== "data")
    return refuse(at, "RS5005", `a field is taken of ${describe(value)}`, {
      expected: "a tuple",
      got: describe(value),
      because: "only tuples have fields",
      hint: "match on the value to get at what is inside",
    });
  const { expr } = value;
  if (expr.kind === "tuple") return data(expr.fields[index]!);
  if (at.kind === "tuple-get-item" && at.tuple === expr) return data(at);
  const type = typeOf(expr);
  const field: Type | null = type.kind === "tuple-type" ? (type.fields[index] ?? null) : null;
  return data(makeTupleGetItem(cx.ids, expr, index, { origin: at.origin, span: at.span, type: field }));
}

/** What an if is whose condition is not known: an if of data where both sides are data, else a choice. */
export function join(condition: Expr, then: Static, otherwise: Static, at: If, cx: RelayContext): Static {
  if (then === otherwise) return then;
  const choice: Static = { kind: "choice", condition, then, otherwise, at };
  if (then.kind === "data" && otherwise.kind === "data") {
    if (at.condition === condition && at.then === then.expr && at.otherwise === otherwise.expr)
      return data(at);
    return data(choose(condition, then.expr, otherwise.expr, at, cx));
  }
  return choice;
}

/** `value` as data; refuses what is not, saying what for it was wanted. */
export function needData(value: Static, at: Expr, wanted: string, cx: RelayContext): Expr {
  const expr = asData(value, at, cx);
  if (expr !== null) return expr;
  return refuse(at, "RS5005", `${wanted} is ${describe(value)}`, {
    expected: "tensors, or tuples of tensors",
    got: at.type === null ? describe(value) : printType(at.type),
    because:
      "the executors hand tensors from call to call; functions, references and data types must be gone by then",
    hint: "return or pass the tensors inside it",
  });
}

export function refuse(at: Expr, code: DiagnosticCode, message: string, parts: DiagnosticParts): never {
  return fail(code, message, { span: at.span, origin: at.origin, ...parts });
}
