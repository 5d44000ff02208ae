// ScheduleOps: loop nests of all stages, each inside its attach point, reading and writing buffers instead of
// tensors. The buffer of a stage holds the region that is computed at once, rebased to start at 0.
// TVM: src/te/schedule/schedule_ops.cc, src/te/operation/{compute,extern}_op.cc,
// src/tir/transforms/storage_flatten.cc (the rebasing)
import { get, invariant, tuple } from "../../support/assert.ts";
import { pushTo } from "../../support/push-to.ts";
import type { Analyzer } from "../arith/analyzer.ts";
import { isFloat } from "../ir/dtype.ts";
import {
  all,
  allocateAll,
  buffer as makeBuffer,
  ge,
  ifStmt,
  imm,
  intImm,
  letStmt,
  load,
  lt,
  not,
  seq,
  store,
  sub,
  tirVar,
  callsOutside,
} from "../tir/build.ts";
import type { Buffer, IterVar, PrimExpr, Reduce, TirVar } from "../tir/expr.ts";
import type { Allocation, Stmt } from "../tir/stmt.ts";
import { children, mapChildren, mapStmt, replaceBuffers, substitute } from "../tir/visit.ts";
import {
  axisValues,
  computeNest,
  conditionsWithin,
  guard,
  placeConditions,
  wrapLoops,
  type ComputeNest,
  type LoopNest,
} from "./loop-nest.ts";
import type { Range } from "./message-passing.ts";
import type { Realized, StageState } from "./stage.ts";
import { type ComputeOp, type ExternOp, type Tensor, teTensor } from "./tensor.ts";

interface Context {
  readonly analyzer: Analyzer;
  readonly ranges: ReadonlyMap<IterVar, Range>;
  readonly memory: ReadonlyMap<Tensor, Realized>;
  /** Stages computed inside a loop, producers first. */
  readonly attached: ReadonlyMap<IterVar, readonly StageState[]>;
}

/** `params`: buffers of placeholders and outputs. The body that computes every stage. */
export function scheduleOps(
  stages: readonly StageState[],
  ranges: ReadonlyMap<IterVar, Range>,
  params: ReadonlyMap<Tensor, Buffer>,
  analyzer: Analyzer,
): Stmt {
  const memory = new Map<Tensor, Realized>();
  const attached = new Map<IterVar, StageState[]>();
  const roots: StageState[] = [];
  for (const stage of stages) {
    for (const tensor of stage.op.outputs)
      memory.set(tensor, realize(stage, tensor, ranges, params.get(tensor)));
    if (stage.op.kind === "placeholder") continue;
    if (stage.attach.kind === "scope") pushTo(attached, stage.attach.iter, stage);
    else roots.push(stage);
  }
  const cx: Context = { analyzer, ranges, memory, attached };
  const body = withProducers(cx, roots, null, params);
  invariant(body !== null, "a schedule computes something");
  return body;
}

function realize(
  stage: StageState,
  tensor: Tensor,
  ranges: ReadonlyMap<IterVar, Range>,
  param: Buffer | undefined,
): Realized {
  const { op } = stage;
  if (param !== undefined || op.kind !== "compute") {
    const buffer = param ?? makeBuffer(tensor.name, tensor.dtype, tensor.shape, stage.scope ?? "global");
    return { buffer, mins: tensor.shape.map((dim) => imm(0, dim.dtype)) };
  }
  const region = op.axis.map((iter) => ranges.get(iter)!);
  return {
    buffer: makeBuffer(
      tensor.name,
      tensor.dtype,
      region.map((range) => range.extent),
      stage.scope ?? "global",
    ),
    mins: region.map((range) => range.min),
  };
}

/** Producers in order, then `body`; what they compute is allocated around all of them. */
function withProducers(
  cx: Context,
  producers: readonly StageState[],
  body: Stmt | null,
  params?: ReadonlyMap<Tensor, Buffer>,
): Stmt | null {
  const [outermost] = producers;
  if (outermost === undefined) return body;
  const { origin } = outermost.op;
  const allocations: Allocation[] = [];
  const parts: Stmt[] = [];
  for (const { op } of producers)
    for (const tensor of op.outputs)
      if (params?.has(tensor) !== true)
        allocations.push({ buffer: get(cx.memory, tensor, "memory").buffer, origin: op.origin });
  for (const stage of producers)
    parts.push(
      stage.op.kind === "extern" ? externBody(cx, stage.op) : computeBody(cx, stage, stage.op as ComputeOp),
    );
  if (body !== null) parts.push(body);
  return allocateAll(allocations, seq(parts, origin), origin);
}

function externBody(cx: Context, op: ExternOp): Stmt {
  const buffers = new Map<Buffer, Buffer>();
  op.inputs.forEach((tensor, i) => buffers.set(op.inputBuffers[i]!, cx.memory.get(tensor)!.buffer));
  op.outputs.forEach((tensor, i) => buffers.set(op.outputBuffers[i]!, cx.memory.get(tensor)!.buffer));
  const replaced = replaceBuffers(op.body, buffers);
  // The body was written without an origin of its own: it is the operation's.
  return mapStmt(replaced, (stmt) =>
    stmt.origin.kind === "synthetic" ? { ...stmt, origin: op.origin } : stmt,
  );
}

function computeBody(cx: Context, stage: StageState, op: ComputeOp): Stmt {
  const nest = computeNest(stage, cx.ranges, cx.analyzer, (main, conditions) =>
    mayStickOut(cx, stage, op, main, conditions),
  );
  const attach = (iter: IterVar, body: Stmt): Stmt => withProducers(cx, cx.attached.get(iter) ?? [], body)!;
  if (nest.reduction === null) {
    const placed = placeConditions(nest.conditions, nest.main.loops);
    const leaf = seq(
      op.body.map((body, i) => storeElement(cx, stage, nest, op.outputs[i]!, body)),
      op.origin,
    );
    return guard(stage, placed.before, wrapLoops(stage, nest.main.loops, placed.inside, leaf, attach));
  }
  return reductionBody(cx, stage, op, nest, attach);
}

/**
 * A region in scratch memory may hold elements that are none of the tensor, if computing them reads nothing
 * out of bounds: then a tile at the edge needs no condition. What is read there may be garbage, so it must
 * not decide where to read, nor trap.
 */
function mayStickOut(
  cx: Context,
  stage: StageState,
  op: ComputeOp,
  main: LoopNest,
  conditions: readonly PrimExpr[],
): boolean {
  if (stage.attach.kind !== "scope") return false;
  const values = axisValues(stage, main);
  const parts = op.body.flatMap((body) =>
    body.kind === "reduce" ? [...body.sources, body.condition] : [body],
  );
  return cx.analyzer.within(all(conditions), () =>
    parts.every((part) => readsInBounds(cx, readBuffers(cx, substitute(part, values)))),
  );
}

function readsInBounds(cx: Context, expr: PrimExpr): boolean {
  const { analyzer } = cx;
  if (expr.kind === "tir-call" && expr.op === "tir.if_then_else") {
    const [condition, then, otherwise] = tuple(expr.args, 3, "operands of if_then_else");
    return (
      readsInBounds(cx, condition) &&
      analyzer.within(condition, () => readsInBounds(cx, then)) &&
      analyzer.within(not(condition), () => readsInBounds(cx, otherwise))
    );
  }
  if (expr.kind === "tir-call" && callsOutside(expr)) return false;
  if (
    expr.kind === "binary" &&
    !isFloat(expr.dtype) &&
    expr.b.kind !== "int" &&
    ["div", "mod", "floordiv", "floormod"].includes(expr.op)
  )
    return false;
  if (expr.kind === "load") {
    const inside = expr.indices.every(
      (index, dim) =>
        analyzer.canProve(ge(index, intImm(0, index.dtype))) &&
        analyzer.canProve(lt(index, expr.buffer.shape[dim]!)),
    );
    if (!inside) return false;
  }
  return children(expr).every((child) => readsInBounds(cx, child));
}

function reductionBody(
  cx: Context,
  stage: StageState,
  op: ComputeOp,
  nest: ComputeNest,
  attach: (iter: IterVar, body: Stmt) => Stmt,
): Stmt {
  const { common, init, initConditions } = nest.reduction!;
  const outer = nest.main.loops.slice(0, common);
  const inner = nest.main.loops.slice(common);
  const shared = conditionsWithin(nest.conditions, outer, nest.main.loops);
  const own = nest.conditions.filter((condition) => !shared.includes(condition));
  const initPlaced = placeConditions(initConditions, init.loops);
  const initNest = guard(
    stage,
    initPlaced.before,
    wrapLoops(stage, init.loops, initPlaced.inside, initStores(cx, stage, op, nest)),
  );
  const placed = placeConditions(own, inner);
  const update = guard(
    stage,
    placed.before,
    wrapLoops(stage, inner, placed.inside, updateStores(cx, stage, op, nest), attach),
  );
  const outerPlaced = placeConditions(shared, outer);
  return guard(
    stage,
    outerPlaced.before,
    wrapLoops(stage, outer, outerPlaced.inside, seq([initNest, update], op.origin), attach),
  );
}

/** The expression over buffers, simplified under the conditions of the nest. */
function finish(
  cx: Context,
  expr: PrimExpr,
  values: ReadonlyMap<TirVar, PrimExpr>,
  conditions: readonly PrimExpr[],
): PrimExpr {
  const loaded = readBuffers(cx, substitute(expr, values));
  return cx.analyzer.within(all(conditions), () => cx.analyzer.simplify(loaded));
}

function readBuffers(cx: Context, expr: PrimExpr): PrimExpr {
  const mapped = mapChildren(expr, (child) => readBuffers(cx, child));
  if (mapped.kind !== "producer-load") return mapped;
  const from = cx.memory.get(teTensor(mapped.producer));
  invariant(from !== undefined, `${mapped.producer.name} is read but is no stage of the schedule`);
  return load(
    from.buffer,
    mapped.indices.map((index, dim) => sub(index, from.mins[dim]!)),
  );
}

function indicesOf(
  cx: Context,
  tensor: Tensor,
  op: ComputeOp,
  values: ReadonlyMap<TirVar, PrimExpr>,
  conditions: readonly PrimExpr[],
): readonly PrimExpr[] {
  const { mins } = cx.memory.get(tensor)!;
  return op.axis.map((iter, dim) => finish(cx, sub(iter.variable, mins[dim]!), values, conditions));
}

function storeElement(
  cx: Context,
  stage: StageState,
  nest: ComputeNest,
  tensor: Tensor,
  body: PrimExpr,
): Stmt {
  const op = stage.op as ComputeOp;
  const values = axisValues(stage, nest.main);
  const value = finish(cx, body, values, nest.conditions);
  return store(
    cx.memory.get(tensor)!.buffer,
    indicesOf(cx, tensor, op, values, nest.conditions),
    value,
    op.origin,
  );
}

function initStores(cx: Context, stage: StageState, op: ComputeOp, nest: ComputeNest): Stmt {
  const values = axisValues(stage, nest.reduction!.init);
  const reduce = op.body[0] as Reduce;
  return seq(
    op.outputs.map((tensor, i) => {
      const indices = indicesOf(cx, tensor, op, values, nest.reduction!.initConditions);
      return store(cx.memory.get(tensor)!.buffer, indices, reduce.combiner.identity[i]!, op.origin);
    }),
    op.origin,
  );
}

function updateStores(cx: Context, stage: StageState, op: ComputeOp, nest: ComputeNest): Stmt {
  const values = axisValues(stage, nest.main);
  const { combiner, sources, condition } = op.body[0] as Reduce;
  const elements = op.outputs.map((tensor) => ({
    buffer: cx.memory.get(tensor)!.buffer,
    indices: indicesOf(cx, tensor, op, values, nest.conditions),
  }));
  const operands = new Map<TirVar, PrimExpr>();
  combiner.lhs.forEach((variable, i) =>
    operands.set(variable, load(elements[i]!.buffer, elements[i]!.indices)),
  );
  combiner.rhs.forEach((variable, i) =>
    operands.set(variable, finish(cx, sources[i]!, values, nest.conditions)),
  );
  const results = combiner.result.map((result) => cx.analyzer.simplify(substitute(result, operands)));
  const update =
    elements.length === 1
      ? store(elements[0]!.buffer, elements[0]!.indices, results[0]!, op.origin)
      : storeTogether(elements, results, op);
  const test = finish(cx, condition, values, nest.conditions);
  return test.kind === "int" && test.value !== 0 ? update : ifStmt(test, update, null, op.origin);
}

/** All results are computed before any is stored: the combiner of one may read the others. */
function storeTogether(
  elements: readonly { readonly buffer: Buffer; readonly indices: readonly PrimExpr[] }[],
  results: readonly PrimExpr[],
  op: ComputeOp,
): Stmt {
  const temporaries = results.map((result, i) => tirVar(`${elements[i]!.buffer.name}.next`, result.dtype));
  const stores = seq(
    elements.map(({ buffer, indices }, i) => store(buffer, indices, temporaries[i]!, op.origin)),
    op.origin,
  );
  return temporaries.reduceRight<Stmt>(
    (body, variable, i) => letStmt(variable, results[i]!, body, op.origin),
    stores,
  );
}
