// How components reach the store, the actions and the views. Panes use these hooks and nothing else of the
// store.
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { useStore } from "zustand";
import type { ViewKey, ViewReply } from "../../../protocol/views.ts";
import type { Actions, App } from "../../store/app.ts";
import { resolveSelection, type Lit } from "../../store/selection.ts";
import type { AppState, ShownRun } from "../../store/state.ts";
import { viewKeyText } from "../../../protocol/view-key.ts";

const AppContext = createContext<App | null>(null);

export function AppProvider({
  app,
  children,
}: {
  readonly app: App;
  readonly children: ReactNode;
}): ReactNode {
  return <AppContext value={app}>{children}</AppContext>;
}

export function useAppObject(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("no <AppProvider> above");
  return app;
}

/** A slice of the state; the selector must return a stored value or a primitive, not a fresh object. */
export function useApp<T>(selector: (state: AppState) => T): T {
  return useStore(useAppObject().store, selector);
}

export function useActions(): Actions {
  return useAppObject().actions;
}

/** The run on screen: the last good one. */
export function useShown(): ShownRun | null {
  return useApp((state) => state.compile.shown);
}

function useLit(which: "pinned" | "hover", run: ShownRun | null): Lit | null {
  const entity = useApp((state) => state.selection[which]);
  return useMemo(() => (run && entity ? resolveSelection(run.summary, entity) : null), [run, entity]);
}

/** What is pinned, resolved against the run whose view the caller draws. */
export function usePinned(run: ShownRun | null): Lit | null {
  return useLit("pinned", run);
}

/** What is under the pointer (preview only: outline, no scrolling). */
export function useHover(run: ShownRun | null): Lit | null {
  return useLit("hover", run);
}

interface RunView<V extends ViewReply> {
  readonly run: ShownRun;
  readonly view: V;
}

type ViewOf<K extends ViewKey> = Extract<ViewReply, { status: K["kind"] }>;

/**
 * The view `key` of `run` once it is there; until then the last one that this component had of the same key,
 * with the run that it belongs to, so that no pane goes blank. Null before the first. "gone" once the worker
 * cannot give it any more.
 */
export function useView<K extends ViewKey>(
  run: ShownRun | null,
  key: K | null,
): RunView<ViewOf<K>> | "gone" | null {
  const { views } = useAppObject();
  const text = key === null ? "" : viewKeyText(key);
  // Callers make a new key at every render; this one changes only with what it says.
  const [held, setHeld] = useState({ text, key });
  if (held.text !== text) setHeld({ text, key });
  const wanted = held.text === text ? held.key : key;
  const [last, setLast] = useState<{
    readonly text: string;
    readonly run: ShownRun;
    readonly view: ViewReply;
  } | null>(null);
  const subscribe = useCallback((listener: () => void) => views.subscribe(listener), [views]);
  const now = useSyncExternalStore(subscribe, () =>
    run === null || wanted === null ? undefined : views.peek(run.runId, wanted),
  );
  useEffect(() => {
    if (run !== null && wanted !== null) void views.load(run.runId, wanted);
  }, [views, run, wanted]);
  // Kept while the next run's view is on its way.
  if (
    run !== null &&
    now !== undefined &&
    now.status !== "gone" &&
    (last === null || last.view !== now || last.text !== text || last.run !== run)
  )
    setLast({ text, run, view: now });
  return useMemo(() => {
    if (run === null || text === "") return null;
    if (now?.status === "gone") return "gone";
    if (now !== undefined) return { run, view: now as ViewOf<K> };
    return last?.text === text ? { run: last.run, view: last.view as ViewOf<K> } : null;
  }, [run, text, now, last]);
}
