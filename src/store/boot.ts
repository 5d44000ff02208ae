// What the page opens first and where it keeps things: settings and drafts in this browser's storage, which may be missing or full.
import type { App, AppStart, Draft, Surroundings } from "./app.ts";
import { firstSettings } from "./app.ts";
import { defaultOptions, type Options } from "../protocol/compile.ts";
import type { DecodedLink } from "./permalink.ts";
import type { SettingsState } from "./state.ts";

const settingsKey = "relayscope.settings";
const draftKey = "relayscope.draft";

type Example = (id: string) => { text: string; name: string } | undefined;

/** This tab's draft also remembers the link that it started from: an unchanged link gives way to the work done since. */
interface TabDraft extends Draft {
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
  return typeof value === "object" && value !== null && typeof (value as TabDraft).text === "string" && typeof (value as TabDraft).name === "string";
}

/** Options of a draft that an older page wrote get today's defaults for what it did not know. */
function wholeOptions(options: unknown): Options {
  return typeof options === "object" && options !== null ? { ...defaultOptions, ...options } : defaultOptions;
}

export function browserSurroundings(): Surroundings {
  return {
    now: () => Date.now(),
    saveDraft(draft) {
      write(session, draftKey, { ...draft, fragment: location.hash });
      if (draft.exampleId === null) write(local, draftKey, draft);
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

/** A link wins over everything except this tab's own work on that very link; then drafts; then the first example. */
export async function firstStart(first: Omit<Draft, "options">, example: Example): Promise<AppStart> {
  const settings = readSettings();
  const tab = read(session, draftKey);
  const link = await readLink(location.hash, example);
  if (isDraft(tab) && tab.fragment === location.hash && tab.text !== "") {
    return { source: { ...tab, options: wholeOptions(tab.options) }, settings, layout: link.status === "read" ? link.state.view : {}, pinned: null, linkNote: null };
  }
  if (link.status === "read") return { source: { ...link.state.source, options: link.state.options }, settings, layout: link.state.view, pinned: link.state.pinned, linkNote: link.note };
  const linkNote = link.status === "unreadable" ? link.note : null;
  const last = read(local, draftKey);
  if (isDraft(last) && last.text.trim() !== "" && linkNote === null) return { source: { ...last, options: wholeOptions(last.options) }, settings, layout: {}, pinned: null, linkNote };
  return { source: { ...first, options: defaultOptions }, settings, layout: {}, pinned: null, linkNote };
}

/** A link pasted into the address bar of an open page replaces the text; Undo brings it back. */
export function watchLinks(app: App, example: Example): void {
  async function follow(): Promise<void> {
    const link = await readLink(location.hash, example);
    if (link.status === "none") return;
    if (link.status === "unreadable") {
      app.actions.setLinkNote(link.note);
      return;
    }
    const { source, options, view, pinned } = link.state;
    app.actions.setLayout(view);
    app.store.setState({ options });
    app.actions.replaceSource({ ...source, bindFill: options.bindFill }, "The link");
    app.actions.pin(pinned);
    app.actions.setLinkNote(link.note);
  }
  addEventListener("hashchange", () => void follow());
}
