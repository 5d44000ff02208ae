// EliminateCommonSubexpr: equal calls on the same operands (or on equal scalar constants) become one.
// Departure: a value of one branch is not reused in the other, where it may not have been computed.
// TVM: src/relay/transforms/eliminate_common_subexpr.cc
import { functionOf, type Call, type Constant, type Expr, type Func, type TupleGetItem } from "../expr.ts";
import { get } from "../../../support/assert.ts";
import { sameAttrs } from "../../ir/attrs.ts";
import { remark } from "../../ir/remark.ts";
import { tensorBytes } from "../../ir/tensor-data.ts";
import type { RelayContext } from "../op.ts";
import { children, rewrite } from "../visit.ts";
import { functionPass } from "./function-pass.ts";

export const eliminateCommonSubexpr = functionPass({
  name: "EliminateCommonSubexpr",
  optLevel: 3,
  requires: ["InferType"],
  run: eliminate,
});

interface Region {
  readonly parent: Region | null;
}

interface Candidate {
  readonly expr: Call | TupleGetItem;
  readonly region: Region;
}

interface Table {
  /** By operator and operands; attributes are compared on a hit. */
  readonly candidates: Map<string, Candidate[]>;
  /**
   * Numbers for what calls may have as operands: objects by identity, scalar constants by dtype and bytes.
   */
  readonly numbers: Map<Expr | string, number>;
  readonly regionOf: ReadonlyMap<Expr, Region>;
}

function eliminate(func: Func, cx: RelayContext): Func {
  const table: Table = { candidates: new Map(), numbers: new Map(), regionOf: regions(func) };
  return functionOf(
    rewrite(cx.ids, func, (expr, original) => {
      if (expr.kind === "call") return shareCall(table, cx, expr, original);
      if (expr.kind === "tuple-get-item")
        return share(table, `.${expr.index}:${numberOf(table, expr.tuple)}`, expr, original);
      return expr;
    }),
  );
}

function shareCall(table: Table, cx: RelayContext, call: Call, original: Expr): Expr {
  if (call.callee.kind !== "op" || call.args.length === 0 || cx.ops.get(call.callee.name)?.stateful === true)
    return call;
  const operands = call.args.map((arg) => numberOf(table, arg)).join(",");
  const shared = share(table, `${call.callee.name}:${operands}`, call, original);
  if (shared !== call) {
    const text = `${call.callee.name} is computed once: the same call on the same operands stands before`;
    cx.remarks.push(
      remark("EliminateCommonSubexpr", "cse.hit", text, {
        origin: call.origin,
        other: shared.origin,
        facts: { op: call.callee.name },
      }),
    );
  }
  return shared;
}

function share(table: Table, key: string, expr: Call | TupleGetItem, original: Expr): Expr {
  const region = get(table.regionOf, original, "region");
  let bucket = table.candidates.get(key);
  if (bucket === undefined) {
    bucket = [];
    table.candidates.set(key, bucket);
  }
  for (const candidate of bucket) {
    if (!encloses(candidate.region, region)) continue;
    if (expr.kind !== "call" || candidate.expr.kind !== "call" || sameAttrs(expr.attrs, candidate.expr.attrs))
      return candidate.expr;
  }
  bucket.push({ expr, region });
  return expr;
}

function numberOf(table: Table, expr: Expr): number {
  const key = expr.kind === "constant" && expr.data.shape.length === 0 ? scalarKey(expr) : expr;
  let number = table.numbers.get(key);
  if (number === undefined) {
    number = table.numbers.size;
    table.numbers.set(key, number);
  }
  return number;
}

function scalarKey(constant: Constant): string {
  return `${constant.data.dtype.name}:${tensorBytes(constant.data).join(",")}`;
}

function encloses(outer: Region, inner: Region): boolean {
  for (let at: Region | null = inner; at !== null; at = at.parent) {
    if (at === outer) return true;
  }
  return false;
}

/**
 * The branch, clause or function in which each node is computed: the first that a walk meets, which is the
 * only one after ToBasicBlockNormalForm.
 */
function regions(func: Func): ReadonlyMap<Expr, Region> {
  const regionOf = new Map<Expr, Region>();
  const stack: { readonly expr: Expr; readonly region: Region }[] = [
    { expr: func, region: { parent: null } },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { expr, region } = top;
    if (regionOf.has(expr)) continue;
    regionOf.set(expr, region);
    const kids = children(expr);
    for (let i = kids.length - 1; i >= 0; i--) {
      const opens = expr.kind === "function" || ((expr.kind === "if" || expr.kind === "match") && i > 0);
      stack.push({ expr: kids[i]!, region: opens ? { parent: region } : region });
    }
  }
  return regionOf;
}
