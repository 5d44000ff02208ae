// Unification of Relay types: holes (IncompleteType) are bound to types, `?` gives way to nothing.  TVM: src/relay/analysis/type_solver.cc
import {
  sameDim,
  sameType,
  tensorType,
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
}

export function createSolver<W>(): Solver<W> {
  return { bindings: new Map(), waiting: new Map(), ready: [] };
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
  switch (top.kind) {
    case "tuple-type": {
      const fields = resolveAll(s, top.fields);
      return fields === top.fields ? top : { kind: "tuple-type", fields };
    }
    case "func-type": {
      const params = resolveAll(s, top.params);
      const result = resolve(s, top.result);
      return params === top.params && result === top.result ? top : { ...top, params, result };
    }
    case "ref-type": {
      const value = resolve(s, top.value);
      return value === top.value ? top : { kind: "ref-type", value };
    }
    case "type-call": {
      const args = resolveAll(s, top.args);
      return args === top.args ? top : { ...top, args };
    }
    case "tensor-type":
    case "type-var":
    case "global-type-var":
    case "incomplete-type":
      return top;
  }
}

function resolveAll<W>(s: Solver<W>, types: readonly Type[]): readonly Type[] {
  const out = types.map((type) => resolve(s, type));
  return out.every((type, i) => type === types[i]) ? types : out;
}

/** True if no hole is left in `type`; the common case, without a set. */
export function isClosed<W>(s: Solver<W>, type: Type): boolean {
  return type.kind === "tensor-type" || holesOf(s, type).size === 0;
}

/** The unbound holes in `type`. */
export function holesOf<W>(
  s: Solver<W>,
  type: Type,
  into: Set<IncompleteType> = new Set(),
): Set<IncompleteType> {
  const top = head(s, type);
  switch (top.kind) {
    case "incomplete-type":
      into.add(top);
      break;
    case "tuple-type":
      top.fields.forEach((field) => holesOf(s, field, into));
      break;
    case "func-type":
      [...top.params, top.result].forEach((part) => holesOf(s, part, into));
      break;
    case "ref-type":
      holesOf(s, top.value, into);
      break;
    case "type-call":
      top.args.forEach((arg) => holesOf(s, arg, into));
      break;
    case "tensor-type":
    case "type-var":
    case "global-type-var":
      break;
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

/** The type that both are, with holes bound and `?` where either has one; null if they differ (or a hole would contain itself). */
export function unify<W>(s: Solver<W>, a: Type, b: Type): Type | null {
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
  if (left.kind === "tuple-type" && right.kind === "tuple-type") {
    const fields = unifyAll(s, left.fields, right.fields);
    return fields === null ? null : { kind: "tuple-type", fields };
  }
  if (left.kind === "func-type" && right.kind === "func-type") return unifyFunctions(s, left, right);
  if (left.kind === "ref-type" && right.kind === "ref-type") {
    const value = unify(s, left.value, right.value);
    return value === null ? null : { kind: "ref-type", value };
  }
  if (left.kind === "type-call" && right.kind === "type-call") {
    const args = sameType(left.callee, right.callee) ? unifyAll(s, left.args, right.args) : null;
    return args === null ? null : { ...left, args };
  }
  return sameType(left, right) ? left : null;
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

function unifyAll<W>(s: Solver<W>, a: readonly Type[], b: readonly Type[]): readonly Type[] | null {
  if (a.length !== b.length) return null;
  const out: Type[] = [];
  for (let i = 0; i < a.length; i++) {
    const part = unify(s, a[i]!, b[i]!);
    if (part === null) return null;
    out.push(part);
  }
  return out;
}

/** The one with more type parameters is taken at the other's, its further ones at anything. */
function unifyFunctions<W>(s: Solver<W>, a: FuncType, b: FuncType): Type | null {
  const [more, fewer] = a.typeParams.length >= b.typeParams.length ? [a, b] : [b, a];
  const at = new Map<TypeVar, Type>(
    more.typeParams.map((param, i) => [param, fewer.typeParams[i] ?? freshHole()]),
  );
  const params = unifyAll(
    s,
    more.params.map((param) => substitute(param, at)),
    fewer.params,
  );
  const result = params === null ? null : unify(s, substitute(more.result, at), fewer.result);
  return params === null || result === null
    ? null
    : { kind: "func-type", params, result, typeParams: fewer.typeParams };
}

/** `type` with type variables replaced. */
export function substitute(type: Type, at: ReadonlyMap<TypeVar, Type>): Type {
  if (at.size === 0) return type;
  switch (type.kind) {
    case "type-var":
      return at.get(type) ?? type;
    case "tuple-type":
      return { kind: "tuple-type", fields: type.fields.map((field) => substitute(field, at)) };
    case "func-type":
      return {
        ...type,
        params: type.params.map((param) => substitute(param, at)),
        result: substitute(type.result, at),
      };
    case "ref-type":
      return { kind: "ref-type", value: substitute(type.value, at) };
    case "type-call":
      return { ...type, args: type.args.map((arg) => substitute(arg, at)) };
    case "tensor-type":
    case "global-type-var":
    case "incomplete-type":
      return type;
  }
}
