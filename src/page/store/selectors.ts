// What panes ask of the whole state.
import type { AppState } from "./state.ts";

/** Microseconds a call of what is shown, null unless that very run was run. */
export function shownCallMicros(state: AppState): Float64Array | null {
  const { runner, compile } = state;
  return runner.reply?.status === "ok" && runner.reply.runId === compile.shown?.runId
    ? runner.reply.callMicros
    : null;
}

/** Whether panes dim what they show, and since when it is what it is. */
export function staleSince(state: AppState): number | null {
  const { shown, stale, phase, slow } = state.compile;
  return shown !== null && (stale || (phase === "compiling" && slow)) ? shown.at : null;
}
