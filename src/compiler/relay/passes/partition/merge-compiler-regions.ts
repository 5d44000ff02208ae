// MergeCompilerRegions: regions of one target that feed each other become one, unless a path between them
// leaves the target.
// TVM: src/relay/transforms/merge_compiler_regions.cc
import { functionOf, argOf, type Call, type Expr, type Func } from "../../expr.ts";
import { get } from "../../../../support/assert.ts";
import { remark } from "../../../ir/remark.ts";
import type { RelayContext } from "../../op.ts";
import { postOrder, rewrite } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import {
  annotatedRegions,
  mergeRegions,
  regionOf,
  root,
  type Region,
  type RegionSet,
} from "./annotated-regions.ts";
import { hostTarget, isBegin, isEnd, underMark } from "./compiler-marks.ts";

export const mergeCompilerRegions = functionPass({
  name: "MergeCompilerRegions",
  optLevel: 0,
  requires: [],
  run: merge,
});

/**
 * Regions that a region must not be merged with: on the way back to them a path leaves the target. Bits by
 * region number.
 */
type Restrictions = Map<Region, Uint32Array>;

interface Merger {
  readonly set: RegionSet;
  readonly restrictions: Restrictions;
  /** Numbers of the regions that each region has taken in, its own included. */
  readonly members: Map<Region, number[]>;
  readonly done: Set<Region>;
  /**
   * The innermost function that every expression stands in; for one that several read, the outermost of
   * those.
   */
  readonly scopes: ReadonlyMap<Expr, Func>;
  readonly cx: RelayContext;
}

function merge(func: Func, cx: RelayContext): Func {
  const set = annotatedRegions(func);
  if (set.all.length === 0) return func;
  const merger: Merger = {
    set,
    restrictions: new Map(),
    members: new Map(set.all.map((region) => [region, [region.id]])),
    done: new Set(),
    scopes: scopesOf(func),
    cx,
  };
  for (const region of set.all)
    if (region.into !== null) get(merger.members, root(region), "member").push(region.id);
  postOrder(func, (expr) => {
    if (isEnd(expr)) mergeParents(merger, regionOf(set, expr)!);
  });
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => (isInner(set, original) ? underMark(underMark(expr)) : expr)),
  );
}

function scopesOf(main: Func): ReadonlyMap<Expr, Func> {
  const scopes = new Map<Expr, Func>();
  const functions = [main];
  for (const func of functions)
    postOrder(
      func.body,
      (expr) => {
        if (scopes.has(expr)) return;
        scopes.set(expr, func);
        if (expr.kind === "function") functions.push(expr);
      },
      (expr) => expr.kind !== "function",
    );
  return scopes;
}

/** A region ends where a function does: what is outside stands for another moment than what is inside. */
function sameScope({ scopes }: Merger, a: Region, b: Region): boolean {
  // What a mark ends, not the mark: an end stands where the value is read.
  const scopeOf = ({ outs: [out] }: Region): Func | undefined =>
    out === undefined ? undefined : scopes.get(argOf(out, 0));
  return scopeOf(a) === scopeOf(b);
}

/** A begin mark right on an end mark of the same region. */
function isInner(set: RegionSet, expr: Expr): boolean {
  return isBegin(expr) && isEnd(underMark(expr)) && regionOf(set, expr) === regionOf(set, underMark(expr));
}

/**
 * Takes the regions that `region` reads from into it, where that makes no cycle. They are done already:
 * arguments come first.
 */
function mergeParents(merger: Merger, region: Region): void {
  if (merger.done.has(region)) return;
  merger.done.add(region);
  const reads = region.ins.map((mark) => ({ mark, parent: regionOf(merger.set, argOf(mark, 0)) }));
  const parents = [
    ...new Set(reads.flatMap(({ parent }) => (parent === null || parent === region ? [] : [parent]))),
  ];
  for (const parent of parents) inherit(merger, region, parent);
  for (const parent of parents) {
    if (!sameScope(merger, parent, region)) continue;
    if (parent.target !== region.target) restrict(merger, region, parent);
    else if (isRestricted(merger, region, parent))
      tellApart(merger, region, reads.find((read) => read.parent === parent)!.mark);
    else {
      mergeRegions(parent, region);
      get(merger.members, region, "member").push(...get(merger.members, parent, "member"));
      merger.members.delete(parent);
    }
  }
}

function bitsOf(merger: Merger, region: Region): Uint32Array {
  let bits = merger.restrictions.get(region);
  if (bits === undefined) {
    bits = new Uint32Array(Math.ceil(merger.set.all.length / 32));
    merger.restrictions.set(region, bits);
  }
  return bits;
}

function inherit(merger: Merger, region: Region, parent: Region): void {
  const theirs = merger.restrictions.get(parent);
  if (theirs === undefined) return;
  const bits = bitsOf(merger, region);
  theirs.forEach((word, i) => {
    bits[i]! |= word;
  });
}

function restrict(merger: Merger, region: Region, parent: Region): void {
  const bits = bitsOf(merger, region);
  for (const id of get(merger.members, parent, "member")) bits[id >> 5]! |= 1 << (id & 31);
}

function isRestricted(merger: Merger, region: Region, parent: Region): boolean {
  const bits = merger.restrictions.get(region);
  return (
    bits !== undefined &&
    get(merger.members, parent, "member").some((id) => (bits[id >> 5]! & (1 << (id & 31))) !== 0)
  );
}

function tellApart({ cx }: Merger, region: Region, mark: Call): void {
  if (region.target === hostTarget) return;
  const producer = underMark(argOf(mark, 0));
  cx.remarks.push(
    remark(
      "MergeCompilerRegions",
      "partition.apart",
      `two regions for ${region.target} stay apart: one needs a value of the other and a value computed from it elsewhere, so together they would wait for themselves`,
      { origin: region.outs[0]?.origin ?? mark.origin, other: producer.origin },
    ),
  );
}
