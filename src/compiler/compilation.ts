// What a compilation has, by how far it came: each stage (stages.ts) takes one of these states and makes a
// later one. The last one reached is the result, so the type checker knows what exists; who wants "the AOT
// plan, if there is one" asks a function below.
import type { CModule } from "./codegen/c/module.ts";
import type { WasmModule } from "./codegen/wasm/module.ts";
import type { DynamicPlan } from "./executor/dynamic-plan.ts";
import type { MainReading } from "./executor/main-flow.ts";
import type { MemoryMetadata } from "./executor/metadata.ts";
import type { GraphPlan } from "./executor/graph-plan.ts";
import type { AotPlan, LoweredPrimitive, Outcome } from "./executor/plan.ts";
import type { CompileInput, FrontEnd } from "./frontend/read-source.ts";
import type { Diagnostic } from "./ir/diagnostic.ts";
import type { Remark } from "./ir/remark.ts";
import type { TeCompiler } from "./lower/te-compiler.ts";
import type { Options, StageId } from "./options.ts";
import type { Func } from "./relay/expr.ts";
import { emptyModule, type IRModule } from "./relay/module.ts";
import type { Trace } from "./trace.ts";

/** The source as far as it could be read, and as far as the Relay passes came. */
interface Front extends FrontEnd {
  /** As parsed and bound, before InferType. */
  readonly parsed: IRModule;
  /** After the last Relay pass that ran without an error. */
  readonly module: IRModule;
  /** In order of first lowering; none before all are lowered. */
  readonly primitives: readonly LoweredPrimitive[];
}

type Refused = Extract<Outcome<never>, { readonly ok: false }>;

interface Nothing extends Front {
  readonly reached: "nothing";
}

interface Read extends Front {
  readonly reached: "read";
}

interface Typed extends Front {
  readonly reached: "typed";
}

interface Lowered extends Front {
  readonly reached: "lowered";
  /** Main as the executors run it (relay/unfold/plain-main.ts), read. */
  readonly main: Outcome<MainReading>;
}

interface AotTried extends Omit<Lowered, "reached"> {
  readonly reached: "aot";
  readonly aot: Outcome<AotPlan>;
}

/** Both executors refused main, for other reasons than dynamic dimensions. */
interface RefusedMain extends Omit<Lowered, "reached"> {
  readonly reached: "refused";
  readonly aot: Refused;
  readonly graph: Refused;
}

/** Both executors refused main because its shapes are known only when it runs. */
interface Unplanned extends Front {
  readonly reached: "unplanned";
  readonly main: MainReading;
  readonly aot: Refused;
  readonly graph: Refused;
}

/**
 * The end for a program whose shapes are known only when it runs: no memory plan and no code for the whole.
 */
interface Dynamic extends Omit<Unplanned, "reached"> {
  readonly reached: "dynamic";
  readonly dynamic: DynamicPlan;
}

/** At least one executor took main. */
interface Planned extends Front {
  readonly reached: "planned";
  readonly main: MainReading;
  readonly aot: Outcome<AotPlan>;
  readonly graph: Outcome<GraphPlan>;
}

interface WithC extends Omit<Planned, "reached"> {
  readonly reached: "c";
  /** Of the executor that was chosen, of the other one where that refused. */
  readonly metadata: MemoryMetadata;
  readonly c: CModule;
}

interface WithWasm extends Omit<WithC, "reached"> {
  readonly reached: "wasm";
  readonly wasm: WasmModule;
}

export type State =
  | Nothing
  | Read
  | Typed
  | Lowered
  | AotTried
  | RefusedMain
  | Unplanned
  | Dynamic
  | Planned
  | WithC
  | WithWasm;

export type Reached = State["reached"];
export type At<R extends Reached> = Extract<State, { readonly reached: R }>;

/** Everything one compilation made. */
export type Compilation = State & {
  readonly source: CompileInput;
  readonly options: Options;
  readonly diagnostics: readonly Diagnostic[];
  /** Stage of each diagnostic, same index. */
  readonly diagnosticStages: readonly StageId[];
  readonly remarks: readonly Remark[];
  readonly trace: Trace;
  /** With nothing in its cache before primitives are lowered. */
  readonly teCompiler: TeCompiler;
  /** The stage that an error ended, null for a compilation that came to its end. */
  readonly stoppedAt: StageId | null;
  readonly totalMs: number;
};

export const nothing: At<"nothing"> = {
  reached: "nothing",
  text: "",
  facts: null,
  outputNames: [],
  sources: { nodes: [] },
  seededConstants: 0,
  parsed: emptyModule,
  module: emptyModule,
  primitives: [],
};

/** Main as the executors run it, or as the passes left it where that was not reached or refused. */
export function mainOf(done: State): Func | null {
  if (!("main" in done)) return done.module.functions.get("main") ?? null;
  if ("ok" in done.main)
    return done.main.ok ? done.main.value.func : (done.module.functions.get("main") ?? null);
  return done.main.func;
}

/** What the user calls parameter `param` of main: a model file has a name of its own for it. */
export function inputName({ facts }: State, param: string): string {
  return facts?.inputs.find(({ relayName }) => relayName === param)?.name ?? param;
}

/** The parameter of main that `given` means: by the file's own name, else by main's. */
export function parameterName({ facts }: State, given: string): string {
  return facts?.inputs.find(({ name }) => name === given)?.relayName ?? given;
}

/** What the file calls result `index` of main; of Relay text, "output", "output1" and so on. */
export function outputName({ outputNames }: Pick<State, "outputNames">, index: number): string {
  return outputNames[index] ?? (index === 0 ? "output" : `output${index}`);
}

export function aotPlan(done: State): AotPlan | null {
  return "aot" in done && done.aot.ok ? done.aot.value : null;
}

export function graphPlan(done: State): GraphPlan | null {
  return "graph" in done && done.graph.ok ? done.graph.value : null;
}

/** Why `executor` does not run main, null where it does or was not asked. */
export function refusal(done: State, executor: "aot" | "graph"): Diagnostic | null {
  const asked = executor === "aot" ? ("aot" in done ? done.aot : null) : "graph" in done ? done.graph : null;
  return asked === null || asked.ok ? null : asked.diagnostic;
}

/** What running a program needs whose shapes are known only then; null for every other one. */
export function dynamicProgram(
  done: Compilation,
): { readonly plan: DynamicPlan; readonly te: TeCompiler } | null {
  return done.reached === "dynamic" ? { plan: done.dynamic, te: done.teCompiler } : null;
}

export function metadataOf(done: State): MemoryMetadata | null {
  return "metadata" in done ? done.metadata : null;
}

export function cModule(done: State): CModule | null {
  return "c" in done ? done.c : null;
}

export function wasmModule(done: State): WasmModule | null {
  return done.reached === "wasm" ? done.wasm : null;
}
