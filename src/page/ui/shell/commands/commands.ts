// Every action by name and key: what the command palette lists, the help shows and the keyboard does.
import type { App } from "../../../store/app.ts";
import type { LayoutState, Region } from "../../../store/state.ts";
import { examples, exampleSource } from "../../examples/examples.ts";
import { cycleRegion, findInFocused, focusedRegion, focusRegion, regionTitles } from "../../kit/regions.ts";
import { panesA, panesB } from "../../panes/index.tsx";
import { chooseFile } from "../open-file.ts";
import { matchesKey } from "./keys.ts";
import { stepCall, stepChanged, stepGroup, stepProblem } from "./steps.ts";

export interface Command {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** As keys.ts reads them. */
  readonly keys: readonly string[];
  /** May return false: the key was not for it and goes on. */
  readonly run: () => boolean | void;
}

type Row = readonly [id: string, title: string, keys: readonly string[], run: Command["run"]];

function inGroup(group: string, rows: readonly Row[]): readonly Command[] {
  return rows.map(([id, title, keys, run]) => ({ id, group, title, keys, run }));
}

export function commandsFor(app: App): readonly Command[] {
  return [
    ...inGroup("Compile", compileCommands(app)),
    ...inGroup("File", fileCommands(app)),
    ...inGroup("Example", exampleCommands(app)),
    ...inGroup("Page", pageCommands(app)),
    ...inGroup("Text", textCommands(app)),
    ...inGroup("Stages", stageCommands(app)),
    ...inGroup("Chain", chainCommands(app)),
    ...inGroup("View", viewCommands(app)),
  ];
}

function compileCommands({ actions }: App): readonly Row[] {
  return [
    ["compile", "Compile now", ["Mod+Enter"], () => void actions.compileNow()],
    ["run", "Compile and run", ["Mod+Shift+Enter"], () => void actions.run()],
    ["stop", "Stop", ["Mod+."], () => actions.stop()],
    ["options", "Options…", [], () => actions.openDialog("options")],
  ];
}

function fileCommands(app: App): readonly Row[] {
  const copyLink = async (): Promise<void> => (await import("../../kit/share.ts")).copyLink(app);
  const saveRepro = async (): Promise<void> => (await import("../../kit/share.ts")).saveRepro(app);
  return [
    ["open", "Open a file…", ["Mod+O"], () => chooseFile(app)],
    ["undo-replace", "Bring back what was replaced last", [], () => undoReplace(app)],
    ["link", "Copy link", ["Mod+S"], () => void copyLink()],
    ["edit-copy", "Edit a copy of the imported model", [], () => editCopyOf(app)],
    ["zip", "Save .repro.zip", [], () => void saveRepro()],
    ["share", "Share…", ["Mod+Shift+S"], () => app.actions.openDialog("share")],
  ];
}

function exampleCommands({ actions }: App): readonly Row[] {
  return examples.map((example) => [
    `example-${example.id}`,
    `Open ${example.title}`,
    [],
    () => actions.replaceSource(exampleSource(example), "The example"),
  ]);
}

/** In the order of Alt+1 to Alt+7. */
const altRegions: readonly Region[] = ["source", "stages", "a", "b", "memory", "problems", "bar"];

function pageCommands(app: App): readonly Row[] {
  const { actions } = app;
  return [
    ["palette", "All commands", ["Mod+K"], () => actions.openDialog("palette")],
    ["help", "Keyboard help", ["?"], () => actions.openDialog("help")],
    ["escape", "Close, then unpin, then leave maximise", ["Escape"], () => escape(app)],
    ["next-region", "Next region", ["F6"], () => cycleRegion(1)],
    ["previous-region", "Previous region", ["Shift+F6"], () => cycleRegion(-1)],
    ...altRegions.map((region, index): Row => [
      `go-${region}`,
      `Go to ${regionTitles[region]}`,
      [`Alt+${index + 1}`],
      () => focusRegion(region),
    ]),
    ["maximise", "Maximise the pane", ["M"], () => maximise(app)],
  ];
}

function textCommands(app: App): readonly Row[] {
  const wrap = (): void => app.actions.setSettings({ wrap: !app.store.getState().settings.wrap });
  return [
    ["find", "Search the focused pane", ["Mod+F"], findInFocused],
    ["wrap", "Wrap lines", ["W"], wrap],
    ["next-problem", "Next problem", ["F8"], () => stepProblem(app, 1)],
    ["previous-problem", "Previous problem", ["Shift+F8"], () => stepProblem(app, -1)],
  ];
}

function stageCommands(app: App): readonly Row[] {
  const diff = (): void => {
    const { diffMode } = app.store.getState().layout;
    app.actions.setLayout({ diffMode: diffMode === "diff" ? "text" : "diff" });
  };
  return [
    ["previous-pass", "Previous changed pass", ["["], () => stepChanged(app, -1)],
    ["next-pass", "Next changed pass", ["]"], () => stepChanged(app, 1)],
    ["previous-stage", "Previous stage", ["{"], () => stepGroup(app, -1)],
    ["next-stage", "Next stage", ["}"], () => stepGroup(app, 1)],
    ["diff", "Diff or text", ["D"], diff],
  ];
}

function chainCommands(app: App): readonly Row[] {
  return [
    ["previous-call", "Back along the chain; pin the last call", [","], () => stepCall(app, -1)],
    ["next-call", "Forward along the chain; pin the first call", ["."], () => stepCall(app, 1)],
  ];
}

const presets: readonly (readonly [string, Partial<LayoutState>])[] = [
  ["Lower: IR diff and C", { tabA: "diff", tabB: "c", maximised: null }],
  ["Memory: the map, large", { maximised: "memory" }],
  ["Run: graph and result", { tabA: "graph", tabB: "result", maximised: null }],
];

function viewCommands({ actions }: App): readonly Row[] {
  const show = (id: string, title: string, patch: Partial<LayoutState>): Row => [
    id,
    title,
    [],
    () => actions.setLayout(patch),
  ];
  return [
    ...panesA.map(({ id, title }) => show(`tab-${id}`, `Show ${title}`, { tabA: id, slot: "a" })),
    ...panesB.map(({ id, title }) => show(`tab-${id}`, `Show ${title}`, { tabB: id, slot: "b" })),
    ...presets.map(([title, patch], index) => show(`preset-${index}`, title, patch)),
    ...(["light", "dark", "system"] as const).map((theme): Row => [
      `theme-${theme}`,
      `Theme: ${theme}`,
      [],
      () => actions.setSettings({ theme }),
    ]),
  ];
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
