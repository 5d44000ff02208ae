// The dataflow graph of a function in consumer direction, nodes in post-DFS order, a pattern on every node
// and edge.
// TVM: src/relay/transforms/fuse_ops.cc (IndexedForwardGraph)
import { at, last } from "../../../../support/assert.ts";
import { OpPattern, type OpTable } from "../../../ir/op.ts";
import { flattenTensorTypes, sameDim, type Dim, type Type } from "../../../ir/type.ts";
import { typeOf, type RelayOp } from "../../op.ts";
import type { Call, Constant, Expr } from "../../expr.ts";
import { children } from "../../visit.ts";

interface ForwardEdge {
  /** Index of the consumer. */
  readonly to: number;
  readonly pattern: OpPattern;
}

export interface ForwardGraph {
  /** In post-DFS order; functions, operators and global variables have no node. */
  readonly nodes: readonly Expr[];
  readonly indexOf: ReadonlyMap<Expr, number>;
  readonly pattern: readonly OpPattern[];
  /**
   * Whether something outside the dataflow refers to the node: parameters, results, what a let or a branch
   * holds.
   */
  readonly externRef: readonly boolean[];
  readonly outputs: readonly (readonly ForwardEdge[])[];
}

/**
 * Dtypes of rank-0 constants that may stay inside a primitive function; the TE compiler inlines exactly
 * these.
 */
const inlineableDtypes: ReadonlySet<string> = new Set(["int32", "int64", "float32", "float64", "bool"]);

export function isInlineableConstant(constant: Constant): boolean {
  return constant.data.shape.length === 0 && inlineableDtypes.has(constant.data.dtype.name);
}

/**
 * Operators whose result shape depends on values (TShapeDataDependent): with a dynamic result they never
 * fuse.
 */
const dataDependentShapes: ReadonlySet<string> = new Set([
  "arange",
  "argwhere",
  "broadcast_to",
  "sparse_fill_empty_rows",
  "dyn.broadcast_to",
  "dyn.expand_dims",
  "dyn.full",
  "dyn.image.resize2d",
  "dyn.nn.pad",
  "dyn.nn.upsampling",
  "dyn.nn.upsampling3d",
  "dyn.one_hot",
  "dyn.ones",
  "dyn.reshape",
  "dyn.sparse_to_dense",
  "dyn.squeeze",
  "dyn.strided_slice",
  "dyn.tile",
  "dyn.topk",
  "dyn.zeros",
]);

interface Slot {
  readonly expr: Expr;
  index: number;
  pattern: OpPattern;
  externRef: boolean;
  readonly consumers: { readonly to: Slot; readonly pattern: OpPattern }[];
}

interface Builder {
  readonly ops: OpTable<RelayOp>;
  readonly slots: Map<Expr, Slot>;
  readonly order: Slot[];
}

function slotOf(builder: Builder, expr: Expr): Slot {
  let slot = builder.slots.get(expr);
  if (slot === undefined) {
    slot = { expr, index: -1, pattern: OpPattern.opaque, externRef: false, consumers: [] };
    builder.slots.set(expr, slot);
  }
  return slot;
}

function refer(builder: Builder, expr: Expr, consumer: Slot, pattern: OpPattern): void {
  slotOf(builder, expr).consumers.push({ to: consumer, pattern });
}

function referExternally(builder: Builder, expr: Expr): void {
  slotOf(builder, expr).externRef = true;
}

function shapeOf(type: Type): readonly Dim[] | null {
  return type.kind === "tensor-type" ? type.shape : null;
}

function sameShape(a: readonly Dim[] | null, b: readonly Dim[] | null): boolean {
  return (
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((dim, i) => sameDim(dim, at(b, i, "dimension")))
  );
}

function isDynamic(type: Type): boolean {
  return flattenTensorTypes(type).some(({ shape }) => shape.some((dim) => typeof dim !== "number"));
}

/** The pattern of a call's operator as fusion sees it; opaque for calls of functions. */
function callPattern(ops: OpTable<RelayOp>, call: Call): OpPattern {
  if (call.callee.kind !== "op") return OpPattern.opaque;
  if (dataDependentShapes.has(call.callee.name) && isDynamic(typeOf(call))) return OpPattern.opaque;
  return ops.get(call.callee.name)?.pattern ?? OpPattern.opaque;
}

function enterCall(builder: Builder, call: Call): void {
  const slot = slotOf(builder, call);
  slot.pattern = callPattern(builder.ops, call);
  if (call.callee.kind !== "op") referExternally(builder, call.callee);
  const shape = shapeOf(typeOf(call));
  for (const arg of call.args) {
    // A broadcast that keeps the shape of this argument is elementwise along this edge.
    const keepsShape = slot.pattern === OpPattern.broadcast && sameShape(shape, shapeOf(typeOf(arg)));
    refer(builder, arg, slot, keepsShape ? OpPattern.elemWise : slot.pattern);
  }
}

/** What visiting `expr` says about its sub-expressions, before they are visited. */
function enter(builder: Builder, expr: Expr): void {
  switch (expr.kind) {
    case "call":
      enterCall(builder, expr);
      return;
    case "constant":
      slotOf(builder, expr).pattern = isInlineableConstant(expr) ? OpPattern.elemWise : OpPattern.opaque;
      return;
    case "tuple": {
      const slot = slotOf(builder, expr);
      slot.pattern = OpPattern.tuple;
      for (const field of expr.fields) {
        if (typeOf(field).kind === "tensor-type") refer(builder, field, slot, OpPattern.injective);
        else referExternally(builder, field);
      }
      return;
    }
    case "tuple-get-item": {
      const slot = slotOf(builder, expr);
      const type = typeOf(expr.tuple);
      // A primitive function takes tensors and flat tuples of tensors only.
      if (type.kind === "tuple-type" && type.fields.every((field) => field.kind === "tensor-type")) {
        slot.pattern = OpPattern.injective;
        refer(builder, expr.tuple, slot, OpPattern.injective);
      } else {
        referExternally(builder, expr.tuple);
      }
      return;
    }
    case "var":
    case "global":
    case "op":
    case "constructor":
    case "function":
    case "let":
    case "if":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      for (const kid of children(expr)) referExternally(builder, kid);
  }
}

function hasNode(expr: Expr): boolean {
  return (
    expr.kind !== "function" && expr.kind !== "op" && expr.kind !== "global" && expr.kind !== "constructor"
  );
}

/**
 * Builds the graph of everything under `body`, nested functions included; external functions are not entered.
 * Iterative.
 */
export function forwardGraph(body: Expr, ops: OpTable<RelayOp>): ForwardGraph {
  const builder: Builder = { ops, slots: new Map(), order: [] };
  referExternally(builder, body);
  const seen = new Set<Expr>([body]);
  const stack: { readonly expr: Expr; readonly kids: readonly Expr[]; next: number }[] = [];
  const push = (expr: Expr): void => {
    const external = expr.kind === "function" && expr.attrs["Compiler"] !== undefined;
    if (!external) enter(builder, expr);
    stack.push({ expr, kids: external ? [] : children(expr), next: 0 });
  };
  push(body);
  while (stack.length > 0) {
    const top = last(stack, "frame");
    if (top.next < top.kids.length) {
      const kid = at(top.kids, top.next++, "child");
      if (seen.has(kid)) continue;
      seen.add(kid);
      push(kid);
    } else {
      stack.pop();
      if (!hasNode(top.expr)) continue;
      const slot = slotOf(builder, top.expr);
      slot.index = builder.order.length;
      builder.order.push(slot);
    }
  }
  return finish(builder.order);
}

function finish(order: readonly Slot[]): ForwardGraph {
  return {
    nodes: order.map((slot) => slot.expr),
    indexOf: new Map(order.map((slot) => [slot.expr, slot.index])),
    pattern: order.map((slot) => slot.pattern),
    externRef: order.map((slot) => slot.externRef),
    outputs: order.map((slot) =>
      slot.consumers.map((edge) => ({ to: edge.to.index, pattern: edge.pattern })),
    ),
  };
}
