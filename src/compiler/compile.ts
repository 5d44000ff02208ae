// The one way to compile a program: Relay text or a model file in, what every stage made of it out. What
// happens is in stages.ts; here is the loop that walks that list, times and traces it, hears cancels between
// its pieces and stops where an error was reported.
import type { Options, StageId } from "./options.ts";
import { nothing, type Compilation, type State } from "./compilation.ts";
import type { LoweredPrimitive } from "./executor/plan.ts";
import type { CompileInput } from "./frontend/read-source.ts";
import type { Diagnostic } from "./ir/diagnostic.ts";
import { idSource } from "./ir/ids.ts";
import { expandOrigin } from "./ir/origin.ts";
import type { TensorData } from "./ir/tensor-data.ts";
import { createTeCompiler } from "./lower/te-compiler.ts";
import type { VerifyAt } from "./ir/pass.ts";
import { ops } from "./ops/index.ts";
import { checkOptions } from "./options-check.ts";
import type { RelayContext } from "./relay/op.ts";
import { checkModule, freeNames } from "./relay/verify.ts";
import type { SourceTable } from "./relay/text/parse.ts";
import { stages, type Stage, type StageContext } from "./stages.ts";
import { hasError, startTrace, timed, traceStep, type Clock, type Trace } from "./trace.ts";

export interface CompileHost extends Clock {
  /** Runs one lowered primitive on constants: the JIT behind FoldConstant. */
  readonly execute: (primitive: LoweredPrimitive, args: readonly TensorData[]) => readonly TensorData[];
  /** When the verifiers run; what they find is a bug of ours. */
  readonly verify: VerifyAt;
}

/**
 * Compiles Relay text or a model file. Never throws for a mistake in it: see `diagnostics` and `stoppedAt`.
 * Throws InvariantError for a bug of ours and Cancelled where host.pause does.
 */
export async function compile(
  source: CompileInput,
  options: Options,
  host: CompileHost,
  binds: ReadonlyMap<string, TensorData> = new Map(),
): Promise<Compilation> {
  const start = host.now();
  const cx = contextFor(source, options, host, binds);
  const { diagnostics, remarks } = cx.relay;
  const trace = startTrace();
  const diagnosticStages: StageId[] = [];
  let state: State = nothing;
  let free: ReadonlySet<string> | null = null;
  let stoppedAt: StageId | null = null;
  diagnostics.push(...checkOptions(options));
  const list = stages(options);
  for (const [i, stage] of list.entries()) {
    if (stage.needs !== state.reached) continue;
    const made: State | null = await runStage(stage, state, cx, trace, host);
    while (diagnosticStages.length < diagnostics.length) diagnosticStages.push(stage.id);
    if (made !== null && verifiesAfter(stage, list[i + 1], host)) {
      free ??= freeNames(made.parsed);
      checkModule(
        made.module,
        { ops, typed: true, freeNames: free },
        `${stage.name} (step ${trace.steps.length - 1})`,
      );
    }
    if (made !== null) state = made;
    if (made === null || hasError(diagnostics)) {
      stoppedAt = stage.id;
      break;
    }
  }
  const { sources } = state;
  return {
    ...state,
    source,
    options,
    diagnostics: diagnostics.map((found) => placed(found, sources)),
    diagnosticStages,
    remarks,
    trace,
    teCompiler: cx.te,
    stoppedAt,
    totalMs: host.now() - start,
  };
}

/** Whether the module that a Relay pass made is verified: each one, or the last one of its stage. */
function verifiesAfter(stage: Stage, next: Stage | undefined, { verify }: CompileHost): boolean {
  return stage.traced && (verify === "passes" || (verify === "stages" && next?.id !== stage.id));
}

function contextFor(
  source: CompileInput,
  options: Options,
  host: CompileHost,
  binds: ReadonlyMap<string, TensorData>,
): StageContext {
  const ids = idSource();
  const shared = { ids, ops, options, verify: host.verify };
  const jit = createTeCompiler({ ...shared, diagnostics: [], remarks: [], modName: "jit" });
  const relay: RelayContext = {
    ...shared,
    diagnostics: [],
    remarks: [],
    evaluate: (func, args) => host.execute(jit.jit(func), args),
  };
  const { diagnostics, remarks } = relay;
  const te = createTeCompiler({ ...shared, diagnostics, remarks, modName: options.modName });
  return { source, binds, relay, te };
}

/** What `stage` makes of `state`, null where it made nothing because of an error. */
async function runStage(
  stage: Stage,
  state: State,
  cx: StageContext,
  trace: Trace,
  host: CompileHost,
): Promise<State | null> {
  const { diagnostics, remarks } = cx.relay;
  const remarksBefore = remarks.length;
  await host.pause(stage.id, stage.name);
  const start = host.now();
  const pieces = stage.run(state, cx);
  const next = (name: string) => timed(trace, { ...stage, name }, host, diagnostics, () => pieces.next());
  let piece = next(stage.name);
  while (piece !== null && piece.done !== true) {
    await host.pause(stage.id, piece.value);
    piece = next(piece.value);
  }
  if (piece === null) return null;
  const made = piece.value;
  if (stage.traced) {
    if (hasError(diagnostics)) return null;
    traceStep(trace, stage, [state.module, made.module], [remarksBefore, remarks.length], host.now() - start);
  }
  return made;
}

/** Late stages know only where something came from: the first source node behind it is the place. */
function placed(found: Diagnostic, { nodes }: SourceTable): Diagnostic {
  if (found.span !== null || found.origin === null) return found;
  const first = expandOrigin(found.origin)
    .map((id) => nodes[id]?.span)
    .find((span) => span !== undefined && span.end > span.start);
  return first === undefined ? found : { ...found, span: first };
}
