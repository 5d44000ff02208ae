// Views of runs that panes asked for, outside the store: fetched once, kept for the runs that can still be on
// screen.
import type { CompilerClient } from "../../protocol/api.ts";
import type { RunId } from "../../protocol/compile.ts";
import { viewKeyText } from "../../protocol/view-key.ts";
import type { ViewKey, ViewReply } from "../../protocol/views.ts";

export interface ViewCache {
  /** The view if it is here. */
  readonly peek: (runId: RunId, key: ViewKey) => ViewReply | undefined;
  /** Fetches the view unless it is here or under way. */
  readonly load: (runId: RunId, key: ViewKey) => Promise<ViewReply>;
  /** Hears that some view arrived or went. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Lets go of every run that is not among `runs`. */
  readonly keepOnly: (runs: readonly RunId[]) => void;
}

export function createViewCache(client: CompilerClient): ViewCache {
  const ready = new Map<RunId, Map<string, ViewReply>>();
  const under = new Map<string, Promise<ViewReply>>();
  const listeners = new Set<() => void>();
  const name = (runId: RunId, key: ViewKey): string => `${runId} ${viewKeyText(key)}`;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  async function fetchView(runId: RunId, key: ViewKey): Promise<ViewReply> {
    const reply = await client.view(runId, key);
    under.delete(name(runId, key));
    const ofRun = ready.get(runId) ?? new Map<string, ViewReply>();
    ready.set(runId, ofRun.set(viewKeyText(key), reply));
    tell();
    return reply;
  }
  return {
    peek: (runId, key) => ready.get(runId)?.get(viewKeyText(key)),
    load(runId, key) {
      const known = ready.get(runId)?.get(viewKeyText(key));
      // What was gone may be had the next time: a new worker can rebuild the run.
      if (known && known.status !== "gone") return Promise.resolve(known);
      let flight = under.get(name(runId, key));
      if (!flight) {
        flight = fetchView(runId, key);
        under.set(name(runId, key), flight);
      }
      return flight;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    keepOnly(runs) {
      for (const runId of ready.keys()) if (!runs.includes(runId)) ready.delete(runId);
    },
  };
}
