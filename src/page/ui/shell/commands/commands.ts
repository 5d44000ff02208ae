// Every action by name and key: what the command palette lists, the help shows and the keyboard does. UI.md 4.4.
import type { App } from "../../../store/app.ts";
import type { LayoutState, Region, TabA, TabB } from "../../../store/state.ts";
import { examples, exampleSource } from "../../examples/examples.ts";
import { nextChanged } from "../rail/rail-model.ts";
import { stageIds } from "../../../../compiler/options.ts";
import { chooseFile } from "../open-file.ts";
import {
  cycleRegion,
  findInFocused,
  focusedRegion,
  focusRegion,
  goToPlace,
  regionOrder,
  regionTitles,
} from "../../kit/regions.ts";

export interface Command {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** "Mod+Enter", "F6", "Alt+1", "[": Mod is Ctrl, or Cmd on a Mac. */
  readonly keys: readonly string[];
  /** May return false: the key was not for it and goes on. */
  readonly run: () => boolean | void;
}

const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** "Ctrl+Shift+S" as the reader's keyboard says it. */
export function keyText(key: string): string {
  return mac
    ? key.replace("Mod+", "⌘").replace("Shift+", "⇧").replace("Alt+", "⌥")
    : key.replace("Mod+", "Ctrl+");
}

/** Whether a key event is `key`. Shift counts only where the key text names it or a letter is meant. */
export function matchesKey(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
  key: string,
): boolean {
  const parts = key.length === 1 ? [key] : key.split("+");
  const name = parts[parts.length - 1]!;
  const wants = (part: string): boolean => parts.slice(0, -1).includes(part);
  const mod = mac ? event.metaKey : event.ctrlKey;
  if (mod !== wants("Mod") || event.altKey !== wants("Alt")) return false;
  // Alt changes what digits and letters type on some layouts; the code does not lie.
  if (wants("Alt") && /^\d$/.test(name)) return event.code === `Digit${name}`;
  if (name.length > 1 || wants("Mod"))
    return event.key.toLowerCase() === name.toLowerCase() && event.shiftKey === wants("Shift");
  return event.key.toLowerCase() === name.toLowerCase();
}

const tabsA: readonly (readonly [TabA, string])[] = [
  ["graph", "Graph"],
  ["diff", "IR diff"],
  ["primitives", "Primitives"],
  ["shapes", "Shapes"],
];
const tabsB: readonly (readonly [TabB, string])[] = [
  ["tir", "TIR"],
  ["c", "C"],
  ["wasm", "WASM"],
  ["json", "Graph JSON"],
  ["result", "Result"],
];

function stepChanged(app: App, by: 1 | -1): void {
  const { compile, layout } = app.store.getState();
  const steps = compile.shown?.summary.steps ?? [];
  const step = nextChanged(steps, layout.diffAfter, by);
  if (step === null) return;
  app.actions.showStage(step.stage, step.index - 1, step.index);
  app.actions.setLayout({ tabA: "diff", slot: "a" });
}

function stepGroup(app: App, by: 1 | -1): void {
  const { compile, layout } = app.store.getState();
  const steps = compile.shown?.summary.steps ?? [];
  const at = stageIds.indexOf(layout.stage);
  const stage = stageIds[Math.max(0, Math.min(stageIds.length - 1, at + by))]!;
  const own = steps.filter((step) => step.stage === stage);
  app.actions.showStage(
    stage,
    own[0] ? own[0].index - 1 : layout.diffBefore,
    own[own.length - 1]?.index ?? layout.diffAfter,
  );
}

function stepProblem(app: App, by: 1 | -1): void {
  const placed = app.store.getState().compile.diagnostics.filter((found) => found.line > 0);
  if (placed.length === 0) return;
  const last = Number(document.body.dataset["problem"] ?? "-1");
  const at = (last + by + placed.length) % placed.length;
  document.body.dataset["problem"] = String(at);
  goToPlace(placed[at]!);
}

/** With nothing pinned, the first or last call is; with a pin the chain bar walks along its links by the same keys. */
function stepCall(app: App, by: 1 | -1): boolean | void {
  const { compile, selection } = app.store.getState();
  if (selection.pinned !== null) return false;
  const calls = compile.shown?.summary.calls ?? [];
  if (calls.length === 0) return;
  app.actions.pin({ kind: "call", id: by > 0 ? 0 : calls.length - 1 });
}

/** Close, then unpin, then leave maximise. */
function escape(app: App): boolean {
  const { dialog, selection, layout, toast } = app.store.getState();
  if (dialog !== null) return false;
  if (toast !== null) app.actions.dismissToast();
  else if (selection.pinned !== null) app.actions.pin(null);
  else if (layout.maximised !== null) app.actions.setLayout({ maximised: null });
  else if (layout.drawer) app.actions.setLayout({ drawer: false });
  else return false;
  return true;
}

function maximise(app: App): void {
  const region = focusedRegion();
  const { maximised } = app.store.getState().layout;
  if (maximised !== null) app.actions.setLayout({ maximised: null });
  else if (region !== null && region !== "bar" && region !== "problems")
    app.actions.setLayout({ maximised: region });
}

/** The toast's Undo goes after a while; the text that it would bring back does not. */
function undoReplace(app: App): void {
  if (app.store.getState().source.replaced === null) app.actions.say("Nothing was replaced");
  else app.actions.undoReplace();
}

function editCopyOf(app: App): void {
  if (app.store.getState().source.file === null) app.actions.say("This is text already: edit it");
  else void import("../../panes/editor/edit-copy.ts").then(({ editCopy }) => editCopy(app));
}

const presets: readonly (readonly [string, Partial<LayoutState>])[] = [
  ["Lower: IR diff and C", { tabA: "diff", tabB: "c", maximised: null }],
  ["Memory: the map, large", { maximised: "memory" }],
  ["Run: graph and result", { tabA: "graph", tabB: "result", maximised: null }],
];

export function commandsFor(app: App): readonly Command[] {
  const { actions } = app;
  const settings = () => app.store.getState().settings;
  const layout = () => app.store.getState().layout;
  const altRegions: readonly Region[] = ["source", "stages", "a", "b", "memory", "problems", "bar"];
  return [
    {
      id: "compile",
      group: "Compile",
      title: "Compile now",
      keys: ["Mod+Enter"],
      run: () => void actions.compileNow(),
    },
    {
      id: "run",
      group: "Compile",
      title: "Compile and run",
      keys: ["Mod+Shift+Enter"],
      run: () => void actions.run(),
    },
    { id: "stop", group: "Compile", title: "Stop", keys: ["Mod+."], run: () => actions.stop() },
    {
      id: "options",
      group: "Compile",
      title: "Options…",
      keys: [],
      run: () => actions.openDialog("options"),
    },
    { id: "open", group: "File", title: "Open a file…", keys: ["Mod+O"], run: () => chooseFile(app) },
    {
      id: "undo-replace",
      group: "File",
      title: "Bring back what was replaced last",
      keys: [],
      run: () => undoReplace(app),
    },
    {
      id: "link",
      group: "File",
      title: "Copy link",
      keys: ["Mod+S"],
      run: () => void import("../../kit/share.ts").then(({ copyLink }) => copyLink(app)),
    },
    {
      id: "edit-copy",
      group: "File",
      title: "Edit a copy of the imported model",
      keys: [],
      run: () => editCopyOf(app),
    },
    {
      id: "zip",
      group: "File",
      title: "Save .repro.zip",
      keys: [],
      run: () => void import("../../kit/share.ts").then(({ saveRepro }) => saveRepro(app)),
    },
    {
      id: "share",
      group: "File",
      title: "Share…",
      keys: ["Mod+Shift+S"],
      run: () => actions.openDialog("share"),
    },
    ...examples.map((example): Command => ({
      id: `example-${example.id}`,
      group: "Example",
      title: `Open ${example.title}`,
      keys: [],
      run: () => actions.replaceSource(exampleSource(example), "The example"),
    })),
    {
      id: "palette",
      group: "Page",
      title: "All commands",
      keys: ["Mod+K"],
      run: () => actions.openDialog("palette"),
    },
    { id: "help", group: "Page", title: "Keyboard help", keys: ["?"], run: () => actions.openDialog("help") },
    {
      id: "escape",
      group: "Page",
      title: "Close, then unpin, then leave maximise",
      keys: ["Escape"],
      run: () => escape(app),
    },
    { id: "next-region", group: "Page", title: "Next region", keys: ["F6"], run: () => cycleRegion(1) },
    {
      id: "previous-region",
      group: "Page",
      title: "Previous region",
      keys: ["Shift+F6"],
      run: () => cycleRegion(-1),
    },
    ...altRegions.map((region, index): Command => ({
      id: `go-${region}`,
      group: "Page",
      title: `Go to ${regionTitles[region]}`,
      keys: [`Alt+${index + 1}`],
      run: () => focusRegion(region),
    })),
    { id: "maximise", group: "Page", title: "Maximise the pane", keys: ["M"], run: () => maximise(app) },
    {
      id: "find",
      group: "Text",
      title: "Search the focused pane",
      keys: ["Mod+F"],
      run: () => findInFocused(),
    },
    {
      id: "wrap",
      group: "Text",
      title: "Wrap lines",
      keys: ["W"],
      run: () => actions.setSettings({ wrap: !settings().wrap }),
    },
    {
      id: "next-problem",
      group: "Text",
      title: "Next problem",
      keys: ["F8"],
      run: () => stepProblem(app, 1),
    },
    {
      id: "previous-problem",
      group: "Text",
      title: "Previous problem",
      keys: ["Shift+F8"],
      run: () => stepProblem(app, -1),
    },
    {
      id: "previous-pass",
      group: "Stages",
      title: "Previous changed pass",
      keys: ["["],
      run: () => stepChanged(app, -1),
    },
    {
      id: "next-pass",
      group: "Stages",
      title: "Next changed pass",
      keys: ["]"],
      run: () => stepChanged(app, 1),
    },
    {
      id: "previous-stage",
      group: "Stages",
      title: "Previous stage",
      keys: ["{"],
      run: () => stepGroup(app, -1),
    },
    { id: "next-stage", group: "Stages", title: "Next stage", keys: ["}"], run: () => stepGroup(app, 1) },
    {
      id: "diff",
      group: "Stages",
      title: "Diff or text",
      keys: ["D"],
      run: () => actions.setLayout({ diffMode: layout().diffMode === "diff" ? "text" : "diff" }),
    },
    {
      id: "previous-call",
      group: "Chain",
      title: "Back along the chain; pin the last call",
      keys: [","],
      run: () => stepCall(app, -1),
    },
    {
      id: "next-call",
      group: "Chain",
      title: "Forward along the chain; pin the first call",
      keys: ["."],
      run: () => stepCall(app, 1),
    },
    ...tabsA.map(([tabA, title]): Command => ({
      id: `tab-${tabA}`,
      group: "View",
      title: `Show ${title}`,
      keys: [],
      run: () => actions.setLayout({ tabA, slot: "a" }),
    })),
    ...tabsB.map(([tabB, title]): Command => ({
      id: `tab-${tabB}`,
      group: "View",
      title: `Show ${title}`,
      keys: [],
      run: () => actions.setLayout({ tabB, slot: "b" }),
    })),
    ...presets.map(([title, patch], index): Command => ({
      id: `preset-${index}`,
      group: "View",
      title,
      keys: [],
      run: () => actions.setLayout(patch),
    })),
    ...(["light", "dark", "system"] as const).map((theme): Command => ({
      id: `theme-${theme}`,
      group: "View",
      title: `Theme: ${theme}`,
      keys: [],
      run: () => actions.setSettings({ theme }),
    })),
  ];
}

const editable = "input, textarea, select, [contenteditable], .monaco-editor";

/** True if this key is a command's; single letters act only outside editors, and can be switched off. */
export function handleKey(app: App, event: KeyboardEvent): boolean {
  const inEditor = event.target instanceof Element && event.target.closest(editable) !== null;
  const dialog = app.store.getState().dialog !== null;
  for (const command of commandsFor(app)) {
    for (const key of command.keys) {
      if (!matchesKey(event, key)) continue;
      const single = key.length === 1;
      if (single && (inEditor || dialog || !app.store.getState().settings.singleKeys)) continue;
      if (dialog && command.id !== "palette") continue;
      // The editor closes its own widgets on Escape and has its own search.
      if (inEditor && (key === "Escape" || key === "Mod+F")) continue;
      if (command.run() !== false) return true;
    }
  }
  return false;
}

export { regionOrder };
