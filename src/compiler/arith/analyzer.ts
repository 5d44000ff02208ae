// The arithmetic analyzer: simplifies integer expressions under variable ranges and conditions, bounds them,
// and proves conditions. Indices and data are treated alike: integers wrap, and a rule that needs a sum not
// to wrap takes a form that is shown to fit (linear.ts). Rules are directional (never larger on the right),
// so it ends. TVM: src/arith/analyzer.cc, rewrite_simplify.cc, canonical_simplify.cc
import { bool, isInteger, type DType } from "../ir/dtype.ts";
import { binary, intImm, makeBinary, tirCall } from "../tir/build.ts";
import type { Binary, BinaryOp, PrimExpr, TirVar } from "../tir/expr.ts";
import { mapChildren, sameExpr } from "../tir/visit.ts";
import {
  bound,
  boundFits,
  dtypeBound,
  everything,
  intersectBounds,
  scaleBound,
  type Bound,
} from "./bound.ts";
import { constraintKey, linearBounds, type BoundsContext } from "./bounds.ts";
import type { ArithContext } from "./context.ts";
import { keyMaker } from "./key.ts";
import {
  isConstLinear,
  isExact,
  linAdd,
  linAtom,
  linConst,
  linScale,
  linShift,
  toExpr,
  type Fitting,
  type Linear,
} from "./linear.ts";
import { simplifyCast } from "./rules/cast.ts";
import { compareLinear } from "./rules/compare.ts";
import { floorDivLinear } from "./rules/floordiv.ts";
import { floorModLinear, recombine } from "./rules/floormod.ts";
import { simplifyAnd, simplifyChoice, simplifyNot, simplifyOr } from "./rules/logic.ts";
import { minMaxLinear } from "./rules/min-max.ts";
import { mulLinear } from "./rules/mul.ts";

export interface Analyzer {
  /** Declares min <= variable < min + extent; again for the same variable replaces it. */
  readonly bind: (variable: TirVar, min: PrimExpr | number, extent: PrimExpr | number) => void;
  readonly simplify: (expr: PrimExpr) => PrimExpr;
  /** Whether `condition` certainly holds; false says nothing. */
  readonly canProve: (condition: PrimExpr) => boolean;
  /** Constant bounds of an integer expression. */
  readonly bounds: (expr: PrimExpr) => Bound;
  /** Runs `body` with `condition` known to hold. */
  readonly within: <T>(condition: PrimExpr, body: () => T) => T;
  /** Linear form of an integer expression, for callers that take it apart. */
  readonly linear: (expr: PrimExpr) => Fitting;
  /** Whether two integer expressions are equal for all values of their variables. */
  readonly same: (a: PrimExpr, b: PrimExpr) => boolean;
}

const isIndex = (dtype: DType): boolean => dtype.lanes === 1 && dtype.code === "int" && dtype.bits >= 32;

/** Symbolic ends of a variable's range. */
interface SymbolicRange {
  readonly low: Linear;
  readonly high: Linear;
}

/** Results that hold while ranges and conditions stay as they are. */
interface Known {
  readonly linear: WeakMap<PrimExpr, Fitting>;
  readonly bounds: WeakMap<PrimExpr, Bound>;
}

function freshKnown(): Known {
  return { linear: new WeakMap(), bounds: new WeakMap() };
}

interface State {
  readonly ranges: Map<TirVar, Bound>;
  readonly symbolic: Map<TirVar, SymbolicRange>;
  readonly constraints: Map<string, Bound>;
  /** Conditions in force that are no integer comparison, by key. */
  readonly facts: Map<string, boolean>;
}

export function createAnalyzer(): Analyzer {
  const state: State = { ranges: new Map(), symbolic: new Map(), constraints: new Map(), facts: new Map() };
  const boundsCx: BoundsContext = {
    linear: (expr) => linear(expr),
    variableBound: (variable) => state.ranges.get(variable) ?? dtypeBound(variable.dtype),
    constraints: state.constraints,
    known: () => known.bounds,
  };
  const key = keyMaker();
  let known: Known = freshKnown();
  const atom = (expr: PrimExpr): Fitting => linAtom(key(expr), expr);
  const bounds = (form: Linear): Bound => linearBounds(boundsCx, form);
  const cx: ArithContext = {
    linear: (expr) => linear(expr),
    simplify: (expr) => simplifyExpr(expr),
    fit: (form, dtype) => (isExact(form) && boundFits(bounds(form), dtype) ? (form as Fitting) : null),
    atom,
    bounds,
    key,
    proofBounds: (form) => proofBounds(state, bounds, form),
    within: (condition, body) => within(condition, body),
  };

  function linear(expr: PrimExpr): Fitting {
    const before = known.linear.get(expr);
    if (before !== undefined) return before;
    const result = rawLinear(cx, expr);
    known.linear.set(expr, result);
    return result;
  }

  function simplifyExpr(expr: PrimExpr): PrimExpr {
    const result = simplifyNode(cx, state, expr);
    return sameExpr(result, expr) ? expr : result;
  }

  function within<T>(condition: PrimExpr, body: () => T): T {
    const undo: (() => void)[] = [];
    const outside = known;
    assume(cx, state, condition, undo);
    known = freshKnown();
    try {
      return body();
    } finally {
      for (const step of undo.reverse()) step();
      known = outside;
    }
  }

  function bind(variable: TirVar, min: PrimExpr | number, extent: PrimExpr | number): void {
    const low = typeof min === "number" ? linConst(min) : linear(min);
    const size = typeof extent === "number" ? linConst(extent) : linear(extent);
    const high = linShift(linAdd(low, size), -1);
    state.ranges.set(
      variable,
      intersectBounds(bound(bounds(low).min, bounds(high).max), dtypeBound(variable.dtype)),
    );
    known = freshKnown();
    if (isConstLinear(low) && isConstLinear(size)) state.symbolic.delete(variable);
    else state.symbolic.set(variable, { low, high });
  }

  return {
    bind,
    simplify: simplifyExpr,
    within,
    linear,
    bounds: (expr) => bounds(linear(expr)),
    canProve: (condition) => {
      const result = simplifyExpr(condition);
      return result.kind === "int" && result.value !== 0;
    },
    same: (a, b) => {
      const difference = linAdd(linear(a), linear(b), -1);
      return isConstLinear(difference) && difference.constant === 0;
    },
  };
}

/**
 * Linear form of any integer expression: sums that fit are opened, everything else is simplified to an atom.
 */
function rawLinear(cx: ArithContext, expr: PrimExpr): Fitting {
  switch (expr.kind) {
    case "int": {
      const form = typeof expr.value === "number" ? linConst(expr.value) : null;
      return (form && cx.fit(form, expr.dtype)) ?? cx.atom(expr);
    }
    case "tir-var":
      return cx.atom(expr);
    case "binary":
      return isIndex(expr.dtype) ? binaryLinear(cx, expr) : cx.atom(simplifyOperands(cx, expr));
    case "select":
    case "tir-call":
    case "cast":
    case "load":
    case "producer-load": {
      const simple =
        expr.kind === "select"
          ? simplifyChoice(cx, expr.condition, expr.then, expr.otherwise, false)
          : expr.kind === "cast"
            ? simplifyCast(cx, expr.value, expr.dtype)
            : expr.kind === "tir-call" && expr.op === "tir.if_then_else"
              ? simplifyChoice(cx, expr.args[0]!, expr.args[1]!, expr.args[2]!, true)
              : simplifyOperands(cx, expr);
      return simple.kind === expr.kind ? cx.atom(simple) : rawLinear(cx, simple);
    }
    case "float":
    case "string":
    case "not":
    case "ramp":
    case "broadcast":
    case "tir-let":
    case "buffer-ref":
    case "reduce":
      return cx.atom(simplifyOperands(cx, expr));
  }
}

function binaryLinear(cx: ArithContext, expr: Binary): Fitting {
  const { op, dtype } = expr;
  const a = cx.linear(expr.a);
  const b = cx.linear(expr.b);
  const form = binaryForm(cx, op, a, b, dtype);
  const fitting = form === null ? null : cx.fit(form, dtype);
  if (fitting !== null) return fitting;
  const plain = makeBinary(op, toExpr(a, dtype), toExpr(b, dtype));
  return plain.kind === "int" ? rawLinear(cx, plain) : cx.atom(plain);
}

/** What the mathematical value of `a op b` is, or null where no rule says more than that. */
function binaryForm(cx: ArithContext, op: BinaryOp, a: Fitting, b: Fitting, dtype: DType): Linear | null {
  if (op === "add" || op === "sub")
    return recombine(cx, linAdd(a, b, op === "add" ? 1 : -1), (x, d, type) => floorDivLinear(cx, x, d, type));
  if (op === "mul") return mulLinear(cx, a, b, dtype);
  if (op === "min" || op === "max") return minMaxLinear(cx, op, a, b, dtype);
  if (isConstLinear(b) && b.constant > 0) {
    if (op === "floordiv" || (op === "div" && cx.bounds(a).min >= 0))
      return floorDivLinear(cx, a, b.constant, dtype);
    if (op === "floormod" || (op === "mod" && cx.bounds(a).min >= 0))
      return floorModLinear(cx, a, b.constant, dtype);
  }
  return symbolicDivision(cx, op, a, b, dtype);
}

/** (i*n + j) // n = i and (i*n + j) % n = j for 0 <= j < n, n an expression. */
function symbolicDivision(
  cx: ArithContext,
  op: BinaryOp,
  a: Fitting,
  b: Fitting,
  dtype: DType,
): Linear | null {
  if ((op !== "floordiv" && op !== "floormod") || b.terms.size !== 1 || b.constant !== 0) return null;
  const divisor = cx.key(toExpr(b, dtype));
  const whole = [...a.terms].filter(
    ([, { atom }]) =>
      atom.kind === "binary" &&
      atom.op === "mul" &&
      [atom.a, atom.b].some((part) => cx.key(part) === divisor),
  );
  const wholeKeys = new Set(whole.map(([name]) => name));
  const rest: Linear = {
    terms: new Map([...a.terms].filter(([name]) => !wholeKeys.has(name))),
    constant: a.constant,
  };
  if (cx.proofBounds(rest).min < 0 || cx.proofBounds(linAdd(rest, b, -1)).max >= 0) return null;
  if (op === "floormod") return rest;
  return whole.reduce<Linear>((sum, [, term]) => {
    const product = term.atom as Binary;
    return linAdd(sum, cx.linear(cx.key(product.b) === divisor ? product.a : product.b), term.coef);
  }, linConst(0));
}

function simplifyOperands(cx: ArithContext, expr: PrimExpr): PrimExpr {
  return mapChildren(expr, cx.simplify);
}

function simplifyNode(cx: ArithContext, state: State, expr: PrimExpr): PrimExpr {
  if (
    expr.kind === "int" ||
    expr.kind === "float" ||
    expr.kind === "string" ||
    expr.kind === "tir-var" ||
    expr.kind === "buffer-ref"
  )
    return factOf(cx, state, expr);
  if (isIndex(expr.dtype)) return toExpr(cx.linear(expr), expr.dtype);
  switch (expr.kind) {
    case "binary":
      return factOf(cx, state, simplifyBinary(cx, expr));
    case "not":
      return factOf(cx, state, simplifyNot(cx, expr));
    case "select":
      return simplifyChoice(cx, expr.condition, expr.then, expr.otherwise, false);
    case "cast":
      return simplifyCast(cx, expr.value, expr.dtype);
    case "tir-call": {
      if (expr.op === "tir.if_then_else")
        return simplifyChoice(cx, expr.args[0]!, expr.args[1]!, expr.args[2]!, true);
      if (expr.op === "tir.likely") {
        const inner = cx.simplify(expr.args[0]!);
        return inner.kind === "int" ? inner : tirCall("tir.likely", bool, [inner]);
      }
      return factOf(cx, state, simplifyOperands(cx, expr));
    }
    case "ramp":
    case "broadcast":
    case "tir-let":
    case "load":
    case "producer-load":
    case "reduce":
      return factOf(cx, state, simplifyOperands(cx, expr));
  }
}

/** A condition that is known to hold (or not) is its value. */
function factOf(cx: ArithContext, state: State, expr: PrimExpr): PrimExpr {
  if (expr.dtype !== bool || expr.kind === "int" || state.facts.size === 0) return expr;
  const known = state.facts.get(cx.key(expr));
  return known === undefined ? expr : intImm(known ? 1 : 0, bool);
}

function simplifyBinary(cx: ArithContext, expr: Binary): PrimExpr {
  if (expr.dtype.lanes > 1) return simplifyOperands(cx, expr);
  const { op } = expr;
  if (op === "and") return simplifyAnd(cx, expr);
  if (op === "or") return simplifyOr(cx, expr);
  if (
    (op === "eq" || op === "ne" || op === "lt" || op === "le" || op === "gt" || op === "ge") &&
    isIndex(expr.a.dtype)
  ) {
    return compareLinear(cx, op, cx.linear(expr.a), cx.linear(expr.b), expr.a.dtype);
  }
  const a = cx.simplify(expr.a);
  const b = cx.simplify(expr.b);
  if (!isInteger(expr.dtype)) {
    // Exact for every float, NaN and -0 too.
    if (op === "mul" && b.kind === "float" && b.value === 1) return a;
    if (op === "mul" && a.kind === "float" && a.value === 1) return b;
    if (op === "div" && b.kind === "float" && b.value === 1) return a;
  }
  return a === expr.a && b === expr.b ? expr : makeBinary(op, a, b);
}

/** Bounds with variables of symbolic range replaced by the end of their range, one after another. */
function proofBounds(state: State, bounds: (form: Linear) => Bound, form: Linear): Bound {
  const direct = bounds(form);
  if (state.symbolic.size === 0) return direct;
  return intersectBounds(
    direct,
    bound(eliminate(state, bounds, form, -1), eliminate(state, bounds, form, 1)),
  );
}

function eliminate(state: State, bounds: (form: Linear) => Bound, form: Linear, side: 1 | -1): number {
  let current = form;
  // Ranges may mention other variables; each is replaced at most once.
  const done = new Set<TirVar>();
  for (let step = 0; step < 8; step++) {
    const next = [...current.terms].find(
      ([, term]) => term.atom.kind === "tir-var" && state.symbolic.has(term.atom) && !done.has(term.atom),
    );
    if (next === undefined) break;
    const [name, term] = next;
    const variable = term.atom as TirVar;
    done.add(variable);
    const range = state.symbolic.get(variable)!;
    const end = term.coef * side > 0 ? range.high : range.low;
    const terms = new Map(current.terms);
    terms.delete(name);
    current = linAdd({ terms, constant: current.constant }, linScale(end, term.coef));
  }
  const found = bounds(current);
  return side > 0 ? found.max : found.min;
}

/** Adds what `condition` says to the state; `undo` takes it back. */
function assume(cx: ArithContext, state: State, condition: PrimExpr, undo: (() => void)[]): void {
  if (condition.kind === "tir-call" && condition.op === "tir.likely")
    return assume(cx, state, condition.args[0]!, undo);
  if (condition.dtype !== bool) return;
  if (condition.kind === "binary") {
    if (condition.op === "and") {
      assume(cx, state, condition.a, undo);
      assume(cx, state, condition.b, undo);
      return;
    }
    if (isIndex(condition.a.dtype)) return assumeComparison(cx, state, condition, undo);
  }
  if (condition.kind === "not") {
    const { a } = condition;
    if (a.kind === "binary" && a.op === "or") {
      assume(cx, state, notOf(a.a), undo);
      assume(cx, state, notOf(a.b), undo);
      return;
    }
    if (a.kind === "binary" && isIndex(a.a.dtype) && a.op in opposites)
      return assumeComparison(cx, state, binary(opposites[a.op]!, a.a, a.b), undo);
    return setFact(cx, state, a, false, undo);
  }
  if (condition.kind !== "int") setFact(cx, state, condition, true, undo);
}

const opposites: { readonly [K in BinaryOp]?: BinaryOp } = {
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
  eq: "ne",
  ne: "eq",
};

function notOf(expr: PrimExpr): PrimExpr {
  return { kind: "not", dtype: expr.dtype, a: expr };
}

function setFact(
  cx: ArithContext,
  state: State,
  condition: PrimExpr,
  value: boolean,
  undo: (() => void)[],
): void {
  const name = cx.key(condition);
  const before = state.facts.get(name);
  state.facts.set(name, value);
  undo.push(() => (before === undefined ? state.facts.delete(name) : state.facts.set(name, before)));
}

function assumeComparison(cx: ArithContext, state: State, condition: Binary, undo: (() => void)[]): void {
  const difference = linAdd(cx.linear(condition.a), cx.linear(condition.b), -1);
  if (difference.terms.size === 0) return;
  const c = -difference.constant;
  const range = {
    lt: bound(-Infinity, c - 1),
    le: bound(-Infinity, c),
    gt: bound(c + 1, Infinity),
    ge: bound(c, Infinity),
    eq: bound(c, c),
  }[condition.op as string];
  if (range === undefined) {
    setFact(cx, state, condition, true, undo);
    return;
  }
  const { key, factor } = constraintKey(difference);
  const scaled = scaleBound(range, 1 / factor);
  const tight = intersectBounds(
    bound(Math.ceil(scaled.min), Math.floor(scaled.max)),
    state.constraints.get(key) ?? everything,
  );
  const before = state.constraints.get(key);
  state.constraints.set(key, tight);
  undo.push(() =>
    before === undefined ? state.constraints.delete(key) : state.constraints.set(key, before),
  );
  const only = difference.terms.size === 1 ? [...difference.terms.values()][0]! : null;
  if (only?.atom.kind === "tir-var") tightenVariable(state, only.atom, tight, undo);
}

/** The constraint key of a single variable is the variable itself, so the bound is the variable's. */
function tightenVariable(state: State, variable: TirVar, range: Bound, undo: (() => void)[]): void {
  const before = state.ranges.get(variable);
  state.ranges.set(variable, intersectBounds(before ?? everything, range));
  undo.push(() =>
    before === undefined ? state.ranges.delete(variable) : state.ranges.set(variable, before),
  );
}
