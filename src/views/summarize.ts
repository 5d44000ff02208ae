// The facts of one compilation as plain records: what the page shows without asking for a view.
import {
  type Compilation,
  aotPlan,
  cModule,
  graphPlan,
  mainOf,
  metadataOf,
  refusal,
  wasmModule,
  inputName,
  outputName,
} from "../compiler/compilation.ts";
import type {
  CacheItemView,
  CallView,
  DiagnosticView,
  DimView,
  ListingInfo,
  PrimitiveView,
  RemarkView,
  SourceNodeView,
  StepView,
  Summary,
  TensorSpecView,
  TensorTypeView,
} from "../protocol/compile.ts";
import type { ListingId } from "../protocol/listing-id.ts";
import type { CFileRole } from "../compiler/codegen/c/module.ts";
import type { AotPlan, LoweredPrimitive } from "../compiler/executor/plan.ts";
import { byteSize } from "../compiler/ir/dtype.ts";
import { diagnosticNotes } from "../compiler/ir/diagnostic.ts";
import { OpPattern } from "../compiler/ir/op.ts";
import { lineStarts, positionAt } from "../compiler/ir/span.ts";
import { elementCount, tensorBytes } from "../compiler/ir/tensor-data.ts";
import {
  flattenTensorTypes,
  printType,
  staticShape,
  type TensorType,
  type Type,
} from "../compiler/ir/type.ts";
import type { IRModule } from "../compiler/relay/module.ts";
import { calledOp } from "../compiler/relay/expr.ts";
import { postOrder } from "../compiler/relay/visit.ts";
import { stageIds, type StageId } from "../compiler/options.ts";
import { countOperations } from "./count-operations.ts";
import { hasLoops, dynamicCalls, dynamicInputs, shapeFuncView } from "./dynamic-program.ts";
import { sourcesOf, type OriginCache } from "./owners.ts";

const patternNames = new Map(Object.entries(OpPattern).map(([name, value]) => [value as number, name]));

/** Operator calls in a module, nested functions included; memoised by module because snapshots repeat. */
function opCalls(module: IRModule, known: Map<IRModule, number>): number {
  let count = known.get(module);
  if (count === undefined) {
    count = 0;
    for (const func of module.functions.values()) {
      postOrder(func, (expr) => {
        if (calledOp(expr) !== null) count!++;
      });
    }
    known.set(module, count);
  }
  return count;
}

function steps(done: Compilation): StepView[] {
  const known = new Map<IRModule, number>();
  return done.trace.steps.map((step) => ({
    index: step.index,
    stage: step.stage,
    pass: step.pass,
    ms: step.ms,
    changed: step.changed,
    opsBefore: opCalls(step.before, known),
    opsAfter: opCalls(step.after, known),
  }));
}

function tensorSpec(name: string, type: TensorType): TensorSpecView {
  const shape = staticShape(type) ?? [];
  return { name, shape, dtype: type.dtype.name, bytes: elementCount(shape) * byteSize(type.dtype) };
}

/** 1-based first and last line of each primitive in the WAT listing, read off its owners. */
function watLines(done: Compilation): ReadonlyMap<number, readonly [number, number]> {
  const ranges = new Map<number, [number, number]>();
  wasmModule(done)
    ?.wat()
    .owners.forEach((owner, i) => {
      if (owner === null || owner.primitive < 0 || owner.call >= 0) return;
      const range = ranges.get(owner.primitive);
      if (range === undefined) ranges.set(owner.primitive, [i + 1, i + 1]);
      else range[1] = i + 1;
    });
  return ranges;
}

type LineRanges = ReadonlyMap<number, readonly [number, number]>;

function primitiveView(
  done: Compilation,
  primitive: LoweredPrimitive,
  calls: readonly CallView[],
  wat: LineRanges,
  cache: OriginCache,
): PrimitiveView {
  const c = cModule(done);
  const wasm = wasmModule(done)?.functions.find((found) => found.primitive === primitive.index);
  return {
    index: primitive.index,
    name: primitive.name,
    symbol: primitive.symbol,
    ops: primitive.ops.map((op) => ({
      name: op.name,
      pattern: patternNames.get(op.pattern) ?? "opaque",
      sources: sourcesOf(op.origin, cache),
    })),
    callSites: calls.filter((call) => call.primitive === primitive.index).map((call) => call.index),
    workspaceBytes: c?.workspaceBytes.get(primitive.symbol) ?? 0,
    operations: hasLoops(primitive) ? countOperations(primitive.forC) : 0,
    inputs: primitive.inputTypes.map(printType),
    outputs: primitive.outputTypes.map(printType),
    cLines: c?.primitiveLines.get(primitive.symbol) ?? [0, 0],
    cListing: { kind: "c-library", library: c?.externalLibraries.get(primitive.symbol) ?? 1 },
    external: primitive.external?.compiler ?? null,
    device: primitive.device,
    wasmFunction: wasm?.index ?? -1,
    wasmBytes: wasm?.bodyBytes ?? 0,
    watLines: wat.get(primitive.index) ?? [0, 0],
    cacheKey: primitive.cacheKey,
    cacheHits: Math.max(0, primitive.callSites - 1),
    shapeFunc: shapeFuncView(done, primitive.index),
  };
}

function callViews(done: Compilation, plan: AotPlan, cache: OriginCache): CallView[] {
  const graph = graphPlan(done)?.nodes ?? [];
  const nodesOf = (kind: "call" | "branch"): readonly number[] =>
    graph.flatMap((node, i) => (node.kind === kind ? [i] : []));
  const nodes = nodesOf("call");
  const branches = nodesOf("branch");
  let node = 0;
  let branch = 0;
  return plan.calls.map((call, index) => ({
    index,
    primitive: call.primitive,
    symbol: call.symbol,
    args: call.args,
    inputCount:
      call.kind !== "call"
        ? Math.min(1, call.args.length)
        : (done.primitives[call.primitive]?.inputTypes.length ?? call.args.length - 1),
    cLines: cModule(done)?.callLines[index] ?? [0, 0],
    graphNode:
      call.kind === "end" ? (branches[branch++] ?? -1) : call.primitive < 0 ? -1 : (nodes[node++] ?? -1),
    sources: sourcesOf(call.origin, cache),
  }));
}

function sourceViews(done: Compilation, starts: Uint32Array): SourceNodeView[] {
  const types = new Map<number, Type>();
  const typed = done.trace.steps.find((step) => step.pass === "InferType")?.after ?? done.parsed;
  for (const func of typed.functions.values()) {
    postOrder(func, (expr) => {
      if (expr.origin.kind === "source" && expr.type !== null && expr.kind !== "op")
        types.set(expr.origin.id, expr.type);
    });
  }
  return done.sources.nodes.map((node, id) => {
    const type = types.get(id);
    return {
      name: node.name,
      op: node.op,
      local: node.local,
      start: node.span.start,
      end: node.span.end,
      line: positionAt(starts, node.span.start).line,
      endLine: positionAt(starts, Math.max(node.span.start, node.span.end - 1)).line,
      type: type === undefined ? "" : printType(type),
      tensor: type === undefined ? null : tensorTypeView(type),
    };
  });
}

function tensorTypeView(type: Type): TensorTypeView | null {
  if (type.kind !== "tensor-type") return null;
  const dims = type.shape.map((dim): DimView => {
    if (typeof dim === "number") return { extent: dim, symbol: "" };
    return { extent: null, symbol: dim.kind === "dim-var" ? dim.name : "" };
  });
  return { dims, dtype: type.dtype.name };
}

export function diagnosticViews(done: Compilation, starts: Uint32Array): DiagnosticView[] {
  return done.diagnostics.map((found, i) => {
    const span =
      found.span ?? spanOfOrigin(done, found.origin === null ? [] : sourcesOf(found.origin, new Map()));
    const from = span === null ? { line: 0, column: 0 } : positionAt(starts, span.start);
    const to = span === null ? { line: 0, column: 0 } : positionAt(starts, span.end);
    return {
      code: found.code,
      severity: found.severity,
      message: found.message,
      subject: found.subject,
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
      expected: found.expected,
      got: found.got,
      because: found.because,
      hint: found.hint,
      notes: diagnosticNotes(found, starts),
      stage: done.diagnosticStages[i] ?? "parse",
    };
  });
}

function spanOfOrigin(done: Compilation, sources: readonly number[]) {
  const last = sources[sources.length - 1];
  return last === undefined ? null : (done.sources.nodes[last]?.span ?? null);
}

function remarkViews(done: Compilation, cache: OriginCache): RemarkView[] {
  const primitiveOf = new Map<number, number>();
  for (const primitive of done.primitives)
    for (const op of primitive.ops)
      for (const id of sourcesOf(op.origin, cache)) primitiveOf.set(id, primitive.index);
  const stepOf = new Map(
    done.trace.steps.flatMap(({ index, remarks: [from, to] }) =>
      Array.from({ length: to - from }, (_, i) => [from + i, index] as const),
    ),
  );
  return done.remarks.map((found, i) => {
    const sources = sourcesOf(found.origin, cache);
    return {
      pass: found.pass,
      step: stepOf.get(i) ?? -1,
      kind: found.kind,
      text: found.text,
      sources,
      otherSources: sourcesOf(found.other, cache),
      primitive: sources.map((id) => primitiveOf.get(id)).find((index) => index !== undefined) ?? -1,
    };
  });
}

function cacheItems(done: Compilation, primitives: readonly PrimitiveView[]): CacheItemView[] {
  const bySymbol = new Map(primitives.map(({ symbol, index }) => [symbol, index]));
  const byShape = new Map(
    primitives.flatMap(({ shapeFunc, index }) =>
      shapeFunc === null ? [] : [[shapeFunc.name, index] as const],
    ),
  );
  return done.teCompiler
    .listItems()
    .map((item) => ({
      ...item,
      primitive: (item.kind === "shape function" ? byShape : bySymbol).get(item.name) ?? -1,
    }));
}

/** Listing id of a C file: its role, since the name carries the module's. */
export function cListingId(role: CFileRole): ListingId {
  switch (role.kind) {
    case "library":
      return { kind: "c-library", library: role.number };
    case "header":
      return { kind: "c-header" };
    case "runtime":
      return { kind: "c-runtime" };
  }
}

function listings(done: Compilation): ListingInfo[] {
  const relay = done.trace.steps.map((step): ListingInfo => ({
    id: { kind: "relay", step: step.index },
    title: `after ${step.pass}`,
    language: "relay",
  }));
  const tir = done.primitives
    .filter(hasLoops)
    .map((primitive): ListingInfo => ({
      id: { kind: "tir", primitive: primitive.index },
      title: primitive.name,
      language: "tir",
    }));
  const c = [...(cModule(done)?.roles ?? [])].map(([name, role]): ListingInfo => ({
    id: cListingId(role),
    title: name,
    language: "c",
  }));
  const shapes = done.primitives.flatMap(({ index }): ListingInfo[] => {
    const view = shapeFuncView(done, index);
    return view === null
      ? []
      : [{ id: { kind: "shape", primitive: index }, title: view.name, language: "tir" }];
  });
  const rest: ListingInfo[] = [];
  if (aotPlan(done) !== null) rest.push({ id: { kind: "aot" }, title: "AOT main", language: "tir" });
  if (done.reached === "wasm") rest.push({ id: { kind: "wat" }, title: "WAT", language: "wat" });
  if (graphPlan(done) !== null)
    rest.push({ id: { kind: "graph-json" }, title: "Graph JSON", language: "json" });
  if (metadataOf(done) !== null)
    rest.push({ id: { kind: "metadata" }, title: "Model Library Format metadata", language: "json" });
  return [
    { id: { kind: "relay", step: -1 }, title: "as parsed", language: "relay" },
    ...relay,
    ...tir,
    ...shapes,
    ...c,
    ...rest,
  ];
}

function sizes(done: Compilation, calls: readonly CallView[], primitives: readonly PrimitiveView[]) {
  const aot = aotPlan(done);
  const graph = graphPlan(done);
  const useGraph = done.options.executor === "graph" && graph !== null;
  const arena = useGraph
    ? graph.storages.reduce((sum, { bytes }) => sum + bytes, 0)
    : (aot?.allocs ?? []).reduce((sum, [, bytes]) => sum + bytes, 0);
  const workspace = calls.reduce(
    (most, call) => Math.max(most, primitives[call.primitive]?.workspaceBytes ?? 0),
    0,
  );
  const params = aot?.params ?? graph?.params ?? new Map();
  const constantBytes = [...params.values()].reduce((sum, tensor) => sum + tensorBytes(tensor).length, 0);
  return { arenaBytes: arena, workspaceBytes: workspace, worstCallBytes: arena + workspace, constantBytes };
}

export function summarize(done: Compilation, cache: OriginCache): Summary {
  const starts = lineStarts(done.text);
  const aot = aotPlan(done);
  const main = mainOf(done);
  const dynamic = done.reached === "dynamic" ? done.dynamic : null;
  const calls =
    aot !== null ? callViews(done, aot, cache) : dynamic !== null ? dynamicCalls(dynamic, cache) : [];
  const wat = watLines(done);
  const primitives = done.primitives.map((primitive) => primitiveView(done, primitive, calls, wat, cache));
  const inputs = (main?.params ?? []).flatMap((param) => {
    const type = param.annotation ?? param.type;
    return type === null
      ? []
      : flattenTensorTypes(type).map((tensor) => tensorSpec(inputName(done, param.name), tensor));
  });
  const resultType = main?.resultType ?? main?.body.type ?? null;
  const outputs =
    resultType === null
      ? []
      : flattenTensorTypes(resultType).map((type, i) => tensorSpec(outputName(done, i), type));
  const stageMs = Object.fromEntries(
    stageIds.map((stage) => [stage, done.trace.stageMs[stage] ?? 0]),
  ) as Record<StageId, number>;
  return {
    totalMs: done.totalMs,
    steps: steps(done),
    stageMs,
    primitives,
    cache: cacheItems(done, primitives),
    currentKey: done.teCompiler.currentKey(),
    calls,
    sources: sourceViews(done, starts),
    remarks: remarkViews(done, cache),
    inputs,
    outputs,
    dynamic: dynamic !== null,
    dynamicInputs: dynamicInputs(main?.params ?? []),
    ...sizes(done, calls, primitives),
    seededConstants: done.seededConstants,
    listings: listings(done),
    wasmBytes: wasmModule(done)?.bytes.length ?? 0,
    model: done.facts,
    aotError: refusal(done, "aot")?.message ?? null,
    graphError: refusal(done, "graph")?.message ?? null,
  };
}
