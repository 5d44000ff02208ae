// Constant bounds of atoms and linear forms.  TVM: src/arith/const_int_bound.cc
import type { PrimExpr } from "../tir/expr.ts";
import {
  addBounds,
  bound,
  dtypeBound,
  everything,
  floorDivBound,
  floorModBound,
  intersectBounds,
  mulBounds,
  point,
  scaleBound,
  unionBounds,
  type Bound,
} from "./bound.ts";
import { coefGcd, linAdd, linScale, termsKey, type Linear } from "./linear.ts";

/** What bounds need to know of the analyzer. */
export interface BoundsContext {
  readonly linear: (expr: PrimExpr) => Linear;
  readonly variableBound: (expr: PrimExpr & { readonly kind: "tir-var" }) => Bound;
  /**
   * Bounds in force on sums of terms (conditions), by termsKey of the form divided by its factor, sign of the
   * first key positive.
   */
  readonly constraints: ReadonlyMap<string, Bound>;
  /** Bounds of atoms found before, while ranges and conditions stay as they are. */
  readonly known: () => WeakMap<PrimExpr, Bound>;
}

export function linearBounds(cx: BoundsContext, linear: Linear): Bound {
  let min = linear.constant;
  let max = linear.constant;
  let hasDivision = false;
  for (const { atom, coef } of linear.terms.values()) {
    const range = atomBounds(cx, atom);
    min += coef > 0 ? range.min * coef : range.max * coef;
    max += coef > 0 ? range.max * coef : range.min * coef;
    hasDivision ||= coef > 0 && atom.kind === "binary" && atom.op === "floordiv";
  }
  let total = bound(min, max);
  if (hasDivision && linear.terms.size > 1) total = intersectBounds(total, divisionPairBounds(cx, linear));
  if (cx.constraints.size > 0 && linear.terms.size > 0) {
    const { key, factor } = constraintKey(linear);
    const known = cx.constraints.get(key);
    if (known !== undefined)
      total = intersectBounds(total, addBounds(scaleBound(known, factor), point(linear.constant)));
  }
  return total;
}

/**
 * The key under which a constraint on the terms is kept, and the factor by which these terms are a multiple
 * of it.
 */
export function constraintKey(linear: Linear): { readonly key: string; readonly factor: number } {
  let first = "";
  let coef = 0;
  for (const [key, term] of linear.terms) {
    if (coef !== 0 && key >= first) continue;
    first = key;
    coef = term.coef;
  }
  if (linear.terms.size === 1) return { key: first, factor: coef };
  const factor = coef < 0 ? -coefGcd(linear) : coefGcd(linear);
  return {
    key: termsKey(factor === 1 ? linear : linScale({ terms: linear.terms, constant: 0 }, 1 / factor)),
    factor,
  };
}

/**
 * floor(a/d) - floor(b/d) is known to within one when a - b is: the difference of two region ends of a
 * strided or scaled access.
 */
function divisionPairBounds(cx: BoundsContext, linear: Linear): Bound {
  const parts = [...linear.terms.values()];
  if (parts.length > 6) return everything;
  for (const p of parts) {
    const high = floorDivOf(p.atom);
    if (high === null || p.coef <= 0) continue;
    for (const q of parts) {
      const low = floorDivOf(q.atom);
      if (low === null || low.by !== high.by || q.coef !== -p.coef) continue;
      const difference = linearBounds(cx, linAdd(cx.linear(high.of), cx.linear(low.of), -1));
      const pair = bound(Math.floor(difference.min / high.by), Math.ceil(difference.max / high.by));
      const rest = [...linear.terms].filter(([, term]) => term !== p && term !== q);
      return addBounds(
        scaleBound(pair, p.coef),
        linearBounds(cx, { terms: new Map(rest), constant: linear.constant }),
      );
    }
  }
  return everything;
}

function floorDivOf(atom: PrimExpr): { readonly of: PrimExpr; readonly by: number } | null {
  if (atom.kind !== "binary" || atom.op !== "floordiv" || atom.b.kind !== "int") return null;
  const by = Number(atom.b.value);
  return by > 0 ? { of: atom.a, by } : null;
}

/** Bounds of an integer expression that is simplified already. */
function atomBounds(cx: BoundsContext, atom: PrimExpr): Bound {
  const known = cx.known();
  let found = known.get(atom);
  if (found === undefined) {
    found = freshBounds(cx, atom);
    known.set(atom, found);
  }
  return found;
}

/** The machine's value lies where the mathematical one does unless that may leave the dtype. */
function freshBounds(cx: BoundsContext, atom: PrimExpr): Bound {
  const found = mathBounds(cx, atom);
  const own = dtypeBound(atom.dtype);
  return found.min >= own.min && found.max <= own.max ? found : own;
}

function mathBounds(cx: BoundsContext, atom: PrimExpr): Bound {
  const of = (expr: PrimExpr): Bound => linearBounds(cx, cx.linear(expr));
  switch (atom.kind) {
    case "tir-var":
      return cx.variableBound(atom);
    case "int":
      return typeof atom.value === "number" ? point(atom.value) : dtypeBound(atom.dtype);
    case "binary": {
      if (atom.op === "floordiv" || atom.op === "floormod" || atom.op === "div" || atom.op === "mod")
        return divisionBounds(cx, atom.op, of(atom.a), atom.b);
      if (atom.op === "mul") return mulBounds(of(atom.a), of(atom.b));
      if (atom.op === "min" || atom.op === "max") {
        const a = of(atom.a);
        const b = of(atom.b);
        return atom.op === "min"
          ? bound(Math.min(a.min, b.min), Math.min(a.max, b.max))
          : bound(Math.max(a.min, b.min), Math.max(a.max, b.max));
      }
      return dtypeBound(atom.dtype);
    }
    case "select":
      return unionBounds(of(atom.then), of(atom.otherwise));
    case "tir-call":
      if (atom.op === "tir.if_then_else") return unionBounds(of(atom.args[1]!), of(atom.args[2]!));
      return dtypeBound(atom.dtype);
    case "cast":
      if (
        atom.value.dtype.code !== "int" &&
        atom.value.dtype.code !== "uint" &&
        atom.value.dtype.code !== "bool"
      )
        return dtypeBound(atom.dtype);
      return atom.value.dtype.code === "bool"
        ? bound(0, 1)
        : intersectBounds(of(atom.value), dtypeBound(atom.value.dtype));
    case "float":
    case "string":
    case "not":
    case "ramp":
    case "broadcast":
    case "tir-let":
    case "load":
    case "buffer-ref":
    case "producer-load":
    case "reduce":
      return dtypeBound(atom.dtype);
  }
}

function divisionBounds(
  cx: BoundsContext,
  op: "floordiv" | "floormod" | "div" | "mod",
  a: Bound,
  divisor: PrimExpr,
): Bound {
  const by = linearBounds(cx, cx.linear(divisor));
  if (by.min <= 0) return everything;
  const rounding = op === "floordiv" || op === "floormod" || a.min >= 0;
  if (by.min === by.max && rounding)
    return op === "floordiv" || op === "div" ? floorDivBound(a, by.min) : floorModBound(a, by.min);
  if (op === "floormod") return bound(0, by.max - 1);
  if (op === "mod") return bound(a.min >= 0 ? 0 : -(by.max - 1), by.max - 1);
  // Dividing by something positive moves towards zero (or at most to -1 from below).
  return bound(Math.min(a.min, 0), Math.max(a.max, 0));
}
