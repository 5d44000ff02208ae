// Where values may lie: a domain is a device, not yet known, or, for a function, one domain a parameter and
// one for the result. Domains that must be equal are united; a domain remembers what put it on its device, so
// that a conflict can name both places.
// TVM: src/relay/transforms/device_domains.cc
import { invariant, last } from "../../../../support/assert.ts";
import { foldType, type FuncType, type Type } from "../../../ir/type.ts";
import type { Expr } from "../../expr.ts";

/** What decided a device: an annotation, a copy, a header. */
export interface Reason {
  readonly device: number;
  /** "on_device(…, device_type=4)". */
  readonly text: string;
  readonly at: Expr;
}

export interface Domain {
  /** Set where this domain was united into another. */
  parent: Domain | null;
  /** 0 while free. */
  device: number;
  reason: Reason | null;
  /** Of a function: its parameters', then its result's. */
  readonly parts: readonly Domain[] | null;
}

export interface Conflict {
  readonly left: Domain;
  readonly right: Domain;
}

export function freeDomain(type: Type | null): Domain {
  const free = (parts: readonly Domain[] | null): Domain => ({
    parent: null,
    device: 0,
    reason: null,
    parts,
  });
  if (type?.kind !== "func-type") return free(null);
  return foldType<Domain>(type, (part, parts) => free(part.kind === "func-type" ? parts : null));
}

export function functionDomain(parts: readonly Domain[]): Domain {
  return { parent: null, device: 0, reason: null, parts };
}

/** On `reason.device`; a function's is where its result lies. */
export function boundDomain(type: Type | null, reason: Reason): Domain {
  const functions: FuncType[] = [];
  for (let result = type; result?.kind === "func-type"; result = result.result) functions.push(result);
  return functions.reduceRight<Domain>(
    (result, { params }) => functionDomain([...params.map(freeDomain), result]),
    { parent: null, device: reason.device, reason, parts: null },
  );
}

export function find(domain: Domain): Domain {
  let root = domain;
  while (root.parent !== null) root = root.parent;
  for (let at = domain; at.parent !== null;) {
    const next = at.parent;
    at.parent = root;
    at = next;
  }
  return root;
}

/** Makes two domains one, or says where they contradict each other. Functions unite part by part. */
export function unify(a: Domain, b: Domain): Conflict | null {
  const left = find(a);
  const right = find(b);
  if (left === right) return null;
  if (left.parts !== null && right.parts !== null) {
    invariant(left.parts.length === right.parts.length, "a function meets one of another arity");
    for (const [i, part] of left.parts.entries()) {
      const conflict = unify(part, right.parts[i]!);
      if (conflict !== null) return conflict;
    }
    left.parent = right;
    return null;
  }
  if (left.parts !== null) return collapse(right, left);
  if (right.parts !== null) return collapse(left, right);
  if (left.device !== 0 && right.device !== 0 && left.device !== right.device) return { left, right };
  if (left.device === 0) left.parent = right;
  else right.parent = left;
  return null;
}

/**
 * A function inside a tuple, a reference or a data type: all that it takes and gives lies where the whole
 * does.
 */
function collapse(whole: Domain, func: Domain): Conflict | null {
  for (const part of func.parts!) {
    const conflict = unify(part, whole);
    if (conflict !== null) return conflict;
  }
  return null;
}

export function anyFree(domain: Domain): boolean {
  const root = find(domain);
  return root.parts === null ? root.device === 0 : root.parts.some(anyFree);
}

/** Gives everything that is still free in `domain` to `device`. */
export function setDefault(domain: Domain, device: number): void {
  const root = find(domain);
  if (root.parts === null) {
    if (root.device === 0) root.device = device;
  } else {
    for (const part of root.parts) setDefault(part, device);
  }
}

/** Where a value lies; of a function, where its result does. 0 while free. */
export function resultDevice(domain: Domain): number {
  let root = find(domain);
  while (root.parts !== null) root = find(last(root.parts, "part"));
  return root.device;
}

/** The result's device is the default where free; free parameters follow the result. */
export function setResultDefaultThenParams(domain: Domain, device: number): void {
  const result = resultDevice(domain);
  setDefault(domain, result === 0 ? device : result);
}
