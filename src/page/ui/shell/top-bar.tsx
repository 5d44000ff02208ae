// The top bar: what is compiled and how, Run, and how it went. The same controls serve the phone's header in
// a short form.
import type { ReactNode } from "react";
import { stageTitles, type Options } from "../../../compiler/options.ts";
import { isEmpty } from "../../store/compiling.ts";
import type { Theme, PlannerId } from "../../store/state.ts";
import { examples, exampleSource } from "../examples/examples.ts";
import { bytesText } from "../kit/labels.ts";
import { useActions, useApp, useAppObject } from "../kit/context.tsx";
import { Icon, Logo, StateMark } from "../kit/icons.tsx";
import { MenuButton, type MenuItem } from "../kit/menu.tsx";
import { chooseFile } from "./open-file.ts";
import { clock, IconButton } from "../kit/pane-tools.tsx";

const plannerTitles: readonly (readonly [PlannerId, string])[] = [
  ["on-demand", "On-demand"],
  ["storage-rewrite", "StorageRewrite"],
  ["graph-plan", "GraphPlanMemory"],
  ["greedy", "Greedy arena"],
  ["hill-climb", "Hill climb"],
  ["lower-bound", "Lower bound"],
];

/** "lenet" of "lenet.relay"; a model file keeps its ending. */
function baseName(name: string): string {
  return name.replace(/\.(relay|txt)$/, "");
}

export function ModelMenu({ compact }: { readonly compact?: boolean }): ReactNode {
  const app = useAppObject();
  const { actions } = app;
  const name = useApp((state) => state.source.name);
  const empty = useApp((state) => isEmpty(state.source));
  const exampleId = useApp((state) => state.source.exampleId);
  const items: MenuItem[] = [
    ...examples.map((example): MenuItem => ({
      key: example.id,
      label: example.title,
      checked: example.id === exampleId,
      onChoose: () => actions.replaceSource(exampleSource(example), "The example"),
    })),
    {
      key: "new",
      label: "Start page",
      note: "all examples",
      parted: true,
      onChoose: () =>
        actions.replaceSource({ text: "", name: "untitled", exampleId: null }, "The start page"),
    },
    ...(compact ? [{ key: "open", label: "Open…", onChoose: () => chooseFile(app) }] : []),
  ];
  return (
    <MenuButton
      name={compact ? "" : "Model"}
      label="Model"
      compact={compact === true}
      value={empty ? "none" : baseName(name)}
      items={items}
    />
  );
}

function targetText(options: Options): string {
  return options.targets
    .map(({ device, kind }) => (options.targets.length > 1 ? `${device}=${kind}` : kind))
    .join(", ");
}

function TargetMenu(): ReactNode {
  const actions = useActions();
  const options = useApp((state) => state.options);
  const only = options.targets.length === 1 ? options.targets[0]?.kind : undefined;
  const items: MenuItem[] = [
    ...(["c", "wasm"] as const).map((kind): MenuItem => ({
      key: kind,
      label: kind,
      checked: only === kind,
      note: kind === "c" ? "portable C" : "schedules for WebAssembly",
      onChoose: () => actions.setOptions({ targets: [{ device: 1, kind }] }),
    })),
    { key: "more", label: "All options…", parted: true, onChoose: () => actions.openDialog("options") },
  ];
  return <MenuButton name="Target" value={targetText(options)} items={items} />;
}

function OptLevel(): ReactNode {
  const actions = useActions();
  const level = useApp((state) => state.options.optLevel);
  const levels = level === 4 ? ([0, 1, 2, 3, 4] as const) : ([0, 1, 2, 3] as const);
  return (
    <span className="fld">
      <span>Opt</span>
      <span className="seg" role="group" aria-label="Optimisation level">
        {levels.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === level}
            onClick={() => actions.setOptions({ optLevel: value })}
          >
            {value}
          </button>
        ))}
      </span>
    </span>
  );
}

function ExecutorMenu(): ReactNode {
  const actions = useActions();
  const executor = useApp((state) => state.options.executor);
  const items = (["aot", "graph"] as const).map((kind): MenuItem => ({
    key: kind,
    label: kind,
    note: kind === "aot" ? "one function calls all" : "interprets the graph JSON",
    checked: kind === executor,
    onChoose: () => actions.setOptions({ executor: kind }),
  }));
  return <MenuButton name="Executor" value={executor} items={items} />;
}

function PlannerMenu(): ReactNode {
  const actions = useActions();
  const planner = useApp((state) => state.layout.planner);
  const items = plannerTitles.map(([id, title]): MenuItem => ({
    key: id,
    label: title,
    checked: id === planner,
    onChoose: () => actions.setLayout({ planner: id }),
  }));
  return (
    <MenuButton
      name="Planner"
      value={plannerTitles.find(([id]) => id === planner)?.[1] ?? planner}
      items={items}
    />
  );
}

export function RunButton({ compact }: { readonly compact?: boolean }): ReactNode {
  const actions = useActions();
  const busy = useApp(
    (state) =>
      (state.compile.phase === "compiling" && state.compile.slow) || state.runner.status === "running",
  );
  return (
    <button
      type="button"
      className="run"
      aria-label={busy ? "Stop" : "Run"}
      title={busy ? "Stop (Ctrl+.)" : "Compile and run (Ctrl+Shift+Enter)"}
      onClick={() => (busy ? actions.stop() : void actions.run())}
    >
      <Icon name={busy ? "stop" : "run"} size={12} />
      {!compact && (busy ? "Stop" : "Run")}
    </button>
  );
}

function count(many: number, one: string, more = `${one}s`): ReactNode {
  return (
    <>
      <b>{many.toLocaleString("en")}</b> {many === 1 ? one : more}
    </>
  );
}

export function StatusChip({ compact }: { readonly compact?: boolean }): ReactNode {
  const compile = useApp((state) => state.compile);
  const { phase, shown, diagnostics, failure, progress, slow, crash } = compile;
  const since = shown === null || compact ? null : <> · showing the output of {clock(shown.at)}</>;
  if (phase === "compiling" && slow) {
    const stage = progress === null ? "starting" : stageTitles[progress.stage];
    return (
      <span className="chip" role="status">
        <StateMark state="busy" />
        <span>compiling{compact ? "" : `: ${stage}`}</span>
      </span>
    );
  }
  if (phase === "crashed")
    return (
      <span className="chip bad" role="alert">
        <StateMark state="error" />
        <span>
          <b>compiler stopped</b>
          {compact ? null : <> · {crash?.message.slice(0, 60)}</>}
        </span>
      </span>
    );
  if (phase === "failed") {
    const errors = diagnostics.filter((found) => found.severity === "error").length;
    const stage = failure?.stoppedAt == null ? "" : ` in ${stageTitles[failure.stoppedAt]}`;
    return (
      <span className="chip bad" role="alert">
        <StateMark state="error" />
        <span>
          <b>
            {errors.toLocaleString("en")} error{errors === 1 ? "" : "s"}
          </b>
          {compact ? null : stage}
          {since}
        </span>
      </span>
    );
  }
  if (phase === "stopped")
    return (
      <span className="chip" role="status">
        <StateMark state="idle" />
        <span>stopped{since}</span>
      </span>
    );
  if (shown === null)
    return (
      <span className="chip" role="status">
        <StateMark state="idle" />
        <span>
          {phase === "compiling" ? "compiling" : compact ? "ready" : "compiler ready · nothing compiled yet"}
        </span>
      </span>
    );
  const { totalMs, primitives, dynamic, arenaBytes, workspaceBytes, worstCallBytes } = shown.summary;
  const ms = <b>{Math.max(1, Math.round(totalMs)).toLocaleString("en")} ms</b>;
  const memory = (
    <>
      arena <b>{bytesText(arenaBytes)}</b> + workspace <b>{bytesText(workspaceBytes)}</b>
    </>
  );
  const title = dynamic
    ? "Shapes are known only when the program runs, and so is its memory"
    : `Arena ${arenaBytes.toLocaleString("en")} B between calls, workspace up to ${workspaceBytes.toLocaleString("en")} B inside one call; worst call ${worstCallBytes.toLocaleString("en")} B together`;
  return (
    <span className="chip" role="status" title={title}>
      <StateMark state="ok" />
      {compact ? (
        <span>
          {ms} · {count(primitives.length, "prim")} · {dynamic ? "dynamic" : <b>{bytesText(arenaBytes)}</b>}
        </span>
      ) : (
        <span>
          compiled in {ms} · {count(primitives.length, "primitive")} · {dynamic ? "dynamic shapes" : memory}
        </span>
      )}
    </span>
  );
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function useSwitchTheme(): () => void {
  const actions = useActions();
  const theme = useApp((state) => state.settings.theme);
  return () => {
    // From "system" the first press must be seen: go to the other one of what the system shows.
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    actions.setSettings({
      theme:
        theme === "system"
          ? dark
            ? "light"
            : "dark"
          : nextTheme[theme] === "system"
            ? "system"
            : nextTheme[theme],
    });
  };
}

export function TopBar({ onDrawer }: { readonly onDrawer: (() => void) | null }): ReactNode {
  const app = useAppObject();
  const { actions } = app;
  const theme = useApp((state) => state.settings.theme);
  const switchTheme = useSwitchTheme();
  return (
    <header className="top" data-region="bar" tabIndex={-1} aria-label="Toolbar">
      {onDrawer !== null && <IconButton icon="drawer" label="Source drawer" onClick={onDrawer} />}
      <h1 className="logo">
        <Logo />
        <span>Relayscope</span>
      </h1>
      <ModelMenu />
      <button type="button" className="tbtn" title="Open a file (Ctrl+O)" onClick={() => chooseFile(app)}>
        Open…
      </button>
      <span className="vr" />
      <TargetMenu />
      <OptLevel />
      <ExecutorMenu />
      <PlannerMenu />
      <IconButton icon="options" label="Options…" onClick={() => actions.openDialog("options")} />
      <span className="vr" />
      <RunButton />
      <StatusChip compact={onDrawer !== null} />
      <span className="sp" />
      <button
        type="button"
        className="tbtn"
        title="Share (Ctrl+Shift+S)"
        onClick={() => actions.openDialog("share")}
      >
        Share
      </button>
      <IconButton icon="theme" label="Switch theme" title={`Theme: ${theme}`} onClick={switchTheme} />
      <button
        type="button"
        className="ibtn"
        aria-label="Help"
        title="Shortcuts (?)"
        onClick={() => actions.openDialog("help")}
      >
        <span className="b">?</span>
      </button>
    </header>
  );
}
