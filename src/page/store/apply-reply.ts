// The stale rule, in one place: which reply may change what is shown. No pane compares run ids itself.
import type { Options } from "../../compiler/options.ts";
import type { CompileReply, Source } from "../../protocol/compile.ts";
import type { CompileState, ShownRun } from "./state.ts";

export const noCompile: CompileState = {
  latestRequested: 0,
  phase: "idle",
  shown: null,
  failure: null,
  diagnostics: [],
  crash: null,
  stale: false,
  progress: null,
  slow: false,
  workerReplaced: null,
};

/** What was asked under `sequence`; kept by the caller until the reply comes. */
export interface Asked {
  readonly sequence: number;
  readonly source: Source;
  readonly options: Options;
}

/** A new request is out: what is shown stays. */
export function applyRequest(state: CompileState, sequence: number): CompileState {
  return { ...state, latestRequested: sequence, phase: "compiling", progress: null, slow: false };
}

/**
 * Drops a reply older than what is shown; shows a good reply that is not the newest as stale; keeps the last
 * good output when the newest one failed, crashed or was stopped. `now` in milliseconds since the epoch.
 */
export function applyReply(
  state: CompileState,
  asked: Asked,
  reply: CompileReply,
  now: number,
): CompileState {
  const newest = asked.sequence === state.latestRequested;
  if (state.shown !== null && asked.sequence < state.shown.sequence) return state;
  const settled = newest ? { progress: null, slow: false } : {};
  switch (reply.status) {
    case "cancelled":
      return newest ? { ...state, ...settled, phase: "stopped", stale: state.shown !== null } : state;
    case "crashed":
      return newest
        ? {
            ...state,
            ...settled,
            phase: "crashed",
            crash: { message: reply.message, repro: reply.repro },
            stale: state.shown !== null,
          }
        : state;
    case "failed":
      return newest
        ? {
            ...state,
            ...settled,
            phase: "failed",
            failure: shownRun(asked, reply, now),
            diagnostics: reply.diagnostics,
            crash: null,
            stale: state.shown !== null,
          }
        : state;
    case "ok": {
      const shown = shownRun(asked, reply, now);
      if (!newest) return { ...state, shown, stale: true };
      return {
        ...state,
        ...settled,
        phase: "done",
        shown,
        failure: null,
        diagnostics: reply.diagnostics,
        crash: null,
        stale: false,
      };
    }
  }
}

function shownRun(
  asked: Asked,
  reply: Extract<CompileReply, { status: "ok" | "failed" }>,
  now: number,
): ShownRun {
  return {
    runId: reply.runId,
    sequence: asked.sequence,
    summary: reply.summary,
    diagnostics: reply.diagnostics,
    stoppedAt: reply.stoppedAt,
    at: now,
    name: asked.source.name,
    text: asked.source.text,
    file: asked.source.kind === "relay" ? null : asked.source.file,
    options: asked.options,
  };
}
