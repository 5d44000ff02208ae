// FuseOps: partitions each function into primitive functions, one per kernel, and says why two operators did
// not fuse.
// TVM: src/relay/transforms/fuse_ops.cc (FuseMutator)
import {
  functionOf,
  makeCall,
  makeFunction,
  makeTuple,
  makeTupleGetItem,
  makeVar,
  type Call,
  type Expr,
  type Func,
  type Tuple,
  type TupleGetItem,
  type Var,
} from "../../expr.ts";
import { get, first, at } from "../../../../support/assert.ts";
import { fail } from "../../../ir/diagnostic.ts";
import { mergeOrigins, type Origin } from "../../../ir/origin.ts";
import { noAttrs, type Attrs } from "../../../ir/attrs.ts";
import { funcType, type Type } from "../../../ir/type.ts";
import { typeOf, type RelayContext } from "../../op.ts";
import { children, postOrder, rewrite, withChildren } from "../../visit.ts";
import { functionPass } from "../function-pass.ts";
import { fusionRemarks } from "./fusion-remarks.ts";
import { partitionIntoGroups } from "./graph-partitioner.ts";
import { forwardGraph } from "./indexed-forward-graph.ts";

/** TVM's limit on the nodes of a group, inlined constants included (kMaxFusedOps). */
const defaultMaxDepth = 256;

export const fuseOps = functionPass({
  name: "FuseOps",
  optLevel: 0,
  requires: ["InferType"],
  run: fuseFunction,
});

/** What a group's primitive function gets from outside, in the order in which its calls ask for it. */
interface Group {
  readonly params: Var[];
  readonly args: Expr[];
  readonly paramOf: Map<Expr, Var>;
  /** Of the calls inside. */
  readonly origins: Origin[];
  calls: number;
  reshapeOnly: boolean;
}

interface Fusion {
  readonly cx: RelayContext;
  readonly groups: Map<number, Group>;
  /** Root of the node's group, -1 for what has no node in the graph. */
  readonly rootOf: (expr: Expr) => number;
  readonly isRoot: (expr: Expr) => boolean;
  readonly done: Map<Expr, Expr>;
}

function fuseFunction(func: Func, cx: RelayContext): Func {
  if (isSealed(func)) return func;
  const graph = forwardGraph(func, cx.ops);
  requirePatterns(graph.nodes, cx);
  const partition = partitionIntoGroups(graph, cx.options.optLevel, maxDepthOf(cx));
  cx.remarks.push(...fusionRemarks(graph, partition, cx.ops));
  const rootOf = (expr: Expr): number => {
    const node = graph.indexOf.get(expr);
    return node === undefined ? -1 : partition.rootOf(node);
  };
  const fusion: Fusion = {
    cx,
    groups: new Map(),
    rootOf,
    isRoot: (expr) => rootOf(expr) === graph.indexOf.get(expr),
    done: new Map(),
  };
  postOrder(
    func,
    (expr) => fusion.done.set(expr, isSealed(expr) ? expr : fuseNode(fusion, expr)),
    (expr) => !isSealed(expr),
  );
  return functionOf(fusion.done.get(func));
}

/**
 * Operators that other passes replace have no fusion pattern; one that is left means that such a pass did not
 * run.
 */
function requirePatterns(nodes: readonly Expr[], cx: RelayContext): void {
  for (const node of nodes) {
    const op = node.kind === "call" && node.callee.kind === "op" ? cx.ops.get(node.callee.name) : undefined;
    if (op?.noPattern !== true) continue;
    fail("RS3021", `${op.name} reached FuseOps, and has no fusion pattern`, {
      span: node.span,
      origin: node.origin,
      expected: "a core operator in its place, as Legalize makes it",
      got: op.name,
      because:
        cx.options.optLevel < 1
          ? "Legalize runs from opt_level 1 on"
          : "Legalize did not run, or could not replace it",
      hint:
        cx.options.optLevel < 1
          ? "use opt_level 1 or more, or add Legalize to the required passes"
          : "take Legalize out of the disabled passes",
    });
  }
}

/** Primitive and external functions are kernels already. */
function isSealed(expr: Expr): boolean {
  if (expr.kind !== "function") return false;
  const primitive = expr.attrs["Primitive"];
  return (primitive !== undefined && primitive !== 0) || expr.attrs["Compiler"] !== undefined;
}

/**
 * PassContext's relay.FuseOps.max_depth; a negative number means no limit, as TVM's conversion to size_t
 * does.
 */
function maxDepthOf(cx: RelayContext): number {
  const text = cx.options.config["relay.FuseOps.max_depth"];
  if (text === undefined) return defaultMaxDepth;
  if (!/^[+-]?\d+$/.test(text.trim())) {
    fail("RS3001", "relay.FuseOps.max_depth is not an integer", {
      expected: "an integer such as 256",
      got: text,
    });
  }
  const depth = Number(text);
  return depth < 0 ? Infinity : depth;
}

function fuseNode(fusion: Fusion, expr: Expr): Expr {
  if (expr.kind === "call") return fuseCall(fusion, expr);
  if (expr.kind === "tuple") return fuseTuple(fusion, expr);
  if (expr.kind === "tuple-get-item") return fuseProjection(fusion, expr);
  return rebuilt(fusion, expr);
}

function rebuilt(fusion: Fusion, expr: Expr): Expr {
  return withChildren(
    fusion.cx.ids,
    expr,
    children(expr).map((kid) => get(fusion.done, kid, "fused operand")),
  );
}

function fuseCall(fusion: Fusion, call: Call): Expr {
  if (call.callee.kind !== "op") return rebuilt(fusion, call);
  if (call.callee.name === "annotation.stop_fusion")
    return get(fusion.done, first(call.args, "argument"), "fused argument");
  const op = fusion.cx.ops.get(call.callee.name);
  if (op?.nonComputational === true) return rebuilt(fusion, call);
  const group = groupOf(fusion, call);
  const args = argumentsIn(fusion, group, call, call.args);
  const inner = makeCall(fusion.cx.ids, call.callee, args, call.attrs, call);
  group.calls++;
  group.origins.push(call.origin);
  group.reshapeOnly &&= op?.reshapeOnly === true;
  return fusion.isRoot(call) ? primitiveCall(fusion, group, inner, call) : inner;
}

function fuseTuple(fusion: Fusion, tuple: Tuple): Expr {
  if (fusion.isRoot(tuple)) return rebuilt(fusion, tuple);
  const fields = argumentsIn(fusion, groupOf(fusion, tuple), tuple, tuple.fields);
  return makeTuple(fusion.cx.ids, fields, tuple);
}

function fuseProjection(fusion: Fusion, item: TupleGetItem): Expr {
  const root = fusion.isRoot(item);
  // The tuple comes from an opaque operator or from outside: the projection stays between the kernels.
  if (root && fusion.rootOf(item.tuple) !== fusion.rootOf(item)) return rebuilt(fusion, item);
  const group = groupOf(fusion, item);
  const tuple = first(argumentsIn(fusion, group, item, [item.tuple]), "argument");
  const inner = makeTupleGetItem(fusion.cx.ids, tuple, item.index, item);
  if (!root) return inner;
  return group.calls === 0
    ? withoutFunction(fusion, group, inner)
    : primitiveCall(fusion, group, inner, item);
}

/**
 * Nothing to compute in the group: TVM wraps it in a function marked Primitive=0, which its own code
 * generators refuse.
 */
function withoutFunction(fusion: Fusion, group: Group, body: Expr): Expr {
  const argOf = new Map<Expr, Expr>(group.params.map((param, i) => [param, at(group.args, i, "argument")]));
  return rewrite(fusion.cx.ids, body, (expr) => argOf.get(expr) ?? expr);
}

function groupOf(fusion: Fusion, expr: Expr): Group {
  const root = fusion.rootOf(expr);
  let group = fusion.groups.get(root);
  if (group === undefined) {
    group = { params: [], args: [], paramOf: new Map(), origins: [], calls: 0, reshapeOnly: true };
    fusion.groups.set(root, group);
  }
  return group;
}

/** The operands of `user` as seen inside its group: members stay, the rest become parameters p0, p1, … */
function argumentsIn(fusion: Fusion, group: Group, user: Expr, args: readonly Expr[]): Expr[] {
  const root = fusion.rootOf(user);
  return args.map((arg) => {
    const value = get(fusion.done, arg, "fused argument");
    return fusion.rootOf(arg) === root ? value : parameterFor(fusion, group, value, arg);
  });
}

function parameterFor(fusion: Fusion, group: Group, value: Expr, arg: Expr): Var {
  let param = group.paramOf.get(value);
  if (param === undefined) {
    const type = typeOf(arg);
    param = makeVar(fusion.cx.ids, `p${group.params.length}`, type, {
      origin: arg.origin,
      span: arg.span,
      type,
    });
    group.params.push(param);
    group.args.push(value);
    group.paramOf.set(value, param);
    group.reshapeOnly &&= type.kind === "tensor-type";
  }
  return param;
}

function primitiveCall(fusion: Fusion, group: Group, body: Expr, root: Expr): Call {
  const { ids } = fusion.cx;
  const result: Type = typeOf(root);
  const attrs: Attrs = group.reshapeOnly ? { Primitive: 1, "relay.reshape_only": 1 } : { Primitive: 1 };
  const origin = mergeOrigins(group.origins);
  const type = funcType(
    group.params.map((param) => typeOf(param)),
    result,
  );
  const func = makeFunction(ids, group.params, body, {
    origin,
    span: root.span,
    type,
    resultType: result,
    attrs,
  });
  return makeCall(ids, func, group.args, noAttrs, { origin, span: root.span, type: result });
}
