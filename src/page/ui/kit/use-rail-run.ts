import type { ShownRun } from "../../store/state.ts";
import { useApp } from "./context.tsx";

/** The run that the rail tells about: the newest one, failed or not. */
export function useRailRun(): ShownRun | null {
  const shown = useApp((state) => state.compile.shown);
  const failure = useApp((state) => state.compile.failure);
  const phase = useApp((state) => state.compile.phase);
  return phase === "failed" && failure !== null ? failure : shown;
}
