// A transpose or layout_transform of another one is one, or none.  TVM: src/relay/transforms/simplify_expr.cc
// (SimplifyTranspose)
import { at } from "../../../../support/assert.ts";
import { mergeOrigins } from "../../../ir/origin.ts";
import { call as callOf } from "../../build.ts";
import { calledOp, type Call, type Expr, argOf } from "../../expr.ts";
import type { RelayContext } from "../../op.ts";
import { opSet, type SimplifyRule } from "./rule.ts";

const moves = opSet("transpose", "layout_transform");

export const simplifyTranspose: SimplifyRule = {
  name: "transpose of transpose",
  roots: moves,
  needs: moves,
  match: (call, cx) => {
    const inner = argOf(call, 0);
    if (!moves.has(calledOp(inner) ?? "")) return null;
    return {
      inner,
      replace: (post) => {
        const first = argOf(post, 0);
        if (first.kind !== "call") return null;
        const rankChange = changesRank(post) || changesRank(first);
        return rankChange ? joinLayouts(first, post, cx) : joinPermutations(first, post, cx);
      },
    };
  },
};

function layoutOf(call: Call, which: "src_layout" | "dst_layout"): readonly string[] {
  return [...String(call.attrs[which]).matchAll(/\d*[A-Za-z]/g)].map((match) => match[0]);
}

function changesRank(call: Call): boolean {
  return (
    calledOp(call) === "layout_transform" &&
    layoutOf(call, "src_layout").length !== layoutOf(call, "dst_layout").length
  );
}

function rankOf(expr: Expr): number | null {
  return expr.type?.kind === "tensor-type" ? expr.type.shape.length : null;
}

/** Where each axis of the result comes from; null if a layout names an axis that the other has not. */
function permutation(call: Call, rank: number): readonly number[] | null {
  if (calledOp(call) === "transpose") {
    const { axes } = call.attrs;
    if (!Array.isArray(axes) || axes.length === 0)
      return Array.from({ length: rank }, (_, i) => rank - 1 - i);
    return axes.map((axis) => (Number(axis) < 0 ? Number(axis) + rank : Number(axis)));
  }
  const from = layoutOf(call, "src_layout");
  const order = layoutOf(call, "dst_layout").map((axis) => from.indexOf(axis));
  return order.includes(-1) ? null : order;
}

function joinPermutations(first: Call, second: Call, cx: RelayContext): Expr | null {
  const rank = rankOf(second);
  if (rank === null) return null;
  const [inner, outer] = [permutation(first, rank), permutation(second, rank)];
  // Blocks of another size are no permutation (TVM looks at letters alone, and computes another thing): only
  // there and back is nothing.
  if (inner === null || outer === null) return undoes(second, first) ? argOf(first, 0) : null;
  const axes = outer.map((axis) => at(inner, axis, "axis of the inner transpose"));
  const data = argOf(first, 0);
  if (axes.every((axis, i) => axis === i)) return data;
  return callOf(cx, "transpose", [data], { axes }, mergeOrigins([second.origin, first.origin]));
}

function undoes(second: Call, first: Call): boolean {
  return (
    calledOp(first) === "layout_transform" &&
    calledOp(second) === "layout_transform" &&
    first.attrs["src_layout"] === second.attrs["dst_layout"] &&
    first.attrs["dst_layout"] === second.attrs["src_layout"]
  );
}

/** One of the two changes the rank: both become one layout_transform with permuted axis names. */
function joinLayouts(first: Call, second: Call, cx: RelayContext): Expr | null {
  const data = argOf(first, 0);
  const names = joinedNames(first, second);
  if (names === null) return null;
  const [from, to] = [names.from.join(""), names.to.join("")];
  if (from === to) return data;
  return callOf(
    cx,
    "layout_transform",
    [data],
    { src_layout: from, dst_layout: to },
    mergeOrigins([second.origin, first.origin]),
  );
}

function joinedNames(
  first: Call,
  second: Call,
): { readonly from: readonly string[]; readonly to: readonly string[] } | null {
  if (changesRank(first) && changesRank(second)) {
    // Back to back they must meet in one layout.
    const meet = layoutOf(first, "dst_layout").join("") === layoutOf(second, "src_layout").join("");
    return meet ? { from: layoutOf(first, "src_layout"), to: layoutOf(second, "dst_layout") } : null;
  }
  if (changesRank(second)) {
    const source = layoutOf(second, "src_layout");
    const order = permutation(first, source.length);
    if (order === null) return null;
    const from: string[] = [];
    order.forEach((axis, i) => (from[axis] = at(source, i, "source")));
    return { from, to: layoutOf(second, "dst_layout") };
  }
  const target = layoutOf(first, "dst_layout");
  const order = permutation(second, target.length);
  return order === null
    ? null
    : { from: layoutOf(first, "src_layout"), to: order.map((axis) => at(target, axis, "target")) };
}
