// Regions of an annotated function: what lies between compiler_begin and compiler_end marks.
// TVM: src/relay/analysis/annotated_region_set.cc
import { argOf } from "../../expr.ts";
import { last } from "../../../../support/assert.ts";
import { fail } from "../../../ir/diagnostic.ts";
import type { Call, Expr } from "../../expr.ts";
import { children } from "../../visit.ts";
import { isBegin, isEnd, targetOfMark } from "./compiler-marks.ts";

export interface Region {
  /** TVM's number: one per begin mark, in order; a merged region keeps the number of the one that stays. */
  readonly id: number;
  readonly target: string;
  /** Set where this region was merged into another. */
  into: Region | null;
  /** Begin marks and end marks, in order of discovery. */
  ins: Call[];
  outs: Call[];
}

export interface RegionSet {
  readonly of: Map<Expr, Region>;
  readonly all: Region[];
}

/** The region that `expr` belongs to, after merging; null for what is in none. */
export function regionOf(set: RegionSet, expr: Expr): Region | null {
  const found = set.of.get(expr);
  return found === undefined ? null : root(found);
}

export function root(region: Region): Region {
  let at = region;
  while (at.into !== null) at = at.into;
  for (let step = region; step.into !== null && step.into !== at;) {
    const next = step.into;
    step.into = at;
    step = next;
  }
  return at;
}

/** Takes `source` into `into`: what one gave the other is inside now. */
export function mergeRegions(source: Region, into: Region): void {
  if (source === into) return;
  source.into = into;
  const given = new Set<Expr>(source.outs);
  const inside = (mark: Call): boolean => given.has(argOf(mark, 0));
  const consumed = new Set<Expr>(into.ins.filter(inside).map((mark) => argOf(mark, 0)));
  into.ins = [...into.ins, ...source.ins].filter((mark) => !inside(mark));
  into.outs = [...into.outs, ...source.outs].filter((mark) => !consumed.has(mark));
}

/**
 * Finds the regions under `root`, function bodies included, arguments first. Throws CompileError RS3012 for
 * marks that do not pair.
 */
export function annotatedRegions(root: Expr): RegionSet {
  const set: RegionSet = { of: new Map(), all: [] };
  const seen = new Set<Expr>([root]);
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const push = (expr: Expr): void => {
    seen.add(expr);
    stack.push({ expr, kids: children(expr), next: 0 });
  };
  push(root);
  while (stack.length > 0) {
    const top = last(stack, "frame");
    const kid = top.kids[top.next++];
    if (kid === undefined) {
      stack.pop();
      visit(set, top.expr);
    } else if (!seen.has(kid)) push(kid);
  }
  return set;
}

function visit(set: RegionSet, expr: Expr): void {
  switch (expr.kind) {
    case "call":
      if (isBegin(expr)) beginRegion(set, expr);
      else if (isEnd(expr)) endRegion(set, expr);
      else join(set, expr, expr.args);
      return;
    case "tuple":
      join(set, expr, expr.fields);
      return;
    case "tuple-get-item":
      join(set, expr, [expr.tuple]);
      return;
    // Control flow, functions and references keep their parts in regions of their own.
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
    case "function":
    case "let":
    case "if":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return;
  }
}

function beginRegion(set: RegionSet, mark: Call): void {
  const region: Region = {
    id: set.all.length,
    target: targetOfMark(mark),
    into: null,
    ins: [mark],
    outs: [],
  };
  set.all.push(region);
  set.of.set(mark, region);
}

function endRegion(set: RegionSet, mark: Call): void {
  const region = regionOf(set, argOf(mark, 0));
  if (region === null || region.target !== targetOfMark(mark)) {
    return fail("RS3012", `compiler_end for ${targetOfMark(mark)} closes no region of it`, {
      span: mark.span,
      origin: mark.origin,
      expected: `a value computed from compiler_begin(…, compiler="${targetOfMark(mark)}")`,
      got: region === null ? "a value outside of all regions" : `a value of a region for ${region.target}`,
      because: "a region is what lies between its begin and end marks",
      hint: "mark every operand of the region's operators with compiler_begin",
    });
  }
  set.of.set(mark, region);
  region.outs.push(mark);
}

/** `expr` joins the open region of its operands; several open regions become one. */
function join(set: RegionSet, expr: Expr, args: readonly Expr[]): void {
  let region: Region | null = null;
  let outside: Expr | null = null;
  for (const arg of args) {
    if (isEnd(arg)) continue;
    const of = regionOf(set, arg);
    if (of === null) outside = arg;
    else if (region === null) region = of;
    else mergeRegions(of, region);
  }
  if (region === null) return;
  if (outside !== null) {
    fail("RS3012", "an operator has operands inside and outside of a region", {
      span: expr.span,
      origin: expr.origin,
      expected: "compiler_begin around every operand, or around none",
      got: `an unmarked ${outside.kind} beside marked operands`,
      because: "a region's function sees nothing but what its begin marks hand in",
      hint: `wrap the operand in compiler_begin(…, compiler="${region.target}")`,
    });
  }
  set.of.set(expr, region);
}
