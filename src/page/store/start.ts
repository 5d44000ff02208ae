// What the page starts with: the first layout and settings, and the state that a start makes.
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { noCompile } from "./apply-reply.ts";
import type { Entity } from "./selection.ts";
import type { AppState, LayoutState, Note, OpenedFile, PlannerId, SettingsState } from "./state.ts";

/** What a reload must find again of the reader's work. */
export interface Draft {
  readonly text: string;
  readonly file: OpenedFile | null;
  readonly name: string;
  readonly exampleId: string | null;
  readonly options: Options;
}

export const firstLayout: LayoutState = {
  tabA: "graph",
  tabB: "c",
  phoneTab: "graph",
  maximised: null,
  drawer: false,
  slot: "a",
  planner: "storage-rewrite",
  cFile: { kind: "c-library", library: 1 },
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

/** The planner whose plan the map shows first: the one that the executor uses. */
export function plannerOf(executor: Options["executor"]): PlannerId {
  return executor === "graph" ? "graph-plan" : "storage-rewrite";
}

export function firstState(start: AppStart): AppState {
  const { text, file, name, exampleId, options } = start.source;
  return {
    source: { text, file, name, exampleId, revision: 0, replaced: null },
    options,
    compile: noCompile,
    selection: { hover: null, pinned: start.pinned },
    layout: { ...firstLayout, planner: plannerOf(options.executor), ...start.layout },
    runner: { status: "idle", runId: null, reply: null, ran: null, repeats: 20 },
    settings: start.settings,
    dialog: null,
    toast: null,
    note: start.note,
    awaited: start.awaited,
  };
}
