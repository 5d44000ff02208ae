// The order of everything, to be read top to bottom: source to WASM, a stage an entry, with the state of a
// compilation that it needs and the one that it makes (compilation.ts). compile.ts walks the list. Names are
// TVM's.
import { aotPlan, graphPlan, type At, type Reached, type State } from "./compilation.ts";
import { emitC } from "./codegen/c/module.ts";
import { emitWasm } from "./codegen/wasm/module.ts";
import { planAot } from "./executor/aot-main.ts";
import { planDynamic } from "./executor/dynamic-plan.ts";
import { planGraph } from "./executor/graph-plan.ts";
import { primitiveSites, readMain, type MainReading } from "./executor/main-flow.ts";
import { buildGraphMetadata, buildMetadata, type MemoryMetadata } from "./executor/metadata.ts";
import type { Outcome } from "./executor/plan.ts";
import { asOutcome } from "./executor/refusals.ts";
import { readSource, type CompileInput } from "./frontend/read-source.ts";
import { CompileError, fail, type Diagnostic } from "./ir/diagnostic.ts";
import type { Span } from "./ir/span.ts";
import type { TensorData } from "./ir/tensor-data.ts";
import type { TeCompiler } from "./lower/te-compiler.ts";
import type { Options, StageId } from "./options.ts";
import type { DiagnosticCode } from "./ir/diagnostic-codes.ts";
import { checkScopes } from "./relay/nesting.ts";
import { checkTuples } from "./relay/tuple-size.ts";
import type { IRModule } from "./relay/module.ts";
import type { RelayContext } from "./relay/op.ts";
import { relayPrefix } from "./relay/pass-list.ts";
import type { RelayPass } from "./relay/passes/function-pass.ts";
import { inferTypeOnce } from "./relay/passes/infer-type/infer-type-once.ts";
import { plainMain } from "./relay/unfold/plain-main.ts";
import { invariant } from "../support/assert.ts";

/** What every stage may use. */
export interface StageContext {
  readonly source: CompileInput;
  /** Parameters of main bound before compiling, beyond options.bindFill. */
  readonly binds: ReadonlyMap<string, TensorData>;
  readonly relay: RelayContext;
  readonly te: TeCompiler;
}

/** Work in pieces, after each of which the host hears messages; a yield names the piece that follows it. */
type Pieces<S> = Generator<string, S, void>;

export interface Stage {
  readonly id: StageId;
  /** TVM's name of what runs first. */
  readonly name: string;
  /** Only a compilation that has come exactly this far enters the stage; others go round it. */
  readonly needs: Reached;
  readonly makes: readonly Reached[];
  /** Whether the trace keeps the module before and after. */
  readonly traced: boolean;
  /** Throws CompileError for what ends the compilation; other findings go to the diagnostics. */
  readonly run: (state: State, cx: StageContext) => Pieces<State>;
}

/** The stages under `options`, in order. Of the last five a program takes those that its plan allows. */
export function stages(options: Options): readonly Stage[] {
  const passes = relayPrefix(options);
  const fuseAt = passes.findIndex((pass) => pass.name === "FuseOps");
  return [
    stage({
      id: "parse",
      name: "parse",
      needs: "nothing",
      makes: ["read"],
      run: (_, { source, binds, relay }) => {
        const { module, ...front } = readSource(source, binds, relay);
        return { reached: "read", ...front, parsed: module, module, primitives: [] };
      },
    }),
    relayStage("types", { ...inferTypeOnce, run: typed }, "read"),
    ...passes.map((pass, i) => relayStage(fuseAt >= 0 && i >= fuseAt ? "fuse" : "passes", pass, "typed")),
    stage({ id: "lower", name: "LowerTE", needs: "typed", makes: ["lowered"], run: lower }),
    stage({
      id: "aot",
      name: "AOTExecutorCodegen",
      needs: "lowered",
      makes: ["aot"],
      run: (have, { te }) => ({
        ...have,
        reached: "aot",
        aot: have.main.ok ? planAot(have.main.value, te, options) : have.main,
      }),
    }),
    stage({
      id: "storage",
      name: "GraphPlanMemory",
      needs: "aot",
      makes: ["planned", "unplanned", "refused"],
      run: planStorage,
    }),
    stage({ id: "aot", name: "AOTExecutorCodegen", needs: "refused", makes: [], run: refuse }),
    stage({ id: "lower", name: "LowerShapeFunc", needs: "unplanned", makes: ["dynamic"], run: lowerShapes }),
    stage({ id: "tir", name: "LowerPrimFunc", needs: "planned", makes: ["planned"], run: lowerTir }),
    stage({
      id: "c",
      name: "codegen",
      needs: "planned",
      makes: ["c"],
      run: (have) => ({
        ...have,
        reached: "c",
        metadata: metadata(have, options),
        c: emitC({ primitives: have.primitives, aot: aotPlan(have), options }),
      }),
    }),
    stage({ id: "wasm", name: "codegen", needs: "c", makes: ["wasm", "c"], run: wasm }),
  ];
}

/** The first pass; what later stages take apart is counted before they do. */
function typed(module: IRModule, cx: RelayContext): IRModule {
  const made = inferTypeOnce.run(module, cx);
  checkTuples(made);
  return made;
}

/** One entry; the type checker holds `run` to what `needs` and `makes` say. */
function stage<N extends Reached, M extends Reached>(entry: {
  readonly id: StageId;
  readonly name: string;
  readonly needs: N;
  readonly makes: readonly M[];
  readonly run: (have: At<N>, cx: StageContext) => At<M> | Pieces<At<M>>;
  readonly traced?: boolean;
}): Stage {
  const isNeeded = (state: State): state is At<N> => state.reached === entry.needs;
  return {
    traced: false,
    ...entry,
    *run(state, cx) {
      invariant(isNeeded(state), `${entry.name} needs ${entry.needs}, got ${state.reached}`);
      const made = entry.run(state, cx);
      return "next" in made ? yield* made : made;
    },
  };
}

function relayStage(id: StageId, pass: RelayPass, needs: "read" | "typed"): Stage {
  return stage({
    id,
    name: pass.name,
    needs,
    makes: ["typed"],
    traced: true,
    run: (have, { relay }) => ({ ...have, reached: "typed", module: pass.run(have.module, relay) }),
  });
}

/** Reads main, once, and lowers every primitive function that it calls, one piece a call. */
function* lower(have: At<"typed">, { relay, te }: StageContext): Pieces<At<"lowered">> {
  const { module } = have;
  const fused = module.functions.get("main") ?? missingMain(module);
  const plain = asOutcome(() => {
    const unfolded = plainMain(module, fused, relay);
    checkScopes(unfolded);
    return unfolded;
  });
  const device = relay.options.targets[0]?.device;
  // A main that no executor takes is not read; its primitives are lowered all the same, so that their
  // mistakes are told.
  const main: Outcome<MainReading> = plain.ok ? { ok: true, value: readMain(plain.value, device) } : plain;
  for (const site of main.ok ? main.value.sites : primitiveSites(fused, device)) {
    yield "LowerTE";
    te.lower(site.func, site.call, site.device);
  }
  return { ...have, reached: "lowered", main, primitives: te.items() };
}

function missingMain(module: IRModule): never {
  return fail("RS5001", "there is no function @main to compile", {
    span: firstHeader(module),
    expected: "def @main(…)",
    got: [...module.functions.keys()].map((name) => `@${name}`).join(", ") || "no function",
    because: "executors start at @main",
    hint: "call the function that shall run @main",
  });
}

/** Where the first function's name stands in its text; a text without functions is meant as a whole. */
function firstHeader(module: IRModule): Span | null {
  const [name, func] = module.functions.entries().next().value ?? ["", null];
  if (func === null) return { start: 0, end: 0 };
  return func.span === null ? null : { start: func.span.start, end: func.span.start + `def @${name}`.length };
}

/**
 * The graph executor's plan, and what comes of both: one that refused where the other did not is told, and
 * stops nothing.
 */
function planStorage(
  have: At<"aot">,
  { relay, te }: StageContext,
): At<"planned"> | At<"unplanned"> | At<"refused"> {
  const { aot, main } = have;
  if (!main.ok) return { ...have, reached: "refused", aot: main, graph: main };
  const graph = planGraph(main.value, te);
  const both = { ...have, main: main.value };
  if (aot.ok || graph.ok) {
    tell(relay, [aot, graph]);
    return { ...both, reached: "planned", aot, graph };
  }
  if (!main.value.isDynamic) return { ...have, reached: "refused", aot, graph };
  tell(relay, [aot, graph]);
  return { ...both, reached: "unplanned", aot, graph };
}

/** Refusals as warnings; the same one twice is told once. */
function tell({ diagnostics }: RelayContext, outcomes: readonly Outcome<unknown>[]): void {
  const refused = outcomes.flatMap((one) => (one.ok ? [] : [one.diagnostic]));
  const told = refused.filter(
    (found, i) => refused.findIndex((other) => other.code === found.code && other.span === found.span) === i,
  );
  diagnostics.push(...told.map((found): Diagnostic => ({ ...found, severity: "warning" })));
}

function refuse({ aot, graph }: At<"refused">, { relay }: StageContext): never {
  throw new CompileError((relay.options.executor === "aot" ? aot : graph).diagnostic);
}

/** Primitives with shape functions, and a plan that evaluates them call by call. */
function lowerShapes(have: At<"unplanned">, { te }: StageContext): At<"dynamic"> {
  const dynamic = planDynamic(have.main, te);
  if (!dynamic.ok) throw new CompileError(dynamic.diagnostic);
  return { ...have, reached: "dynamic", dynamic: dynamic.value };
}

/** Has both back ends' TIR made, which primitives make when first asked for it. */
function* lowerTir(have: At<"planned">): Pieces<At<"planned">> {
  for (const primitive of have.primitives) {
    yield primitive.name;
    void primitive.forC;
    yield primitive.name;
    void primitive.forWasm;
  }
  return have;
}

/** Limits that WebAssembly has and C has not. */
const limitsOfWasm: readonly DiagnosticCode[] = ["RS6104", "RS6106"];

/** C is whole where only WebAssembly has too little room, unless it is WebAssembly that was asked for. */
function wasm(have: At<"c">, { relay }: StageContext): At<"wasm"> | At<"c"> {
  try {
    return { ...have, reached: "wasm", wasm: emitWasm(have.primitives, aotPlan(have), graphPlan(have), {}) };
  } catch (error) {
    const asked = relay.options.targets.some(({ kind }) => kind === "wasm");
    if (asked || !(error instanceof CompileError) || !limitsOfWasm.includes(error.diagnostic.code))
      throw error;
    relay.diagnostics.push({ ...error.diagnostic, severity: "warning" });
    return have;
  }
}

/** Memory of the executor that was chosen, of the other one where that refused. */
function metadata({ aot, graph, primitives }: At<"planned">, options: Options): MemoryMetadata {
  if (aot.ok && (options.executor === "aot" || !graph.ok))
    return buildMetadata(aot.value, primitives, options);
  invariant(graph.ok, "no executor took main");
  return buildGraphMetadata(graph.value, primitives, options);
}
