// Structural hash and equality of Relay expressions: same shape, bound variables mapped by position.
// TVM: src/node/structural_hash.cc, structural_equal.cc. Iterative. The hash says maybe, equality confirms.
// A node used twice and two equal nodes are different programs (they fuse and are computed differently):
// equality maps nodes one to one. Free variables are equal only to themselves; types of calls follow from the
// rest and are not compared.
import { combineHash, fnv1a } from "../../support/hash.ts";
import { sameAttrs, type Attrs, type AttrValue } from "../ir/attrs.ts";
import { tensorBytes, type TensorData } from "../ir/tensor-data.ts";
import { printType, sameType, type Type, type TypeVar } from "../ir/type.ts";
import type { Expr, Func, Match, Pattern, Var } from "./expr.ts";
import { substitute } from "./passes/infer-type/solver.ts";
import { children } from "./visit.ts";

/** 64 bits as 16 hex digits, the same in every run and on every machine. */
export function structuralHash(root: Expr): string {
  const names = new Map<Var, number>();
  const typeParams = new Map<TypeVar, Type>();
  const low = new Map<Expr, number>();
  const high = new Map<Expr, number>();
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const open = (expr: Expr) => {
    if (low.has(expr)) return;
    bindersOf(expr).forEach((variable) => names.set(variable, names.size));
    if (expr.kind === "function")
      expr.typeParams.forEach((param) =>
        typeParams.set(param, { kind: "type-var", name: `t${typeParams.size}` }),
      );
    stack.push({ expr, kids: children(expr), next: 0 });
  };
  open(root);
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    if (top.next < top.kids.length) {
      open(top.kids[top.next++]!);
      continue;
    }
    stack.pop();
    if (low.has(top.expr)) continue;
    const own = ownText(top.expr, names, (type) => printType(substitute(type, typeParams)));
    let [a, b] = textHash(own);
    if (top.expr.kind === "constant") {
      const bytes = dataHash(top.expr.data);
      a = combineHash(a, bytes[0]);
      b = combineHash(b, bytes[1]);
    }
    for (const kid of top.kids) {
      a = combineHash(a, low.get(kid)!);
      b = (Math.imul(b, 0x85ebca6b) + Math.imul(high.get(kid)! ^ (b >>> 13), 0xc2b2ae35)) >>> 0;
    }
    low.set(top.expr, a);
    high.set(top.expr, b);
  }
  const hex = (value: number) => value.toString(16).padStart(8, "0");
  return hex(high.get(root)!) + hex(low.get(root)!);
}

const noVars: readonly Var[] = [];

/** Variables that `expr` binds, in order. */
function bindersOf(expr: Expr): readonly Var[] {
  if (expr.kind === "function") return expr.params;
  if (expr.kind === "let") return [expr.variable];
  return expr.kind === "match" ? expr.clauses.flatMap((clause) => patternVars(clause.pattern)) : noVars;
}

function patternVars(pattern: Pattern): readonly Var[] {
  if (pattern.kind === "bind") return [pattern.variable];
  return pattern.kind === "wildcard" ? [] : pattern.patterns.flatMap(patternVars);
}

/** Everything of a node but its children, as text. */
function ownText(expr: Expr, names: ReadonlyMap<Var, number>, type: (type: Type) => string): string {
  const annotation = (found: Type | null) => (found === null ? "" : type(found));
  switch (expr.kind) {
    case "var": {
      const bound = names.get(expr);
      return bound === undefined
        ? `free ${expr.name}:${annotation(expr.type)}`
        : `var ${bound}:${annotation(expr.annotation ?? expr.type)}`;
    }
    case "global":
      return `global ${expr.name}`;
    case "op":
      return `op ${expr.name}`;
    case "constructor":
      return `constructor ${expr.belongTo.name}.${expr.name}`;
    case "constant":
      return `constant ${expr.data.dtype.name}[${expr.data.shape.join(",")}]`;
    case "tuple":
      return `tuple ${expr.fields.length}`;
    case "tuple-get-item":
      return `item ${expr.index}`;
    case "call":
      return `call ${expr.args.length} ${attrsText(expr.attrs)} ${expr.typeArgs.map(type).join(",")}`;
    case "function":
      return `function ${expr.params.length} ${expr.typeParams.length} ${attrsText(expr.attrs)} ${annotation(expr.resultType)}`;
    case "match":
      return `match ${expr.complete} ${expr.clauses.map((clause) => shapeOf(clause.pattern)).join("|")}`;
    case "let":
    case "if":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return expr.kind;
  }
}

/** A pattern without its variables' names. */
function shapeOf(pattern: Pattern): string {
  switch (pattern.kind) {
    case "wildcard":
      return "_";
    case "bind":
      return "%";
    case "tuple-pattern":
      return `(${pattern.patterns.map(shapeOf).join(",")})`;
    case "constructor-pattern":
      return `${pattern.constructor_.name}(${pattern.patterns.map(shapeOf).join(",")})`;
  }
}

/** Attributes as text, whatever the order of a function's. */
function attrsText(attrs: Attrs): string {
  const keys = Object.keys(attrs);
  if (keys.length === 0) return "";
  let text = "";
  for (const key of keys.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    text += `${key}=${attrText(attrs[key]!)},`;
  return text;
}

function attrText(value: AttrValue): string {
  if (typeof value === "string") return `"${value}"`;
  if (!Array.isArray(value)) return String(value);
  let text = "[";
  for (const item of value as readonly AttrValue[]) text += `${attrText(item)},`;
  return `${text}]`;
}

/** Two independent 32-bit hashes of `text`. */
function textHash(text: string): readonly [number, number] {
  let a = 0x811c9dc5;
  let b = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b, 31) + code;
  }
  return [a >>> 0, b >>> 0];
}

function dataHash(data: TensorData): readonly [number, number] {
  const bytes = tensorBytes(data);
  let second = bytes.length;
  for (let i = 0; i < bytes.length; i++) second = (Math.imul(second, 31) + bytes[i]!) >>> 0;
  return [fnv1a(bytes), second];
}

/**
 * True if `a` and `b` are the same program: bound variables by position, everything else alike, shared nodes
 * shared alike.
 */
export function structuralEqual(a: Expr, b: Expr): boolean {
  const to = new Map<Expr, Expr>();
  const from = new Map<Expr, Expr>();
  const typeParams = new Map<TypeVar, Type>();
  const stack: (readonly [Expr, Expr])[] = [[a, b]];
  const same = (left: Type | null, right: Type | null) =>
    left === null || right === null ? left === right : sameUpToNames(substitute(left, typeParams), right);
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [left, right] = pair;
    if (to.has(left) || from.has(right)) {
      if (to.get(left) !== right || from.get(right) !== left) return false;
      continue;
    }
    if (left.kind !== right.kind) return false;
    // Leaves that have no identity: a literal written twice may be one node or two.
    const leaf =
      left.kind === "constant" || left.kind === "op" || left.kind === "global" || left.kind === "constructor";
    // A variable that no binder around has mapped is free, and equal only to itself.
    if (left.kind === "var" && left !== right) return false;
    if (!leaf && left.kind !== "var") map(to, from, left, right);
    if (left.kind === "function" && right.kind === "function" && !bindTypeParams(left, right, typeParams))
      return false;
    if (!sameBinders(left, right, to, from, same) || !sameOwn(left, right, same)) return false;
    const leftKids = children(left);
    const rightKids = children(right);
    if (leftKids.length !== rightKids.length) return false;
    for (let i = leftKids.length - 1; i >= 0; i--) stack.push([leftKids[i]!, rightKids[i]!]);
  }
  return true;
}

/** Symbolic dimensions of two programs are two objects; their names tell. */
function sameUpToNames(a: Type, b: Type): boolean {
  return sameType(a, b) || printType(a) === printType(b);
}

function map(to: Map<Expr, Expr>, from: Map<Expr, Expr>, left: Expr, right: Expr): void {
  to.set(left, right);
  from.set(right, left);
}

function bindTypeParams(left: Func, right: Func, typeParams: Map<TypeVar, Type>): boolean {
  if (left.typeParams.length !== right.typeParams.length) return false;
  left.typeParams.forEach((param, i) => typeParams.set(param, right.typeParams[i]!));
  return true;
}

/** Maps the variables that both bind onto one another; false if their number or types differ. */
function sameBinders(
  left: Expr,
  right: Expr,
  to: Map<Expr, Expr>,
  from: Map<Expr, Expr>,
  same: (a: Type | null, b: Type | null) => boolean,
): boolean {
  const mine = bindersOf(left);
  const theirs = bindersOf(right);
  if (mine.length !== theirs.length) return false;
  return mine.every((variable, i) => {
    const other = theirs[i]!;
    map(to, from, variable, other);
    return same(variable.annotation ?? variable.type, other.annotation ?? other.type);
  });
}

/** Everything of two nodes of one kind but their children. */
function sameOwn(left: Expr, right: Expr, same: (a: Type | null, b: Type | null) => boolean): boolean {
  switch (left.kind) {
    case "global":
    case "op":
      return left.name === (right as typeof left).name;
    case "constructor": {
      const other = right as typeof left;
      return left.name === other.name && left.belongTo.name === other.belongTo.name;
    }
    case "constant":
      return sameData(left.data, (right as typeof left).data);
    case "tuple-get-item":
      return left.index === (right as typeof left).index;
    case "call": {
      const other = right as typeof left;
      return (
        sameAttrs(left.attrs, other.attrs) &&
        left.typeArgs.length === other.typeArgs.length &&
        left.typeArgs.every((arg, i) => same(arg, other.typeArgs[i]!))
      );
    }
    case "function": {
      const other = right as typeof left;
      return sameAttrs(left.attrs, other.attrs) && same(left.resultType, other.resultType);
    }
    case "match":
      return sameClauses(left, right as Match);
    case "var":
    case "tuple":
    case "let":
    case "if":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return true;
  }
}

function sameClauses(left: Match, right: Match): boolean {
  return (
    left.complete === right.complete &&
    left.clauses.every((clause, i) => {
      const other = right.clauses[i];
      return other !== undefined && shapeOf(clause.pattern) === shapeOf(other.pattern);
    })
  );
}

function sameData(a: TensorData, b: TensorData): boolean {
  if (a === b) return true;
  if (
    a.dtype !== b.dtype ||
    a.shape.length !== b.shape.length ||
    !a.shape.every((dim, i) => dim === b.shape[i])
  )
    return false;
  const left = tensorBytes(a);
  const right = tensorBytes(b);
  return left.length === right.length && left.every((byte, i) => byte === right[i]);
}
