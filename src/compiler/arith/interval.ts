// Intervals with symbolic ends: the values an index takes while some variables run over ranges and the others
// stand still.
// TVM: src/arith/int_set.cc (IntervalSet)
import { add, floorDiv, floorMod, intImm, max, min, mul, sub } from "../tir/build.ts";
import type { PrimExpr, TirVar } from "../tir/expr.ts";
import { someExpr, usesVar } from "../tir/visit.ts";
import { dtypeBound } from "./bound.ts";
import type { Analyzer } from "./analyzer.ts";

/** min … max, both inside; null is unbounded. */
export interface Interval {
  readonly min: PrimExpr | null;
  readonly max: PrimExpr | null;
}

type Domains = ReadonlyMap<TirVar, Interval>;

export function pointInterval(value: PrimExpr): Interval {
  return { min: value, max: value };
}

export function rangeInterval(low: PrimExpr, extent: PrimExpr): Interval {
  return { min: low, max: sub(add(low, extent), 1) };
}

/** Values of `expr` when the variables in `domains` run over their intervals. */
export function evalInterval(analyzer: Analyzer, expr: PrimExpr, domains: Domains): Interval {
  const form = analyzer.linear(expr);
  const dtype = expr.dtype;
  let low: PrimExpr | null = intImm(form.constant, dtype);
  let high: PrimExpr | null = low;
  for (const { atom, coef } of form.terms.values()) {
    const part = atomInterval(analyzer, atom, domains);
    const [near, far] = coef > 0 ? [part.min, part.max] : [part.max, part.min];
    low = low === null || near === null ? null : add(low, mul(near, coef));
    high = high === null || far === null ? null : add(high, mul(far, coef));
  }
  return {
    min: low === null ? null : analyzer.simplify(low),
    max: high === null ? null : analyzer.simplify(high),
  };
}

function atomInterval(analyzer: Analyzer, atom: PrimExpr, domains: Domains): Interval {
  if (atom.kind === "tir-var") return domains.get(atom) ?? pointInterval(atom);
  if (!usesVar(atom, (variable) => domains.has(variable))) {
    return reads(atom) ? constantInterval(analyzer, atom) : pointInterval(atom);
  }
  const of = (expr: PrimExpr): Interval => evalInterval(analyzer, expr, domains);
  switch (atom.kind) {
    case "binary": {
      if (atom.op === "floordiv" || atom.op === "floormod")
        return (
          divisionInterval(analyzer, atom.op, of(atom.a), atom.b, domains) ?? constantInterval(analyzer, atom)
        );
      if (atom.op === "min" || atom.op === "max") return limitInterval(atom.op, of(atom.a), of(atom.b));
      return constantInterval(analyzer, atom);
    }
    case "select":
      return unionInterval(analyzer, of(atom.then), of(atom.otherwise));
    case "tir-call":
      if (atom.op === "tir.if_then_else")
        return unionInterval(analyzer, of(atom.args[1]!), of(atom.args[2]!));
      return constantInterval(analyzer, atom);
    case "cast": {
      if (atom.value.dtype.code !== "int" || atom.dtype.bits < atom.value.dtype.bits)
        return constantInterval(analyzer, atom);
      const inner = of(atom.value);
      const wide = (end: PrimExpr | null): PrimExpr | null =>
        end === null ? null : add(intImm(0, atom.dtype), end);
      return { min: wide(inner.min), max: wide(inner.max) };
    }
    case "int":
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
      return constantInterval(analyzer, atom);
  }
}

/** Data-dependent: what is read may be anything its dtype allows. */
function reads(expr: PrimExpr): boolean {
  return someExpr(expr, (e) => e.kind === "load" || e.kind === "producer-load");
}

function constantInterval(analyzer: Analyzer, atom: PrimExpr): Interval {
  const { min: low, max: high } = analyzer.bounds(atom);
  const own = dtypeBound(atom.dtype);
  return {
    min: low > own.min ? intImm(low, atom.dtype) : null,
    max: high < own.max ? intImm(high, atom.dtype) : null,
  };
}

function divisionInterval(
  analyzer: Analyzer,
  op: "floordiv" | "floormod",
  a: Interval,
  divisor: PrimExpr,
  domains: Domains,
): Interval | null {
  if (usesVar(divisor, (variable) => domains.has(variable)) || analyzer.bounds(divisor).min <= 0) return null;
  if (op === "floordiv") {
    return {
      min: a.min === null ? null : floorDiv(a.min, divisor),
      max: a.max === null ? null : floorDiv(a.max, divisor),
    };
  }
  if (a.min !== null && a.max !== null && analyzer.same(floorDiv(a.min, divisor), floorDiv(a.max, divisor))) {
    return { min: floorMod(a.min, divisor), max: floorMod(a.max, divisor) };
  }
  return { min: intImm(0, divisor.dtype), max: sub(divisor, 1) };
}

function limitInterval(op: "min" | "max", a: Interval, b: Interval): Interval {
  const pick = op === "min" ? min : max;
  const both = (x: PrimExpr | null, y: PrimExpr | null): PrimExpr | null =>
    x === null || y === null ? null : pick(x, y);
  // The smaller of two is bounded above by either; the greater, below.
  return op === "min"
    ? { min: both(a.min, b.min), max: both(a.max, b.max) ?? a.max ?? b.max }
    : { min: both(a.min, b.min) ?? a.min ?? b.min, max: both(a.max, b.max) };
}

/** Smallest interval around both. */
export function unionInterval(analyzer: Analyzer, a: Interval, b: Interval): Interval {
  return {
    min: a.min === null || b.min === null ? null : analyzer.simplify(min(a.min, b.min)),
    max: a.max === null || b.max === null ? null : analyzer.simplify(max(a.max, b.max)),
  };
}
