// Canonical linear forms: constant + sum of coefficient * atom. An atom is any integer expression that is not
// itself linear.
// TVM: src/arith/canonical_simplify.cc (SumExpr; a SplitExpr of TVM is a floordiv or floormod atom here)
import type { DType } from "../ir/dtype.ts";
import { add, imm, mul, sub } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";

export interface Term {
  readonly atom: PrimExpr;
  readonly coef: number;
}

/** Terms by the key of their atom, in order of first appearance; no coefficient is 0. */
export interface Linear {
  readonly terms: ReadonlyMap<string, Term>;
  readonly constant: number;
}

declare const fits: unique symbol;

/**
 * A form whose every value its dtype holds, so that the machine's wrapping arithmetic gives the mathematical
 * sum. Rules reckon with forms as numbers that never wrap; only a fitting one becomes an expression, and only
 * `ArithContext.fit` says that one fits.
 */
export type Fitting = Linear & { readonly [fits]: true };

const noTerms: ReadonlyMap<string, Term> = new Map();

export function linConst(constant: number): Linear {
  return { terms: noTerms, constant };
}

/** An expression of its own always fits its dtype. */
export function linAtom(key: string, atom: PrimExpr): Fitting {
  const form: Linear = { terms: new Map([[key, { atom, coef: 1 }]]), constant: 0 };
  return form as Fitting;
}

export function isConstLinear(l: Linear): boolean {
  return l.terms.size === 0;
}

/** a + b * factor. */
export function linAdd(a: Linear, b: Linear, factor = 1): Linear {
  const constant = a.constant + b.constant * factor;
  if (b.terms.size === 0) return { terms: a.terms, constant };
  const terms = new Map(a.terms);
  for (const [key, { atom, coef }] of b.terms) {
    const sum = (terms.get(key)?.coef ?? 0) + coef * factor;
    if (sum === 0) terms.delete(key);
    else terms.set(key, { atom: terms.get(key)?.atom ?? atom, coef: sum });
  }
  return { terms, constant };
}

export function linScale(a: Linear, by: number): Linear {
  if (by === 1) return a;
  if (by === 0) return linConst(0);
  const terms = new Map<string, Term>();
  for (const [key, term] of a.terms) terms.set(key, { atom: term.atom, coef: term.coef * by });
  return { terms, constant: a.constant * by };
}

export function linShift(a: Linear, by: number): Linear {
  return { terms: a.terms, constant: a.constant + by };
}

export function gcd(a: number, b: number): number {
  let x = Math.abs(a);
  let y = Math.abs(b);
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** Greatest common divisor of the coefficients, without the constant; 0 for a constant. */
export function coefGcd(a: Linear): number {
  let g = 0;
  for (const { coef } of a.terms.values()) g = gcd(g, coef);
  return g;
}

/**
 * a = by * quotient + rest, where every coefficient and the constant of `rest` is in [0, by) only if not
 * divisible: exact parts go to quotient.
 */
export function splitByDivisor(a: Linear, by: number): { readonly quotient: Linear; readonly rest: Linear } {
  const quotient = new Map<string, Term>();
  const rest = new Map<string, Term>();
  for (const [key, term] of a.terms) {
    if (term.coef % by === 0) quotient.set(key, { atom: term.atom, coef: term.coef / by });
    else rest.set(key, term);
  }
  const whole = Math.floor(a.constant / by);
  return {
    quotient: { terms: quotient, constant: whole },
    rest: { terms: rest, constant: a.constant - whole * by },
  };
}

/** Order-independent text of the terms; equal forms have equal keys. */
export function termsKey(a: Linear): string {
  if (a.terms.size === 1) {
    const [key, term] = [...a.terms][0]!;
    return term.coef === 1 ? key : `${term.coef}*${key}`;
  }
  const parts = [...a.terms].map(([key, term]) => `${term.coef}*${key}`);
  return `(${parts.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0)).join("+")})`;
}

/** Whether every number in `a` is exact; forms that are not are kept as they were written. */
export function isExact(a: Linear): boolean {
  if (!Number.isSafeInteger(a.constant)) return false;
  for (const { coef } of a.terms.values()) if (!Number.isSafeInteger(coef)) return false;
  return true;
}

/** Sums of more terms than this are balanced trees: as a row they would be as high as they are long. */
const rowOfTerms = 32;

/** Positive terms first, then negative ones subtracted, the constant last. */
export function toExpr(a: Fitting, dtype: DType): PrimExpr {
  const positive: PrimExpr[] = [];
  const negative: Term[] = [];
  for (const term of a.terms.values()) {
    if (term.coef > 0) positive.push(mul(term.atom, term.coef));
    else negative.push(term);
  }
  let out = sum(positive);
  let constant = a.constant;
  if (out === null && constant > 0 && a.terms.size > 0) {
    out = imm(constant, dtype);
    constant = 0;
  }
  if (negative.length > rowOfTerms) {
    const taken = sum(negative.map(({ atom, coef }) => mul(atom, -coef)))!;
    out = sub(out ?? imm(0, dtype), taken);
  } else {
    for (const { atom, coef } of negative) out = out === null ? mul(atom, coef) : sub(out, mul(atom, -coef));
  }
  if (out === null) return imm(constant, dtype);
  return constant >= 0 ? add(out, constant) : sub(out, -constant);
}

/** A row of few, halves of many; null of none. */
function sum(parts: readonly PrimExpr[]): PrimExpr | null {
  if (parts.length <= rowOfTerms)
    return parts.reduce<PrimExpr | null>((out, part) => (out === null ? part : add(out, part)), null);
  const middle = parts.length >> 1;
  return add(sum(parts.slice(0, middle))!, sum(parts.slice(middle))!);
}

/** The positive part and the negated negative part of the terms, without the constant. */
export function signSplit(a: Linear): { readonly positive: Linear; readonly negative: Linear } {
  const positive = new Map<string, Term>();
  const negative = new Map<string, Term>();
  for (const [key, term] of a.terms) {
    if (term.coef > 0) positive.set(key, term);
    else negative.set(key, { atom: term.atom, coef: -term.coef });
  }
  return { positive: { terms: positive, constant: 0 }, negative: { terms: negative, constant: 0 } };
}
