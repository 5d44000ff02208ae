// What the page opens first and where it keeps things: settings and drafts in this browser's storage, which
// may be missing or full.
import type { App } from "./app.ts";
import type { Surroundings } from "./handle.ts";
import { modelOptions } from "./source-actions.ts";
import { firstSettings, type AppStart, type Draft } from "./start.ts";
import { fileKey, keepFile, keptFile } from "./file-shelf.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import type { DecodedLink } from "./permalink.ts";
import type { Note, SettingsState } from "./state.ts";

const settingsKey = "relayscope.settings";
const draftKey = "relayscope.draft";

type Example = (id: string) => { text: string; name: string } | undefined;

/** A draft as stored: a model file by its key on the shelf. */
interface StoredDraft extends Omit<Draft, "file"> {
  readonly fileKey: string | null;
}

/**
 * This tab's draft also remembers the link that it started from: an unchanged link gives way to the work done
 * since.
 */
interface TabDraft extends StoredDraft {
  readonly fragment: string;
}

function read(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? "null");
  } catch {
    // Private mode, blocked storage or a value of another version: as if nothing were there.
    return null;
  }
}

function write(storage: () => Storage, key: string, value: unknown): boolean {
  try {
    storage().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    // Full or blocked: the text still lives in the tab.
    return false;
  }
}

const session = (): Storage => sessionStorage;
const local = (): Storage => localStorage;

function readSettings(): SettingsState {
  const known = read(local, settingsKey);
  return typeof known === "object" && known !== null ? { ...firstSettings, ...known } : firstSettings;
}

function isDraft(value: unknown): value is TabDraft {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "name" in value &&
    typeof value.name === "string"
  );
}

/** Options of a draft that an older page wrote get today's defaults for what it did not know. */
function wholeOptions(options: unknown): Options {
  return typeof options === "object" && options !== null ? { ...defaultOptions, ...options } : defaultOptions;
}

/**
 * The text that a link brought. As long as nobody changed it, it is no work of the reader's, and must not
 * take the place of any.
 */
export interface LinkText {
  text: string | null;
}

export function browserSurroundings(fromLink: LinkText): Surroundings {
  let shelved = "";
  return {
    now: () => Date.now(),
    saveDraft({ file, ...draft }) {
      const key = file === null ? null : fileKey(file, draft.name);
      const stored: StoredDraft = { ...draft, fileKey: key };
      write(session, draftKey, { ...stored, fragment: location.hash });
      if (draft.exampleId === null && (file !== null || draft.text !== fromLink.text))
        write(local, draftKey, stored);
      if (file === null || key === null || key === shelved) return;
      shelved = key;
      void keepFile(key, file, Date.now());
    },
    saveSettings: (settings) => void write(local, settingsKey, settings),
  };
}

/** The reader of links, with its inflater and dictionary, is loaded only where there is something to read. */
async function readLink(fragment: string, example: Example): Promise<DecodedLink> {
  if (!/^#\d+;/.test(fragment)) return { status: "none" };
  const { decodeLink } = await import("./permalink.ts");
  return decodeLink(fragment, example);
}

function hasWork(draft: StoredDraft): boolean {
  return draft.text.trim() !== "" || (draft.fileKey ?? null) !== null;
}

/** The draft as the page starts with it; a file that was not kept is asked for again, its options stay. */
async function draftStart({
  text,
  name,
  exampleId,
  options,
  fileKey: key,
}: StoredDraft): Promise<Pick<AppStart, "source" | "note" | "awaited">> {
  const source = { text, file: null, name, exampleId, options: wholeOptions(options) };
  // A draft of an older page has none.
  if (typeof key !== "string") return { source, note: null, awaited: null };
  const file = await keptFile(key);
  if (file !== null) return { source: { ...source, file }, note: null, awaited: null };
  return { source: { ...source, name: "untitled" }, awaited: name, note: lostFile(name) };
}

function lostFile(name: string): Note {
  return {
    title: "File",
    text: `${name} was open here, but this browser did not keep its bytes. Drop it again: its options are as they were.`,
  };
}

/**
 * A link wins over everything except this tab's own work on that very link; then drafts; then the first
 * example.
 */
export async function firstStart(
  first: Omit<Draft, "options" | "file">,
  example: Example,
  fromLink: LinkText,
): Promise<AppStart> {
  const settings = readSettings();
  const tab = read(session, draftKey);
  const link = await readLink(location.hash, example);
  fromLink.text = link.status === "read" ? link.state.source.text : null;
  if (isDraft(tab) && tab.fragment === location.hash && hasWork(tab)) {
    return {
      ...(await draftStart(tab)),
      settings,
      layout: link.status === "read" ? link.state.view : {},
      pinned: link.status === "read" && link.state.source.text === tab.text ? link.state.pinned : null,
    };
  }
  if (link.status === "read") {
    const { source, options, view, pinned } = link.state;
    return {
      source: { ...source, file: null, options },
      settings,
      layout: view,
      pinned,
      note: linkNote(link.note),
      awaited: null,
    };
  }
  const note = link.status === "unreadable" ? linkNote(link.note) : null;
  const last = read(local, draftKey);
  if (isDraft(last) && hasWork(last) && note === null)
    return { ...(await draftStart(last)), settings, layout: {}, pinned: null };
  return {
    source: { ...first, file: null, options: defaultOptions },
    settings,
    layout: {},
    pinned: null,
    note,
    awaited: null,
  };
}

function linkNote(text: string | null): Note | null {
  return text === null ? null : { title: "Link", text };
}

/** A link pasted into the address bar of an open page replaces the text; Undo brings it back. */
export function watchLinks(app: App, example: Example, fromLink: LinkText): void {
  async function follow(): Promise<void> {
    const link = await readLink(location.hash, example);
    if (link.status === "none") return;
    if (link.status === "unreadable") {
      app.actions.setNote(linkNote(link.note));
      return;
    }
    const { source, options, view, pinned } = link.state;
    // What is replaced may be work of the last 300 ms.
    app.actions.flushDraft();
    fromLink.text = source.text;
    app.actions.setLayout(view);
    app.store.setState({ options });
    app.actions.replaceSource({ ...source, options: modelOptions(options) }, "The link");
    app.actions.pin(pinned);
    app.actions.setNote(linkNote(link.note));
  }
  addEventListener("hashchange", () => void follow());
}
