// Structural keys of expressions: equal keys mean equal values, whatever the ranges of variables are (a key
// is kept and used again under other conditions, so nothing is simplified here but the order of sums).
// Variables and buffers count by identity.
import type { PrimExpr } from "../tir/expr.ts";
import { children } from "../tir/visit.ts";

export function keyMaker(): (expr: PrimExpr) => string {
  const numbers = new Map<object, number>();
  const known = new WeakMap<PrimExpr, string>();
  const idOf = (thing: object): number => {
    const found = numbers.get(thing);
    if (found !== undefined) return found;
    numbers.set(thing, numbers.size);
    return numbers.size - 1;
  };
  const key = (expr: PrimExpr): string => {
    const found = known.get(expr);
    if (found !== undefined) return found;
    const made = makeKey(expr, key, idOf);
    known.set(expr, made);
    return made;
  };
  return key;
}

type Key = (expr: PrimExpr) => string;

function makeKey(expr: PrimExpr, key: Key, idOf: (thing: object) => number): string {
  const list = (exprs: readonly PrimExpr[]): string => exprs.map(key).join(",");
  switch (expr.kind) {
    case "tir-var":
      return `v${idOf(expr)}`;
    case "int":
      return expr.dtype.code === "int" && expr.dtype.bits === 32
        ? String(expr.value)
        : `${expr.value}:${expr.dtype.name}`;
    case "float":
      return `${Object.is(expr.value, -0) ? "-0" : expr.value}:${expr.dtype.name}`;
    case "string":
      return JSON.stringify(expr.value);
    case "binary":
      return isSum(expr) ? sumKey(expr, key) : `${expr.op}(${key(expr.a)},${key(expr.b)})`;
    case "cast":
      return `${expr.dtype.name}(${key(expr.value)})`;
    case "tir-call":
      return `${expr.op}:${expr.dtype.name}(${list(expr.args)})`;
    case "load":
      return `load${idOf(expr.buffer)}[${list(expr.indices)}]`;
    case "producer-load":
      return `get${idOf(expr.producer)}[${list(expr.indices)}]`;
    case "buffer-ref":
      return `ref${idOf(expr.buffer)}`;
    case "tir-let":
      return `let(v${idOf(expr.variable)},${list([expr.value, expr.body])})`;
    case "reduce":
      return `reduce${idOf(expr)}`;
    case "ramp":
    case "broadcast":
      return `${expr.kind}${expr.lanes}(${list(children(expr))})`;
    case "not":
    case "select":
      return `${expr.kind}(${list(children(expr))})`;
  }
}

/** A sum or constant multiple of index integers. */
function isSum(expr: PrimExpr): boolean {
  if (expr.kind !== "binary" || expr.dtype.lanes > 1 || expr.dtype.code !== "int" || expr.dtype.bits < 32)
    return false;
  return (
    expr.op === "add" ||
    expr.op === "sub" ||
    (expr.op === "mul" && expr.b.kind === "int" && typeof expr.b.value === "number")
  );
}

function sumKey(expr: PrimExpr, key: Key): string {
  const terms = new Map<string, number>();
  const constant = addTerms(expr, 1, key, terms);
  const parts: string[] = [];
  for (const [name, coef] of terms) if (coef !== 0) parts.push(coef === 1 ? name : `${coef}*${name}`);
  parts.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (constant !== 0 || parts.length === 0) parts.push(String(constant));
  return parts.length === 1 ? parts[0]! : `(${parts.join("+")})`;
}

/** Adds times * expr to `terms`; returns the constant part. */
function addTerms(expr: PrimExpr, times: number, key: Key, terms: Map<string, number>): number {
  if (expr.kind === "int" && typeof expr.value === "number") return expr.value * times;
  if (expr.kind === "binary" && isSum(expr)) {
    if (expr.op === "mul")
      return addTerms(expr.a, times * Number((expr.b as { value: number }).value), key, terms);
    return (
      addTerms(expr.a, times, key, terms) + addTerms(expr.b, expr.op === "add" ? times : -times, key, terms)
    );
  }
  const name = key(expr);
  terms.set(name, (terms.get(name) ?? 0) + times);
  return 0;
}
