// PartitionGraph: every region for an external target becomes a global function with Compiler and
// global_symbol; main calls it.
// TVM: src/relay/transforms/partition_graph.cc (FlattenTupleOutputs, RemoveDefaultAnnotations, Partitioner,
// NameMangleExtFuncs)
// Known differences: a region's tuple-valued call is flattened like a tuple (TVM returns a tuple in a tuple);
// only functions that this pass makes get the module's prefix.
import {
  functionOf,
  calledOp,
  makeCall,
  makeFunction,
  makeGlobal,
  makeVar,
  type Call,
  type Expr,
  type Func,
  type Var,
  argOf,
} from "../../expr.ts";
import { invariant, last, get, first } from "../../../../support/assert.ts";
import { fail } from "../../../ir/diagnostic.ts";
import { mergeOrigins, type Origin } from "../../../ir/origin.ts";
import { remark } from "../../../ir/remark.ts";
import { funcType, type Type } from "../../../ir/type.ts";
import { noAttrs } from "../../../ir/attrs.ts";
import { getItem, tuple } from "../../build.ts";
import type { IRModule } from "../../module.ts";
import { typeOf, type RelayContext } from "../../op.ts";
import { children, rewrite, withChildren } from "../../visit.ts";
import { skipsOptimization, type RelayPass } from "../function-pass.ts";
import { inferTypeOnce } from "../infer-type/infer-type-once.ts";
import { annotatedRegions, regionOf, type Region, type RegionSet } from "./annotated-regions.ts";
import { end, hostTarget, isBegin, isEnd, targetOfMark, underMark, unmarked } from "./compiler-marks.ts";

export const partitionGraph: RelayPass = {
  name: "PartitionGraph",
  optLevel: 0,
  requires: [],
  run: partition,
};

function partition(module: IRModule, cx: RelayContext): IRModule {
  const functions = new Map<string, Func>(module.functions);
  for (const [name, func] of module.functions) {
    if (skipsOptimization(func)) continue;
    const made = partitionFunction(name, withoutHost(flattened(func, cx), cx), functions, cx);
    functions.set(name, made);
  }
  const changed =
    functions.size !== module.functions.size ||
    [...functions].some(([name, func]) => module.functions.get(name) !== func);
  return changed ? inferTypeOnce.run({ ...module, functions }, cx) : module;
}

/** An end mark on a tuple goes to its fields, and on a call with several results to their projections. */
function flattened(func: Func, cx: RelayContext): Func {
  const fieldsOf = new Map<Expr, readonly Expr[]>();
  return functionOf(
    rewrite(cx.ids, func, (expr) => {
      if (!isEnd(expr)) return expr;
      const value = underMark(expr);
      const type = value.type;
      if (value.kind !== "tuple" && type?.kind !== "tuple-type") return expr;
      let fields = fieldsOf.get(value);
      if (fields === undefined) {
        fields =
          value.kind === "tuple"
            ? value.fields
            : type!.kind === "tuple-type"
              ? type!.fields.map((_, i) => getItem(cx, value, i, value.origin))
              : [];
        fieldsOf.set(value, fields);
      }
      return tuple(
        cx,
        fields.map((field) => end(cx, field, targetOfMark(expr))),
        expr.origin,
      );
    }),
  );
}

function withoutHost(func: Func, cx: RelayContext): Func {
  return functionOf(
    rewrite(cx.ids, func, (expr) =>
      (isBegin(expr) || isEnd(expr)) && targetOfMark(expr) === hostTarget ? underMark(expr) : expr,
    ),
  );
}

/** What becomes of one region. */
interface RegionFunction {
  /** Parameters in the order in which the walk meets them, with what main hands over. */
  readonly args: { readonly param: Var; readonly value: Expr }[];
  readonly paramOf: Map<Expr, Var>;
  /** What main has in place of each value that leaves the region; null until the function is made. */
  results: Map<Expr, Expr> | null;
}

interface Partitioner {
  readonly cx: RelayContext;
  readonly set: RegionSet;
  readonly name: string;
  readonly functions: Map<string, Func>;
  readonly done: Map<Expr, Expr>;
  readonly made: Map<Region, RegionFunction>;
  readonly callsOf: ReadonlyMap<Region, readonly Call[]>;
}

function partitionFunction(name: string, func: Func, functions: Map<string, Func>, cx: RelayContext): Func {
  const set = annotatedRegions(func);
  if (set.all.length === 0) return func;
  const partitioner: Partitioner = {
    cx,
    set,
    name,
    functions,
    done: new Map(),
    made: new Map(),
    callsOf: callsOf(set),
  };
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const push = (expr: Expr): void => {
    stack.push({ expr, kids: needs(partitioner, expr), next: 0 });
  };
  push(func);
  while (stack.length > 0) {
    const top = last(stack, "frame");
    const kid = top.kids[top.next++];
    if (kid === undefined) {
      stack.pop();
      partitioner.done.set(top.expr, rewritten(partitioner, top.expr));
    } else if (!partitioner.done.has(kid)) push(kid);
  }
  return functionOf(partitioner.done.get(func));
}

/** Calls inside each region, marks left out. */
function callsOf(set: RegionSet): ReadonlyMap<Region, readonly Call[]> {
  const found = new Map<Region, Call[]>();
  for (const expr of set.of.keys()) {
    if (expr.kind !== "call" || isBegin(expr) || isEnd(expr)) continue;
    const region = regionOf(set, expr)!;
    const calls = found.get(region);
    if (calls === undefined) found.set(region, [expr]);
    else calls.push(expr);
  }
  return found;
}

/** What must be rewritten before `expr`: at the first end mark of a region, all that leaves the region. */
function needs(partitioner: Partitioner, expr: Expr): readonly Expr[] {
  if (!isEnd(expr)) return children(expr);
  return [underMark(expr), ...regionOf(partitioner.set, expr)!.outs.map((mark) => argOf(mark, 0))];
}

function rewritten(partitioner: Partitioner, expr: Expr): Expr {
  const { cx, done } = partitioner;
  if (isBegin(expr)) return parameter(partitioner, expr as Call);
  if (isEnd(expr)) {
    const region = regionOf(partitioner.set, expr)!;
    const state = stateOf(partitioner, region);
    state.results ??= makeFunctionOf(partitioner, region, state);
    return get(state.results, underMark(expr), "result");
  }
  return withChildren(
    cx.ids,
    expr,
    children(expr).map((kid) => get(done, kid, "partitioned operand")),
  );
}

function stateOf(partitioner: Partitioner, region: Region): RegionFunction {
  let state = partitioner.made.get(region);
  if (state === undefined) {
    state = { args: [], paramOf: new Map(), results: null };
    partitioner.made.set(region, state);
  }
  return state;
}

/** A value that enters a region is one parameter however often it is read there. */
function parameter(partitioner: Partitioner, mark: Call): Var {
  const region = regionOf(partitioner.set, mark)!;
  const state = stateOf(partitioner, region);
  const value = unmarked(mark);
  let param = state.paramOf.get(value);
  if (param === undefined) {
    const index = region.ins.indexOf(mark);
    invariant(index >= 0, "a begin mark is not among its region's inputs");
    const type = typeOf(mark);
    param = makeVar(partitioner.cx.ids, `${region.target}_${region.id}_i${index}`, type, {
      origin: value.origin,
      span: value.span,
      type,
    });
    state.args.push({
      param,
      value: get(partitioner.done, first(mark.args, "argument"), "partitioned argument of a region"),
    });
    state.paramOf.set(value, param);
  }
  return param;
}

function isConstant(expr: Expr): boolean {
  return (
    expr.kind === "constant" ||
    (expr.kind === "tuple" &&
      expr.fields.length > 0 &&
      expr.fields.every((field) => field.kind === "constant"))
  );
}

/** The region as a global function, constants bound; returns what stands for each of its results in main. */
function makeFunctionOf(partitioner: Partitioner, region: Region, state: RegionFunction): Map<Expr, Expr> {
  const { cx, done, functions } = partitioner;
  const outputs = [...new Set(region.outs.map((mark) => argOf(mark, 0)))];
  const origin = mergeOrigins((partitioner.callsOf.get(region) ?? region.outs).map((call) => call.origin));
  const fields = outputs.map((output) => get(done, output, "partitioned result of a region"));
  const bound = new Map<Expr, Expr>(
    state.args.filter(({ value }) => isConstant(value)).map(({ param, value }) => [param, value]),
  );
  const whole = fields.length === 1 ? first(fields, "field") : tuple(cx, fields, origin);
  const body = rewrite(cx.ids, whole, (expr) => bound.get(expr) ?? expr);
  const args = state.args.filter(({ param }) => !bound.has(param));
  const name = `tvmgen_${cx.options.modName}_${region.target}_${partitioner.name}_${region.id}`.replaceAll(
    /[^A-Za-z0-9_]/g,
    "_",
  );
  if (functions.has(name)) {
    fail("RS3013", `there is a function @${name} already`, {
      span: outputs[0]?.span ?? null,
      origin,
      expected: "a free name for a region's function",
      got: `@${name}`,
      because: "the region's function is called so",
      hint: "rename the function, or choose another module name",
    });
  }
  const type = typeOf(body);
  const span = outputs[0]?.span ?? null;
  const signature: Type = funcType(
    args.map(({ param }) => typeOf(param)),
    type,
  );
  const attrs = { global_symbol: name, Primitive: 1, Compiler: region.target, Inline: 1 };
  functions.set(
    name,
    makeFunction(
      cx.ids,
      args.map(({ param }) => param),
      body,
      { origin, span, type: signature, resultType: type, attrs },
    ),
  );
  const call = makeCall(
    cx.ids,
    makeGlobal(cx.ids, name, { origin, type: signature }),
    args.map(({ value }) => value),
    noAttrs,
    { origin, span, type },
  );
  tellRegion(partitioner, region, name, origin);
  return new Map(
    outputs.map((output, i) => [output, outputs.length === 1 ? call : getItem(cx, call, i, origin)]),
  );
}

function tellRegion({ cx, callsOf }: Partitioner, region: Region, name: string, origin: Origin): void {
  const names = (callsOf.get(region) ?? []).map((call) => calledOp(call) ?? "a function");
  cx.remarks.push(
    remark(
      "PartitionGraph",
      "partition.region",
      `${names.join(", ")} ${names.length > 1 ? "go" : "goes"} to ${region.target} as @${name}`,
      { origin, facts: { target: region.target, symbol: name, operators: names.length } },
    ),
  );
}
