// The one entry point: source text in, everything that the page and the command line show out.
import type { Options, StageId } from "./options.ts";
import { emitC, type CModule } from "./codegen/c/module.ts";
import { emitWasm, type WasmModule } from "./codegen/wasm/module.ts";
import { planAot } from "./executor/aot-main.ts";
import { asOutcome, primitiveCalls } from "./executor/main-flow.ts";
import { plainMain } from "./relay/unfold/plain-main.ts";
import { isDynamic, planDynamic, type DynamicPlan } from "./executor/dynamic-plan.ts";
import { planGraph, type GraphPlan } from "./executor/graph-plan.ts";
import { buildGraphMetadata, buildMetadata, type MemoryMetadata } from "./executor/metadata.ts";
import type { AotPlan, LoweredPrimitive, Outcome } from "./executor/plan.ts";
import { diagnostic, type Diagnostic } from "./ir/diagnostic.ts";
import { idSource } from "./ir/ids.ts";
import type { Remark } from "./ir/remark.ts";
import { expandOrigin } from "./ir/origin.ts";
import type { Span } from "./ir/span.ts";
import type { TensorData } from "./ir/tensor-data.ts";
import { createTeCompiler, type TeCompiler } from "./lower/te-compiler.ts";
import { ops } from "./ops/index.ts";
import type { ModelFacts } from "./frontend/model-file.ts";
import { readSource, type CompileInput, type ReadSource } from "./frontend/read-source.ts";
import { checkOptions } from "./options-check.ts";
import { relaySteps } from "./pipeline.ts";
import type { SourceTable } from "./relay/text/parse.ts";
import type { Func } from "./relay/expr.ts";
import { emptyModule, type IRModule } from "./relay/module.ts";
import type { RelayContext } from "./relay/op.ts";
import { hasError, runPass, startTrace, timed, type Clock, type Trace } from "./trace.ts";

export interface CompileHost extends Clock {
  /** Runs one lowered primitive on constants: the JIT behind FoldConstant. */
  readonly execute: (primitive: LoweredPrimitive, args: readonly TensorData[]) => readonly TensorData[];
}

/** Everything one compilation made. Later fields are null where an earlier stage stopped it. */
export interface Compilation {
  readonly source: CompileInput;
  /** The Relay text that spans refer to: the user's, or the one printed from an imported model. */
  readonly text: string;
  /** What an imported file looks like, null for Relay text. */
  readonly facts: ModelFacts | null;
  readonly options: Options;
  readonly diagnostics: readonly Diagnostic[];
  /** Stage of each diagnostic, same index. */
  readonly diagnosticStages: readonly StageId[];
  readonly remarks: readonly Remark[];
  readonly sources: SourceTable;
  readonly seededConstants: number;
  readonly trace: Trace;
  /** As parsed and bound, before InferType. */
  readonly parsed: IRModule;
  /** After LabelOps, or as far as it came. */
  readonly module: IRModule;
  /** Main as the executors run it (executor/plain-main.ts), null where they were not reached. */
  readonly main: Func | null;
  readonly primitives: readonly LoweredPrimitive[];
  readonly teCompiler: TeCompiler | null;
  readonly aot: Outcome<AotPlan> | null;
  readonly graph: Outcome<GraphPlan> | null;
  /** How a program runs whose shapes are known only then; null where they are known when compiling. */
  readonly dynamic: Outcome<DynamicPlan> | null;
  readonly metadata: MemoryMetadata | null;
  readonly c: CModule | null;
  readonly wasm: WasmModule | null;
  readonly stoppedAt: StageId | null;
  readonly totalMs: number;
}

/** Mutable state of one compilation, private to this file. */
interface Work {
  readonly source: CompileInput;
  readonly options: Options;
  readonly host: CompileHost;
  readonly cx: RelayContext;
  readonly trace: Trace;
  readonly stages: StageId[];
  readonly start: number;
  /** Parameters of main bound before compiling, beyond options.bindFill. */
  readonly binds: ReadonlyMap<string, TensorData>;
}

/**
 * Compiles Relay text or a model file. Never throws for a mistake in it: see `diagnostics` and `stoppedAt`. Throws InvariantError for
 * a bug of ours and Cancelled where host.pause does.
 */
export async function compile(
  source: CompileInput,
  options: Options,
  host: CompileHost,
  binds: ReadonlyMap<string, TensorData> = new Map(),
): Promise<Compilation> {
  const ids = idSource();
  const diagnostics: Diagnostic[] = [];
  const remarks: Remark[] = [];
  const trace = startTrace();
  const jit = createTeCompiler({ ids, ops, options, diagnostics: [], remarks: [], modName: "jit" });
  const cx: RelayContext = {
    ids,
    ops,
    options,
    diagnostics,
    remarks,
    evaluate: (func, args) => evaluate(jit, host, func, args),
  };
  return run({ source, options, host, cx, trace, stages: [], start: host.now(), binds });
}

function evaluate(
  jit: TeCompiler,
  host: CompileHost,
  func: Func,
  args: readonly TensorData[],
): readonly TensorData[] {
  return host.execute(jit.jit(func), args);
}

async function run(work: Work): Promise<Compilation> {
  const { cx, host, trace, source } = work;
  cx.diagnostics.push(...checkOptions(work.options));
  const read = timed(trace, "parse", host, cx.diagnostics, () => readSource(source, work.binds, cx));
  mark(work, "parse");
  const { module, ...rest } = read ?? nothingRead;
  const frontEnd = { ...rest, parsed: module };
  if (read === null || hasError(cx.diagnostics)) return finish(work, frontEnd, module, "parse");
  return runRelay(work, frontEnd, module);
}

const nothingRead: ReadSource = {
  module: emptyModule,
  sources: { nodes: [] },
  seededConstants: 0,
  text: "",
  facts: null,
};

type FrontEnd = Omit<ReadSource, "module"> & { readonly parsed: IRModule };

async function runRelay(work: Work, frontEnd: FrontEnd, first: IRModule): Promise<Compilation> {
  const { cx, host, trace } = work;
  let module = first;
  for (const { stage, pass } of relaySteps(work.options)) {
    await host.pause(stage, pass.name);
    const after = runPass(trace, stage, pass, module, cx, host);
    mark(work, stage);
    if (after === null) return finish(work, frontEnd, module, stage);
    module = after;
  }
  return lowerAll(work, frontEnd, module);
}

async function lowerAll(work: Work, frontEnd: FrontEnd, module: IRModule): Promise<Compilation> {
  const { cx, host, trace, options } = work;
  const main = module.functions.get("main");
  if (main === undefined) {
    cx.diagnostics.push(
      diagnostic("RS5001", "there is no function @main to compile", {
        span: firstHeader(module),
        expected: "def @main(…)",
        got: [...module.functions.keys()].map((name) => `@${name}`).join(", ") || "no function",
        because: "executors start at @main",
        hint: "call the function that shall run @main",
      }),
    );
    mark(work, "lower");
    return finish(work, frontEnd, module, "lower");
  }
  const plain = outcome(work, "aot", () => asOutcome(() => plainMain(module, main, cx)));
  const teCompiler = createTeCompiler({
    ids: cx.ids,
    ops,
    options,
    diagnostics: cx.diagnostics,
    remarks: cx.remarks,
    modName: options.modName,
  });
  for (const { func, call, device } of primitiveCalls(
    plain.ok ? plain.value : main,
    options.targets[0]?.device,
  )) {
    await host.pause("lower", "LowerTE");
    const lowered = timed(trace, "lower", host, cx.diagnostics, () => teCompiler.lower(func, call, device));
    mark(work, "lower");
    if (lowered === null || hasError(cx.diagnostics))
      return finish(work, frontEnd, module, "lower", { teCompiler });
  }
  return planAndEmit(work, frontEnd, module, plain, teCompiler);
}

async function planAndEmit(
  work: Work,
  frontEnd: FrontEnd,
  module: IRModule,
  main: Outcome<Func>,
  teCompiler: TeCompiler,
): Promise<Compilation> {
  const { cx, host, trace, options } = work;
  const primitives = teCompiler.items();
  await host.pause("aot", "AOTExecutorCodegen");
  const aot = outcome(work, "aot", () => (main.ok ? planAot(main.value, teCompiler, options) : main));
  await host.pause("storage", "GraphPlanMemory");
  const graph = outcome(work, "storage", () => (main.ok ? planGraph(main.value, teCompiler) : main));
  const made = { teCompiler, primitives, aot, graph, main: main.ok ? main.value : null };
  if (!aot.ok && !graph.ok && main.ok && isDynamic(main.value))
    return planOpen(work, frontEnd, module, main.value, made);
  if (!aot.ok && !graph.ok) {
    cx.diagnostics.push(options.executor === "aot" ? aot.diagnostic : graph.diagnostic);
    mark(work, "aot");
    return finish(work, frontEnd, module, "aot", made);
  }
  for (const refused of [aot, graph])
    if (!refused.ok) cx.diagnostics.push({ ...refused.diagnostic, severity: "warning" });
  mark(work, "storage");
  for (const primitive of primitives) {
    for (const target of ["forC", "forWasm"] as const) {
      await host.pause("tir", primitive.name);
      if (timed(trace, "tir", host, cx.diagnostics, () => primitive[target]) === null) {
        mark(work, "tir");
        return finish(work, frontEnd, module, "tir", made);
      }
    }
  }
  await host.pause("c", "codegen");
  const aotPlan = aot.ok ? aot.value : null;
  const metadata = timed(trace, "c", host, cx.diagnostics, () =>
    metadataOf(aotPlan, graph.ok ? graph.value : null, primitives, options),
  );
  const c = timed(trace, "c", host, cx.diagnostics, () => emitC({ primitives, aot: aotPlan, options }));
  mark(work, "c");
  await host.pause("wasm", "codegen");
  const wasm = timed(trace, "wasm", host, cx.diagnostics, () =>
    emitWasm(primitives, aotPlan, graph.ok ? graph.value : null, {}),
  );
  mark(work, "wasm");
  return finish(work, frontEnd, module, c === null ? "c" : wasm === null ? "wasm" : null, {
    ...made,
    metadata,
    c,
    wasm,
  });
}

/**
 * Shapes are known only when the program runs: no memory plan and no code for the whole, but primitives with shape functions, and a plan
 * that evaluates them call by call. The refusals of the other two executors are told, and stop nothing.
 */
function planOpen(work: Work, frontEnd: FrontEnd, module: IRModule, main: Func, made: Made): Compilation {
  const { cx } = work;
  const dynamic = outcome(work, "lower", () => planDynamic(main, made.teCompiler!));
  const refused = [made.aot!, made.graph!].flatMap((one) => (one.ok ? [] : [one.diagnostic]));
  const told = refused.filter(
    (found, i) => refused.findIndex((other) => other.code === found.code && other.span === found.span) === i,
  );
  cx.diagnostics.push(...told.map((found): Diagnostic => ({ ...found, severity: "warning" })));
  mark(work, "storage");
  if (!dynamic.ok) cx.diagnostics.push(dynamic.diagnostic);
  mark(work, "lower");
  return finish(work, frontEnd, module, dynamic.ok ? null : "lower", { ...made, dynamic });
}

/** Metadata of the executor that was chosen, of the other one where that refused. */
function metadataOf(
  aot: AotPlan | null,
  graph: GraphPlan | null,
  primitives: readonly LoweredPrimitive[],
  options: Options,
): MemoryMetadata | null {
  if (graph !== null && (options.executor === "graph" || aot === null))
    return buildGraphMetadata(graph, primitives, options);
  return aot === null ? null : buildMetadata(aot, primitives, options);
}

function outcome<T>(work: Work, stage: StageId, plan: () => Outcome<T>): Outcome<T> {
  const found: Diagnostic[] = [];
  const value = timed(work.trace, stage, work.host, found, plan);
  return value ?? { ok: false, diagnostic: found[0]! };
}

/** Where the first function's name stands in its text. */
function firstHeader(module: IRModule): Span | null {
  const [name, func] = module.functions.entries().next().value ?? ["", null];
  return func?.span == null ? null : { start: func.span.start, end: func.span.start + `def @${name}`.length };
}

/** Late stages know only where something came from: the first source node behind it is the place. */
function placed(found: Diagnostic, { nodes }: SourceTable): Diagnostic {
  if (found.span !== null || found.origin === null) return found;
  const first = expandOrigin(found.origin)
    .map((id) => nodes[id]?.span)
    .find((span) => span !== undefined && span.end > span.start);
  return first === undefined ? found : { ...found, span: first };
}

/** Notes `stage` for every diagnostic that was added since the last call. */
function mark(work: Work, stage: StageId): void {
  while (work.stages.length < work.cx.diagnostics.length) work.stages.push(stage);
}

type Made = Partial<
  Pick<
    Compilation,
    "teCompiler" | "primitives" | "main" | "aot" | "graph" | "dynamic" | "metadata" | "c" | "wasm"
  >
>;

function finish(
  work: Work,
  frontEnd: FrontEnd,
  module: IRModule,
  stoppedAt: StageId | null,
  made: Made = {},
): Compilation {
  const { source, options, cx, trace, host } = work;
  return {
    source,
    options,
    diagnostics: cx.diagnostics.map((found) => placed(found, frontEnd.sources)),
    diagnosticStages: work.stages,
    remarks: cx.remarks,
    ...frontEnd,
    trace,
    module,
    main: made.main ?? null,
    primitives: made.primitives ?? [],
    teCompiler: made.teCompiler ?? null,
    aot: made.aot ?? null,
    graph: made.graph ?? null,
    dynamic: made.dynamic ?? null,
    metadata: made.metadata ?? null,
    c: made.c ?? null,
    wasm: made.wasm ?? null,
    stoppedAt,
    totalMs: host.now() - work.start,
  };
}
