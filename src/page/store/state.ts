// The page's state, by slice. Small values only: listings, graphs and tensors live in the view cache
// (views.ts) or the runner reply.
import type { ListingId } from "../../protocol/listing-id.ts";
import type { Options, StageId } from "../../compiler/options.ts";
import type { DiagnosticView, FileSource, Progress, RunId, Summary } from "../../protocol/compile.ts";
import type { RunReply } from "../../protocol/runner.ts";
import type { PlanView } from "../../protocol/views.ts";
import type { Entity } from "./selection.ts";

/** A model file that was dropped or chosen, with the data files that came with it. */
export type OpenedFile = Pick<FileSource, "kind" | "file" | "extra">;

/** Options that belong to one model: they change with the source and come back with Undo. */
export type ModelOptions = Pick<Options, "bindFill" | "bindValues" | "shapes" | "partition" | "targets">;

export interface SourceState {
  /** Empty for a model file. */
  readonly text: string;
  /** null for Relay text. */
  readonly file: OpenedFile | null;
  /** File name as shown, "lenet.relay". */
  readonly name: string;
  /** The bundled example that the text still is, null once edited or for own text. */
  readonly exampleId: string | null;
  /** Grows when the text was replaced from outside the editor, so that editors reload it. */
  readonly revision: number;
  /** What an example, a file or a link replaced; the Undo toast brings it back. */
  readonly replaced: {
    readonly text: string;
    readonly file: OpenedFile | null;
    readonly name: string;
    readonly exampleId: string | null;
    readonly options: ModelOptions;
    readonly by: string;
  } | null;
}

/** One run whose output panes show: ids in views belong to this run only. */
export interface ShownRun {
  readonly runId: RunId;
  /** The page's own count of requests; replies carry no order of their own. */
  readonly sequence: number;
  readonly summary: Summary;
  readonly diagnostics: readonly DiagnosticView[];
  readonly stoppedAt: StageId | null;
  /** Milliseconds since the epoch when the reply came. */
  readonly at: number;
  /** Of the source when it was asked for: "lenet.relay". */
  readonly name: string;
  readonly text: string;
  /** The model file that it was made from, null for text. */
  readonly file: Blob | null;
  readonly options: Options;
}

/** What tells one compilation from another to a reader: model, options, time. */
export type RunIdentity = Pick<ShownRun, "name" | "options" | "at">;

type Phase = "idle" | "compiling" | "done" | "failed" | "crashed" | "stopped";

export interface CompileState {
  readonly latestRequested: number;
  readonly phase: Phase;
  /** The last good output. */
  readonly shown: ShownRun | null;
  /** The newest run, if it failed: how far it came. */
  readonly failure: ShownRun | null;
  readonly diagnostics: readonly DiagnosticView[];
  readonly crash: { readonly message: string; readonly repro: string } | null;
  /** `shown` is not the output of the newest request that was answered. */
  readonly stale: boolean;
  readonly progress: Progress | null;
  /** The compilation takes longer than 150 ms: Run turns into Stop, output is dimmed. */
  readonly slow: boolean;
  /** Why the worker was last replaced, null once told and dismissed. */
  readonly workerReplaced: string | null;
}

interface SelectionState {
  readonly hover: Entity | null;
  readonly pinned: Entity | null;
}

export const tabsA = ["graph", "diff", "primitives", "shapes"] as const;
export const tabsB = ["tir", "c", "wasm", "json", "result"] as const;
export type TabA = (typeof tabsA)[number];
export type TabB = (typeof tabsB)[number];
export type Region = "source" | "stages" | "a" | "b" | "memory" | "problems" | "bar";
export type PhoneTab = "source" | "stages" | "graph" | "memory" | "code" | "run";
export type PlannerId = PlanView["planner"];

export interface LayoutState {
  readonly tabA: TabA;
  readonly tabB: TabB;
  readonly phoneTab: PhoneTab;
  readonly maximised: Region | null;
  /** 768 to 1,199 px: whether the source drawer is open, and which view slot is shown. */
  readonly drawer: boolean;
  readonly slot: "a" | "b";
  readonly planner: PlannerId;
  /** The C listing that is shown. */
  readonly cFile: ListingId;
  /** -1 = the AOT main. */
  readonly tirPrimitive: number;
  /** Another listing that the TIR pane shows instead: a shape function, a kernel for given shapes. */
  readonly tirListing: (ListingId & { readonly primitive: number }) | null;
  readonly jsonFile: "graph-json" | "metadata";
  /**
   * Steps of the IR diff: before and after; null = follow the current stage. `after` null = nothing chosen.
   */
  readonly diffBefore: number | null;
  readonly diffAfter: number | null;
  /** Extents typed for dynamic dimensions, by field (ui/panes/shapes). */
  readonly shapeDraft: Readonly<Record<string, string>>;
  readonly diffMode: "diff" | "text";
  /** Group that the rail marks as current. */
  readonly stage: StageId;
}

interface RunnerState {
  readonly status: "idle" | "running" | "done";
  readonly runId: RunId | null;
  readonly reply: RunReply | null;
  /** The compilation whose numbers `reply` has. */
  readonly ran: RunIdentity | null;
  readonly repeats: number;
}

export type Theme = "system" | "light" | "dark";
export interface SettingsState {
  readonly theme: Theme;
  /** Single-letter shortcuts act outside editors; WCAG 2.1.4 wants a switch. */
  readonly singleKeys: boolean;
  readonly wrap: boolean;
  readonly foldUnlit: boolean;
}

export type DialogId = "help" | "palette" | "share" | "options" | null;

/** What was said once at the bottom of the window. */
interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: "undo" | null;
}

export interface Note {
  readonly title: "Link" | "File";
  readonly text: string;
}

export interface AppState {
  readonly source: SourceState;
  readonly options: Options;
  readonly compile: CompileState;
  readonly selection: SelectionState;
  readonly layout: LayoutState;
  readonly runner: RunnerState;
  readonly settings: SettingsState;
  readonly dialog: DialogId;
  readonly toast: Toast | null;
  /** What the reader should be told and may dismiss: a damaged link, a file that cannot be opened. */
  readonly note: Note | null;
  /** Name of a model file that a reload lost: dropped again, it gets the options that it had. */
  readonly awaited: string | null;
}
