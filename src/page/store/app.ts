// The page's state and everything that may be done to it: one store, one client, one view cache.
import { createStore, type StoreApi } from "zustand/vanilla";
import type { StageId } from "../../compiler/options.ts";
import type { CompilerClient } from "../../protocol/api.ts";
import { createCompiling, type Compiling } from "./compiling.ts";
import { createDraftKeeper } from "./draft-keeper.ts";
import type { Handle, Surroundings } from "./handle.ts";
import { sameEntity, type Entity } from "./selection.ts";
import { sourceActions, type SourceActions } from "./source-actions.ts";
import { emptyStart, firstState, type AppStart } from "./start.ts";
import type { AppState, DialogId, LayoutState, Note, SettingsState } from "./state.ts";
import { createViewCache, type ViewCache } from "./views.ts";

interface SelectionActions {
  readonly hover: (entity: Entity | null) => void;
  readonly pin: (entity: Entity | null) => void;
  /** Pins, or unpins what is pinned already. */
  readonly togglePin: (entity: Entity) => void;
}

interface LayoutActions {
  readonly setLayout: (patch: Partial<LayoutState>) => void;
  readonly setSettings: (patch: Partial<SettingsState>) => void;
  readonly showStage: (stage: StageId, before: number | null, after: number | null) => void;
  readonly openDialog: (dialog: DialogId) => void;
}

interface NoticeActions {
  readonly say: (text: string) => void;
  readonly dismissToast: () => void;
  readonly dismissWorkerNote: () => void;
  readonly setNote: (note: Note | null) => void;
}

export interface Actions extends SourceActions, SelectionActions, LayoutActions, NoticeActions {
  readonly compileNow: () => Promise<void>;
  /** Stops the compilation or the run in flight. */
  readonly stop: () => void;
  /** Compiles if needed, then runs; shows the Result tab. */
  readonly run: () => Promise<void>;
  readonly setRepeats: (repeats: number) => void;
  /** Writes the draft now: the page is about to go. */
  readonly flushDraft: () => void;
  readonly dispose: () => void;
}

export interface App {
  readonly store: StoreApi<AppState>;
  readonly actions: Actions;
  readonly views: ViewCache;
  readonly client: CompilerClient;
}

export function createApp(client: CompilerClient, around: Surroundings, start: AppStart = emptyStart): App {
  const store = createStore<AppState>(() => firstState(start));
  const views = createViewCache(client);
  const get = store.getState;
  const set = (patch: Partial<AppState>): void => store.setState(patch);
  const handle: Handle = { store, client, views, around, get, set };
  const compiling = createCompiling(handle);
  const drafts = createDraftKeeper(handle);
  const unsubscribe = [
    client.onProgress((progress) => {
      if (get().compile.phase === "compiling") set({ compile: { ...get().compile, progress } });
    }),
    client.onWorkerReplaced((why) => set({ compile: { ...get().compile, workerReplaced: why } })),
  ];
  let toasts = 0;
  const nextToast = (): number => ++toasts;
  const actions: Actions = {
    ...sourceActions(handle, compiling, drafts, nextToast),
    ...selectionActions(handle),
    ...layoutActions(handle),
    ...noticeActions(handle, nextToast),
    compileNow: compiling.compileNow,
    run: createRun(handle, compiling),
    flushDraft: drafts.flush,
    stop() {
      compiling.forget();
      if (get().compile.phase === "compiling") client.cancel();
      if (get().runner.status === "running") client.cancelRun();
    },
    setRepeats: (repeats) => set({ runner: { ...get().runner, repeats } }),
    dispose() {
      compiling.dispose();
      drafts.dispose();
      for (const stop of unsubscribe) stop();
    },
  };
  return { store, actions, views, client };
}

function selectionActions({ get, set }: Handle): SelectionActions {
  return {
    hover(entity) {
      const { selection } = get();
      if (!sameEntity(selection.hover, entity)) set({ selection: { ...selection, hover: entity } });
    },
    pin(entity) {
      const { selection } = get();
      if (!sameEntity(selection.pinned, entity)) set({ selection: { ...selection, pinned: entity } });
    },
    togglePin(entity) {
      const { selection } = get();
      set({ selection: { ...selection, pinned: sameEntity(selection.pinned, entity) ? null : entity } });
    },
  };
}

function layoutActions({ around, get, set }: Handle): LayoutActions {
  return {
    setLayout: (patch) => set({ layout: { ...get().layout, ...patch } }),
    setSettings(patch) {
      set({ settings: { ...get().settings, ...patch } });
      around.saveSettings(get().settings);
    },
    showStage: (stage, diffBefore, diffAfter) =>
      set({ layout: { ...get().layout, stage, diffBefore, diffAfter } }),
    openDialog: (dialog) => set({ dialog }),
  };
}

function noticeActions({ get, set }: Handle, nextToast: () => number): NoticeActions {
  return {
    say: (text) => set({ toast: { id: nextToast(), text, action: null } }),
    dismissToast: () => set({ toast: null }),
    dismissWorkerNote: () => set({ compile: { ...get().compile, workerReplaced: null } }),
    setNote: (note) => set({ note }),
  };
}

/** The reply of a run that a newer one overtook is dropped. */
function createRun({ client, get, set }: Handle, { compileNow }: Compiling): () => Promise<void> {
  let runs = 0;
  return async () => {
    set({ layout: { ...get().layout, tabB: "result", slot: "b", phoneTab: "run" } });
    const { options } = get();
    if (!isFresh(get())) await compileNow();
    const { shown, phase } = get().compile;
    if (phase !== "done" || shown === null) return;
    const number = ++runs;
    set({ runner: { ...get().runner, status: "running", runId: shown.runId } });
    const reply = await client.run({
      runId: shown.runId,
      executor: options.executor,
      inputs: {},
      repeats: get().runner.repeats,
    });
    const { name, at } = shown;
    if (number === runs)
      set({
        runner: {
          ...get().runner,
          status: "done",
          runId: shown.runId,
          reply,
          ran: { name, options: shown.options, at },
        },
      });
  };
}

/** Whether what is shown was made from the source and the options as they are now. */
function isFresh({ compile, source, options }: AppState): boolean {
  const { shown } = compile;
  return (
    compile.phase === "done" &&
    shown?.text === source.text &&
    shown.file === (source.file?.file ?? null) &&
    shown.options === options
  );
}
