// The page's state and everything that may be done to it: one store, one client, one view cache.
import { createStore, type StoreApi } from "zustand/vanilla";
import type { CompilerClient } from "../../protocol/api.ts";
import { defaultOptions, type Options, type StageId } from "../../compiler/options.ts";
import { type RunId, type Source, type Summary } from "../../protocol/compile.ts";
import type { ViewKey } from "../../protocol/views.ts";
import { applyReply, applyRequest, noCompile, type Asked } from "./apply-reply.ts";
import { carryEntity, sameEntity, type Entity } from "./selection.ts";
import type {
  AppState,
  DialogId,
  LayoutState,
  ModelOptions,
  Note,
  OpenedFile,
  SettingsState,
  SourceState,
} from "./state.ts";
import { createViewCache, type ViewCache } from "./views.ts";

/** What the page takes from its surroundings, so that the store runs in tests without a browser. */
export interface Surroundings {
  readonly now: () => number;
  /** Called with what a draft must keep, at most every 300 ms and when the page goes. */
  readonly saveDraft: (draft: Draft) => void;
  readonly saveSettings: (settings: SettingsState) => void;
}

export interface Draft {
  readonly text: string;
  readonly file: OpenedFile | null;
  readonly name: string;
  readonly exampleId: string | null;
  readonly options: Options;
}

/** A text or model file to open; options of the model come with examples and links, others start with none. */
export interface NewSource {
  readonly text: string;
  readonly file?: OpenedFile | null;
  readonly name: string;
  readonly exampleId: string | null;
  readonly options?: Partial<ModelOptions>;
  /** What to tell once it is open. */
  readonly note?: Note;
}

export interface Actions {
  /** The user typed: compiles after 150 ms of rest. */
  readonly edit: (text: string) => void;
  /** An example, a file, a link or a drop replaces the text; the old one can be brought back. `by` says what did it. */
  readonly replaceSource: (next: NewSource, by: string) => void;
  readonly undoReplace: () => void;
  readonly setOptions: (patch: Partial<Options>) => void;
  readonly compileNow: () => Promise<void>;
  /** Stops the compilation or the run in flight. */
  readonly stop: () => void;
  /** Compiles if needed, then runs; shows the Result tab. */
  readonly run: () => Promise<void>;
  readonly setRepeats: (repeats: number) => void;
  readonly hover: (entity: Entity | null) => void;
  readonly pin: (entity: Entity | null) => void;
  /** Pins, or unpins what is pinned already. */
  readonly togglePin: (entity: Entity) => void;
  readonly setLayout: (patch: Partial<LayoutState>) => void;
  readonly setSettings: (patch: Partial<SettingsState>) => void;
  readonly showStage: (stage: StageId, before: number | null, after: number | null) => void;
  readonly openDialog: (dialog: DialogId) => void;
  readonly say: (text: string) => void;
  readonly dismissToast: () => void;
  readonly dismissWorkerNote: () => void;
  readonly setNote: (note: Note | null) => void;
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

const debounceMs = 150;
const slowMs = 150;
const draftMs = 300;

export const firstLayout: LayoutState = {
  tabA: "graph",
  tabB: "c",
  phoneTab: "graph",
  maximised: null,
  drawer: false,
  slot: "a",
  planner: "storage-rewrite",
  cFile: "c/lib1",
  tirPrimitive: 0,
  tirListing: null,
  shapeDraft: {},
  jsonFile: "graph-json",
  diffBefore: null,
  diffAfter: null,
  diffMode: "diff",
  stage: "fuse",
};

export const firstSettings: SettingsState = {
  theme: "system",
  singleKeys: true,
  wrap: false,
  foldUnlit: true,
};

/** Views that must outlive the worker's memory once a later run failed: what the panes show while it is stale. */
const keptWhenStale: readonly ViewKey[] = [
  { kind: "graph" },
  { kind: "memory" },
  ...["c/lib0", "c/lib1", "c/header", "wat", "graph-json", "metadata", "aot", "relay/-1"].map(
    (id): ViewKey => ({ kind: "listing", id }),
  ),
];

export interface AppStart {
  readonly source: Draft;
  readonly settings: SettingsState;
  readonly layout: Partial<LayoutState>;
  readonly pinned: Entity | null;
  readonly note: Note | null;
  readonly awaited: string | null;
}

export const emptyStart: AppStart = {
  source: { text: "", file: null, name: "untitled", exampleId: null, options: defaultOptions },
  settings: firstSettings,
  layout: {},
  pinned: null,
  note: null,
  awaited: null,
};

function firstState(start: AppStart): AppState {
  const { text, file, name, exampleId, options } = start.source;
  return {
    source: { text, file, name, exampleId, revision: 0, replaced: null },
    options,
    compile: noCompile,
    selection: { hover: null, pinned: start.pinned },
    layout: {
      ...firstLayout,
      planner: options.executor === "graph" ? "graph-plan" : "storage-rewrite",
      ...start.layout,
    },
    runner: { status: "idle", runId: null, reply: null, repeats: 20 },
    settings: start.settings,
    dialog: null,
    toast: null,
    note: start.note,
    awaited: start.awaited,
  };
}

export function createApp(client: CompilerClient, around: Surroundings, start: AppStart = emptyStart): App {
  const store = createStore<AppState>(() => firstState(start));
  const views = createViewCache(client);
  const get = store.getState;
  const set = (patch: Partial<AppState>): void => store.setState(patch);
  let typing: ReturnType<typeof setTimeout> | undefined;
  let slow: ReturnType<typeof setTimeout> | undefined;
  let saving: ReturnType<typeof setTimeout> | undefined;
  let toasts = 0;
  let runs = 0;

  const unsubscribe = [
    client.onProgress((progress) => {
      if (get().compile.phase === "compiling") set({ compile: { ...get().compile, progress } });
    }),
    client.onWorkerReplaced((why) => set({ compile: { ...get().compile, workerReplaced: why } })),
  ];

  function draft(): Draft {
    const { source, options } = get();
    return { text: source.text, file: source.file, name: source.name, exampleId: source.exampleId, options };
  }
  function flushDraft(): void {
    clearTimeout(saving);
    saving = undefined;
    around.saveDraft(draft());
  }
  function saveSoon(): void {
    saving ??= setTimeout(flushDraft, draftMs);
  }
  function compileSoon(): void {
    clearTimeout(typing);
    typing = setTimeout(() => void compileNow(), debounceMs);
  }

  async function compileNow(): Promise<void> {
    clearTimeout(typing);
    clearTimeout(slow);
    const { source, options, compile } = get();
    const asked: Asked = { sequence: compile.latestRequested + 1, source: requestSource(source), options };
    if (isEmpty(source)) {
      // Nothing to compile is the empty page, not an error.
      client.cancel();
      set({
        compile: { ...noCompile, latestRequested: asked.sequence },
        selection: { hover: null, pinned: null },
      });
      return;
    }
    set({ compile: applyRequest(compile, asked.sequence) });
    slow = setTimeout(() => {
      if (get().compile.phase === "compiling") set({ compile: { ...get().compile, slow: true } });
    }, slowMs);
    const reply = await client.compile(asked.source, options);
    settle(asked, reply);
  }

  function settle(asked: Asked, reply: Parameters<typeof applyReply>[2]): void {
    const before = get().compile;
    const after = applyReply(before, asked, reply, around.now());
    if (after === before) return;
    if (after.phase !== "compiling") clearTimeout(slow);
    const patch: { -readonly [K in keyof AppState]?: AppState[K] } = { compile: after };
    if (after.shown !== null && after.shown !== before.shown) {
      const { pinned } = get().selection;
      const summary = before.shown?.summary;
      patch.selection = {
        hover: null,
        pinned: pinned && summary ? carryEntity(summary, after.shown.summary, pinned) : pinned,
      };
      patch.layout = layoutFor(get().layout, after.shown.summary);
    }
    set(patch);
    if (after.stale && after.shown !== null && !before.stale) holdStale(after.shown.runId);
    views.keepOnly(
      [after.shown?.runId, before.shown?.runId, after.failure?.runId].filter((id) => id !== undefined),
    );
  }

  function holdStale(runId: RunId): void {
    for (const key of keptWhenStale) void views.load(runId, key);
  }

  function replaceSource(next: NewSource, by: string): void {
    const { source, options, awaited } = get();
    const { text, file, name, exampleId, revision } = source;
    const nextFile = next.file ?? null;
    // An untouched example is no work to lose.
    const lost = !isEmpty(source) && exampleId === null && (text !== next.text || file !== nextFile);
    const kept = nextFile !== null && awaited === next.name;
    set({
      source: {
        text: next.text,
        file: nextFile,
        name: next.name,
        exampleId: next.exampleId,
        revision: revision + 1,
        replaced: lost
          ? { text, file, name, exampleId, options: modelOptions(options), by }
          : source.replaced,
      },
      options: kept ? options : { ...options, ...plainModelOptions(options), ...next.options },
      toast: lost ? { id: ++toasts, text: `${by} replaced ${name}`, action: "undo" } : null,
      selection: { hover: null, pinned: null },
      note: next.note ?? null,
      awaited: null,
      layout: { ...get().layout, shapeDraft: {} },
    });
    saveSoon();
    void compileNow();
  }

  function undoReplace(): void {
    const {
      source: { replaced, revision },
      options,
    } = get();
    if (!replaced) return;
    const { by: _by, options: own, ...source } = replaced;
    set({
      source: { ...source, revision: revision + 1, replaced: null },
      options: { ...options, ...own },
      toast: null,
      note: null,
    });
    saveSoon();
    void compileNow();
  }

  function setOptions(patch: Partial<Options>): void {
    const executor = patch.executor;
    const layout = get().layout;
    const planner =
      executor === undefined || executor === get().options.executor
        ? layout.planner
        : executor === "graph"
          ? "graph-plan"
          : "storage-rewrite";
    set({ options: { ...get().options, ...patch }, layout: { ...layout, planner } });
    saveSoon();
    void compileNow();
  }

  async function run(): Promise<void> {
    set({ layout: { ...get().layout, tabB: "result", slot: "b", phoneTab: "run" } });
    const { compile, source, options } = get();
    const fresh =
      compile.phase === "done" &&
      compile.shown?.text === source.text &&
      compile.shown.file === (source.file?.file ?? null) &&
      compile.shown.options === options;
    if (!fresh) await compileNow();
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
    if (number === runs) set({ runner: { ...get().runner, status: "done", runId: shown.runId, reply } });
  }

  const actions: Actions = {
    edit(text) {
      const { source } = get();
      if (text === source.text) return;
      set({
        source: {
          ...source,
          text,
          name: isOtherText(source.text, text) ? "untitled" : source.name,
          exampleId: null,
        },
      });
      saveSoon();
      compileSoon();
    },
    replaceSource,
    undoReplace,
    setOptions,
    compileNow,
    run,
    flushDraft,
    stop() {
      clearTimeout(typing);
      if (get().compile.phase === "compiling") client.cancel();
      if (get().runner.status === "running") client.cancelRun();
    },
    setRepeats: (repeats) => set({ runner: { ...get().runner, repeats } }),
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
    setLayout: (patch) => set({ layout: { ...get().layout, ...patch } }),
    setSettings(patch) {
      set({ settings: { ...get().settings, ...patch } });
      around.saveSettings(get().settings);
    },
    showStage: (stage, diffBefore, diffAfter) =>
      set({ layout: { ...get().layout, stage, diffBefore, diffAfter } }),
    openDialog: (dialog) => set({ dialog }),
    say: (text) => set({ toast: { id: ++toasts, text, action: null } }),
    dismissToast: () => set({ toast: null }),
    dismissWorkerNote: () => set({ compile: { ...get().compile, workerReplaced: null } }),
    setNote: (note) => set({ note }),
    dispose() {
      clearTimeout(typing);
      clearTimeout(slow);
      clearTimeout(saving);
      for (const stop of unsubscribe) stop();
    },
  };
  return { store, actions, views, client };
}

export function isEmpty({ text, file }: Pick<SourceState, "text" | "file">): boolean {
  return file === null && text.trim() === "";
}

/** Whether an edit left nearly nothing of the text: another program was pasted over it, which the old name does not name. */
function isOtherText(before: string, after: string): boolean {
  const least = Math.min(before.length, after.length);
  if (least < 40) return false;
  let kept = 0;
  while (kept < least && before[kept] === after[kept]) kept++;
  let tail = 0;
  while (tail < least - kept && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return (kept + tail) * 2 < least;
}

function requestSource({ text, file, name }: SourceState): Source {
  return file === null ? { kind: "relay", text, name } : { ...file, text: "", name };
}

export function modelOptions({ bindFill, bindValues, shapes, partition, targets }: Options): ModelOptions {
  return { bindFill, bindValues, shapes, partition, targets };
}

/** What a source without options of its own starts with: one target, the one chosen first. */
function plainModelOptions({ targets }: Options): ModelOptions {
  return { bindFill: [], bindValues: {}, shapes: {}, partition: [], targets: targets.slice(0, 1) };
}

/** Indices that the new run does not have any more fall back. */
function layoutFor(layout: LayoutState, { primitives, steps, listings }: Summary): LayoutState {
  const beyond = (step: number | null): boolean => step !== null && step >= steps.length;
  const reset = beyond(layout.diffBefore) || beyond(layout.diffAfter);
  return {
    ...layout,
    tirPrimitive: layout.tirPrimitive >= primitives.length ? 0 : layout.tirPrimitive,
    tirListing: listings.some(({ id }) => id === layout.tirListing) ? layout.tirListing : null,
    cFile: listings.some(({ id }) => id === layout.cFile) ? layout.cFile : firstLayout.cFile,
    ...(reset ? { diffBefore: null, diffAfter: null } : {}),
  };
}

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
