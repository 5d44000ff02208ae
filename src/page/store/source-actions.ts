// The source and its options: typing, replacing it with a way back, and what options a new one starts with.
import type { Options } from "../../compiler/options.ts";
import { isEmpty, type Compiling } from "./compiling.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { Handle } from "./handle.ts";
import { plannerOf } from "./start.ts";
import type { ModelOptions, Note, OpenedFile } from "./state.ts";

/**
 * A text or model file to open; options of the model come with examples and links, others start with none.
 */
export interface NewSource {
  readonly text: string;
  readonly file?: OpenedFile | null;
  readonly name: string;
  readonly exampleId: string | null;
  readonly options?: Partial<ModelOptions>;
  /** What to tell once it is open. */
  readonly note?: Note;
}

export interface SourceActions {
  /** The user typed: compiles after 150 ms of rest. */
  readonly edit: (text: string) => void;
  /**
   * An example, a file, a link or a drop replaces the text; the old one can be brought back. `by` says what
   * did it.
   */
  readonly replaceSource: (next: NewSource, by: string) => void;
  readonly undoReplace: () => void;
  readonly setOptions: (patch: Partial<Options>) => void;
}

/** `nextToast` numbers what is said. */
export function sourceActions(
  { get, set }: Handle,
  compiling: Compiling,
  drafts: DraftKeeper,
  nextToast: () => number,
): SourceActions {
  function changed(): void {
    drafts.saveSoon();
    void compiling.compileNow();
  }
  return {
    edit(text) {
      const { source } = get();
      if (text === source.text) return;
      const name = isOtherText(source.text, text) ? "untitled" : source.name;
      set({ source: { ...source, text, name, exampleId: null } });
      drafts.saveSoon();
      compiling.compileSoon();
    },
    replaceSource(next, by) {
      const { source, options, awaited, layout } = get();
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
        toast: lost ? { id: nextToast(), text: `${by} replaced ${name}`, action: "undo" } : null,
        selection: { hover: null, pinned: null },
        note: next.note ?? null,
        awaited: null,
        layout: { ...layout, shapeDraft: {} },
      });
      changed();
    },
    undoReplace() {
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
      changed();
    },
    setOptions(patch) {
      const { options, layout } = get();
      const { executor = options.executor } = patch;
      const planner = executor === options.executor ? layout.planner : plannerOf(executor);
      set({ options: { ...options, ...patch }, layout: { ...layout, planner } });
      changed();
    },
  };
}

/**
 * Whether an edit left nearly nothing of the text: another program was pasted over it, which the old name
 * does not name.
 */
function isOtherText(before: string, after: string): boolean {
  const least = Math.min(before.length, after.length);
  if (least < 40) return false;
  let kept = 0;
  while (kept < least && before[kept] === after[kept]) kept++;
  let tail = 0;
  while (tail < least - kept && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return (kept + tail) * 2 < least;
}

export function modelOptions({ bindFill, bindValues, shapes, partition, targets }: Options): ModelOptions {
  return { bindFill, bindValues, shapes, partition, targets };
}

/** What a source without options of its own starts with: one target, the one chosen first. */
function plainModelOptions({ targets }: Options): ModelOptions {
  return { bindFill: [], bindValues: {}, shapes: {}, partition: [], targets: targets.slice(0, 1) };
}
