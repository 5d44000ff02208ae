// Unification of Relay types: holes (IncompleteType) are bound to types, `?` gives way to nothing.
// TVM: src/relay/analysis/type_solver.cc
import {
  foldType,
  holeFinder,
  sameDim,
  sameType,
  tensorType,
  typeParts,
  withTypeParts,
  type Dim,
  type FuncType,
  type IncompleteType,
  type Type,
  type TypeVar,
} from "../../../ir/type.ts";

/** Something that waits until a hole is bound. */
export interface Solver<W> {
  readonly bindings: Map<IncompleteType, Type>;
  readonly waiting: Map<IncompleteType, W[]>;
  /** What became ready since it was last looked at. */
  readonly ready: W[];
  /** Whether a hole, bound or not, is in a type. */
  readonly hasHole: (type: Type) => boolean;
}

export function createSolver<W>(): Solver<W> {
  return { bindings: new Map(), waiting: new Map(), ready: [], hasHole: holeFinder() };
}

export function freshHole(): IncompleteType {
  return { kind: "incomplete-type" };
}

/** What `type` stands for at its top: follows bound holes. */
export function head<W>(s: Solver<W>, type: Type): Type {
  let found = type;
  while (found.kind === "incomplete-type") {
    const next = s.bindings.get(found);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** `type` with every bound hole replaced; the same object where there is none. */
export function resolve<W>(s: Solver<W>, type: Type): Type {
  const top = head(s, type);
  return isLeaf(top) || !s.hasHole(top) ? top : foldType<Type>(top, withTypeParts, (part) => head(s, part));
}

/** Most types: nothing to walk. */
function isLeaf(type: Type): boolean {
  return type.kind === "tensor-type" || type.kind === "incomplete-type" || type.kind === "type-var";
}

/** True if no hole is left in `type`; the common case, without a set. */
export function isClosed<W>(s: Solver<W>, type: Type): boolean {
  return !s.hasHole(type) || holesOf(s, type).size === 0;
}

/** The unbound holes in `type`. */
export function holesOf<W>(
  s: Solver<W>,
  type: Type,
  into: Set<IncompleteType> = new Set(),
): Set<IncompleteType> {
  const stack: Type[] = [type];
  // Tuples share their fields: a type that stands in another twice is looked into once.
  const seen = new Set<Type>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const top = head(s, next);
    if (top.kind === "incomplete-type") into.add(top);
    else if (top.kind !== "tensor-type" && s.hasHole(top) && !seen.has(top)) {
      seen.add(top);
      const parts = typeParts(top);
      for (let i = parts.length - 1; i >= 0; i--) stack.push(parts[i]!);
    }
  }
  return into;
}

function bind<W>(s: Solver<W>, hole: IncompleteType, type: Type): void {
  s.bindings.set(hole, type);
  const waiting = s.waiting.get(hole);
  if (waiting === undefined) return;
  s.waiting.delete(hole);
  s.ready.push(...waiting);
}

/** Two types that are becoming one: what their parts have become so far. */
interface Pair {
  readonly left: Type;
  readonly parts: readonly Type[];
  readonly others: readonly Type[];
  readonly done: Type[];
}

/**
 * The type that both are, with holes bound and `?` where either has one; null if they differ (or a hole would
 * contain itself). Parts are unified left to right; what was bound before two of them differ stays bound.
 * Iterative.
 */
export function unify<W>(s: Solver<W>, a: Type, b: Type): Type | null {
  const whole = unifyTop(s, a, b);
  if (whole === null || !("others" in whole)) return whole;
  const stack: Pair[] = [whole];
  for (;;) {
    const { left, parts, others, done } = stack[stack.length - 1]!;
    let made: Type;
    if (done.length < parts.length) {
      const found = unifyTop(s, parts[done.length]!, others[done.length]!);
      if (found === null) return null;
      if ("others" in found) {
        stack.push(found);
        continue;
      }
      made = found;
    } else {
      stack.pop();
      made = withTypeParts(left, done);
    }
    const around = stack[stack.length - 1];
    if (around === undefined) return made;
    around.done.push(made);
  }
}

/**
 * The common type where it can be told without looking at parts, the parts that must become one where not,
 * null if they differ.
 */
function unifyTop<W>(s: Solver<W>, a: Type, b: Type): Type | Pair | null {
  const left = head(s, a);
  const right = head(s, b);
  if (left === right) return left;
  if (left.kind === "incomplete-type" || right.kind === "incomplete-type") {
    const [hole, other] = left.kind === "incomplete-type" ? [left, right] : [right as IncompleteType, left];
    if (holesOf(s, other).has(hole)) return null;
    bind(s, hole, other);
    return other;
  }
  if (left.kind === "tensor-type" && right.kind === "tensor-type") {
    if (left.dtype !== right.dtype || left.shape.length !== right.shape.length) return null;
    const shape = left.shape.map((dim, i) => unifyDim(dim, right.shape[i]!));
    return shape.every((dim): dim is Dim => dim !== null) ? tensorType(shape, left.dtype) : null;
  }
  if (left.kind === "func-type" && right.kind === "func-type") return functionPair(left, right);
  const alike =
    (left.kind === "tuple-type" && right.kind === "tuple-type") ||
    (left.kind === "ref-type" && right.kind === "ref-type") ||
    (left.kind === "type-call" && right.kind === "type-call" && sameType(left.callee, right.callee));
  if (alike) return pairOf(left, typeParts(left), typeParts(right));
  return sameType(left, right) ? left : null;
}

function pairOf(left: Type, parts: readonly Type[], others: readonly Type[]): Pair | null {
  return parts.length === others.length ? { left, parts, others, done: [] } : null;
}

/** The one with more type parameters is taken at the other's, its further ones at anything. */
function functionPair(a: FuncType, b: FuncType): Pair | null {
  const [more, fewer] = a.typeParams.length >= b.typeParams.length ? [a, b] : [b, a];
  const at = new Map<TypeVar, Type>(
    more.typeParams.map((param, i) => [param, fewer.typeParams[i] ?? freshHole()]),
  );
  const parts = typeParts(more).map((part) => substitute(part, at));
  return pairOf(fewer, parts, typeParts(fewer));
}

function unifyDim(a: Dim, b: Dim): Dim | null {
  if (sameDim(a, b)) return a;
  if (typeof a !== "number" && a.kind === "any") return a;
  if (typeof b !== "number" && b.kind === "any") return b;
  // A symbolic dimension may turn out to be the number.
  if (typeof a === "number" && typeof b !== "number") return a;
  if (typeof b === "number" && typeof a !== "number") return b;
  return null;
}

/** `type` with type variables replaced. */
export function substitute(type: Type, at: ReadonlyMap<TypeVar, Type>): Type {
  if (at.size === 0 || type.kind === "tensor-type") return type;
  return foldType<Type>(type, (part, parts) =>
    part.kind === "type-var" ? (at.get(part) ?? part) : withTypeParts(part, parts),
  );
}
