// The dialogs: native <dialog>, which traps the focus and gives it back. Each is made only while it is open.
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { App } from "../../store/app.ts";
import { defaultOptions, type Options } from "../../protocol/compile.ts";
import { linkSize } from "../../store/permalink.ts";
import { useActions, useApp, useAppObject } from "./context.tsx";
import { commandsFor, keyText, type Command } from "./commands.ts";
import { IconButton } from "./pane-tools.tsx";
import { saveFile } from "./save-file.ts";
import { currentLink } from "./share.ts";
import { changedOptions, issueText } from "../problems/issue-text.ts";

export function Dialogs(): ReactNode {
  const dialog = useApp((state) => state.dialog);
  switch (dialog) {
    case null:
      return null;
    case "help":
      return <HelpDialog />;
    case "palette":
      return <Palette />;
    case "share":
      return <ShareDialog />;
    case "options":
      return <OptionsDialog />;
  }
}

function Dialog({ title, className, children }: { readonly title: string; readonly className?: string; readonly children: ReactNode }): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const { openDialog } = useActions();
  useEffect(() => {
    const element = ref.current;
    if (!element || element.open) return;
    element.showModal();
    // React's autoFocus acts before the dialog shows, when nothing in it can take the focus yet.
    element.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog ref={ref} className={`dlg ${className ?? ""}`} aria-label={title} onClose={() => openDialog(null)}
      onPointerDown={(event) => {
        if (event.target === ref.current) ref.current?.close();
      }}>
      <div className="dlgin">
        <div className="hd"><h2>{title}</h2><span className="sp" /><IconButton icon="close" label="Close" title="Close (Esc)" onClick={() => ref.current?.close()} /></div>
        {children}
      </div>
    </dialog>
  );
}

function HelpDialog(): ReactNode {
  const app = useAppObject();
  const singleKeys = useApp((state) => state.settings.singleKeys);
  const commands = commandsFor(app).filter((command) => command.keys.length > 0);
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Dialog title="Keyboard" className="wide">
      <div className="keys">
        {groups.map((group) => (
          <section key={group}>
            <h3 className="b">{group}</h3>
            <dl>
              {commands.filter((command) => command.group === group).map((command) => (
                <div key={command.id}><dt>{command.keys.map((key) => <kbd key={key}>{keyText(key)}</kbd>)}</dt><dd>{command.title}</dd></div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3 className="b">In panes</h3>
          <dl>
            <div><dt><kbd>↑</kbd><kbd>↓</kbd></dt><dd>Move by row; Enter pins</dd></div>
            <div><dt><kbd>Shift</kbd> click</dt><dd>In the rail: pick the other side of the diff</dd></div>
            <div><dt><kbd>Ctrl</kbd><kbd>M</kbd></dt><dd>In the editor: Tab inserts or leaves</dd></div>
          </dl>
        </section>
      </div>
      <p className="dlgrow"><label><input type="checkbox" checked={singleKeys} onChange={(event) => app.actions.setSettings({ singleKeys: event.target.checked })} /> Single-letter keys act outside editors</label></p>
      <p className="dlgrow q">Relayscope compiles in this tab; nothing leaves it. Hover to see where a thing is in every pane, click to pin it, follow the numbers 1 to 7.</p>
    </Dialog>
  );
}

/** Letters of the query in order; earlier and denser is better. Null = no match. */
export function fuzzyScore(text: string, query: string): number | null {
  const hay = text.toLowerCase();
  let at = -1;
  let score = 0;
  for (const char of query.toLowerCase().replaceAll(" ", "")) {
    const next = hay.indexOf(char, at + 1);
    if (next < 0) return null;
    score += next - at;
    at = next;
  }
  return score;
}

function Palette(): ReactNode {
  const app = useAppObject();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const scored = commandsFor(app)
    .flatMap((command): { command: Command; score: number }[] => {
      const score = fuzzyScore(`${command.title} ${command.group}`, query);
      return score === null ? [] : [{ command, score }];
    })
    .sort((a, b) => a.score - b.score);
  const choose = (command: Command | undefined): void => {
    app.actions.openDialog(null);
    // After the dialog gave the focus back, so that commands which move it win.
    if (command) setTimeout(() => command.run(), 0);
  };
  const current = Math.min(at, scored.length - 1);
  return (
    <Dialog title="Commands" className="palette">
      <input data-first className="pinput" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-label="Command" aria-activedescendant={scored[current] ? `cmd-${scored[current].command.id}` : undefined}
        placeholder="What to do" value={query} spellCheck={false}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(current + 1, scored.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(current - 1, 0));
          else if (event.key === "Enter") choose(scored[current]?.command);
          else return;
          event.preventDefault();
        }} />
      <ul id="palette-list" role="listbox" aria-label="Commands" className="scroll plist">
        {scored.map(({ command }, index) => (
          <li key={command.id} id={`cmd-${command.id}`} role="option" aria-selected={index === current} className={index === current ? "on" : ""}
            ref={(element) => {
              if (index === current) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => choose(command)}>
            <span>{command.title}</span><span className="sp" /><span className="qq">{command.keys.map(keyText).join("  ")}</span>
          </li>
        ))}
        {scored.length === 0 && <li role="option" aria-selected="false" className="q">No such command</li>}
      </ul>
    </Dialog>
  );
}

const limits: readonly (readonly [number, string])[] = [[2000, "chat message, 2,000"], [8192, "GitHub issue URL, 8,192"], [32_000, "address bar, 32,000"]];

function ShareDialog(): ReactNode {
  const app = useAppObject();
  const state = app.store.getState();
  const [link] = useState(() => currentLink(state));
  const { say } = app.actions;
  const size = linkSize(link.length);
  const seeded = state.compile.shown?.summary.seededConstants ?? 0;
  const copy = (text: string, what: string) => () => void navigator.clipboard.writeText(text).then(() => say(`Copied ${what}`));
  return (
    <Dialog title="Share">
      <div className="dlgrow col">
        <label className="q" htmlFor="share-link">Link to this state: text, options, tabs and what is pinned</label>
        <input id="share-link" className="mono linkbox" readOnly value={link} onFocus={(event) => event.target.select()} />
      </div>
      <p className="dlgrow chips">
        <span className={`lchip ${size}`}>{link.length.toLocaleString("en")} characters</span>
        {limits.map(([limit, what]) => <span key={limit} className={link.length <= limit ? "lchip fits" : "lchip over"}>{link.length <= limit ? "fits" : "too long for"} {what}</span>)}
      </p>
      {size === "bundle" && <p className="dlgrow q">This is too long to travel well as a link. Save the text and send the file.</p>}
      {seeded > 0 && <p className="dlgrow q">{seeded} constants have no values in the text; whoever opens the link gets the same seeded ones.</p>}
      <p className="dlgrow btns">
        <button type="button" className="fix strong" onClick={copy(link, "the link")}>Copy link</button>
        <button type="button" className="fix" onClick={copy(`[${state.source.name} in Relayscope](${link})`, "Markdown")}>Copy Markdown</button>
        <button type="button" className="fix" onClick={copy(`${issueText(state.source.text, state.options, state.compile.diagnostics)}\n${link}\n`, "as an issue")}>Copy as issue</button>
        <button type="button" className="fix" onClick={() => saveSource(app)}>Save text</button>
      </p>
      <p className="dlgrow q">The link holds everything after the #; it is never sent to a server. Opening it compiles, it does not run.</p>
    </Dialog>
  );
}

function saveSource(app: App): void {
  const { source } = app.store.getState();
  saveFile(source.name.includes(".") ? source.name : `${source.name}.relay`, [source.text], "text/plain");
}

/** Passes that may be switched off, in pipeline order. */
const passNames = [
  "RemoveUnusedFunctions", "ToBasicBlockNormalForm", "Legalize", "SimplifyInference", "DynamicToStatic", "EliminateCommonSubexpr", "SimplifyExpr", "CombineParallelConv2d",
  "CombineParallelDense", "CombineParallelBatchMatmul", "FoldConstant", "FoldScaleAxis", "CanonicalizeCast", "CanonicalizeOps", "AlterOpLayout", "FastMath", "SplitArgs", "FuseOps",
];

function Row({ label, hint, children }: { readonly label: string; readonly hint?: string; readonly children: ReactNode }): ReactNode {
  return <div className="orow"><span className="ol">{label}</span><span className="oc">{children}</span>{hint !== undefined && <span className="oh q">{hint}</span>}</div>;
}

function Choice<T extends string | number>({ label, value, options, onChange }: { readonly label: string; readonly value: T; readonly options: readonly (readonly [T, string])[]; readonly onChange: (value: T) => void }): ReactNode {
  return (
    <span className="seg" role="group" aria-label={label}>
      {options.map(([key, text]) => <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>{text}</button>)}
    </span>
  );
}

function OptionsDialog(): ReactNode {
  const actions = useActions();
  const options = useApp((state) => state.options);
  const set = (patch: Partial<Options>): void => actions.setOptions(patch);
  const depth = options.config["relay.FuseOps.max_depth"] ?? "";
  const changed = Object.keys(changedOptions(options)).length;
  const toggle = (pass: string): void => {
    const off = options.disabledPasses.includes(pass);
    set({ disabledPasses: off ? options.disabledPasses.filter((name) => name !== pass) : [...options.disabledPasses, pass] });
  };
  return (
    <Dialog title="Options" className="wide">
      <div className="orows scroll">
        <Row label="Target" hint="wasm uses schedules for WebAssembly; the module itself is made for both">
          <Choice label="Target" value={options.targets[0]?.kind ?? "c"} options={[["c", "c"], ["wasm", "wasm"]]} onChange={(kind) => set({ targets: [{ device: 1, kind }] })} />
        </Row>
        <Row label="Optimisation level" hint="a pass runs if its level is at most this; TVM's own default is 2">
          <Choice label="Optimisation level" value={options.optLevel} options={[[0, "0"], [1, "1"], [2, "2"], [3, "3"], [4, "4"]]} onChange={(optLevel) => set({ optLevel })} />
        </Row>
        <Row label="Executor"><Choice label="Executor" value={options.executor} options={[["aot", "aot"], ["graph", "graph"]]} onChange={(executor) => set({ executor })} /></Row>
        <Row label="Interface API" hint="how the C entry point takes its tensors">
          <Choice label="Interface API" value={options.interfaceApi} options={[["c", "c"], ["packed", "packed"]]} onChange={(interfaceApi) => set({ interfaceApi })} />
        </Row>
        <Row label="Unpacked API" hint="primitives take plain pointers; interface c needs it">
          <Choice label="Unpacked API" value={options.unpackedApi ? "on" : "off"} options={[["on", "on"], ["off", "off"]]} onChange={(value) => set({ unpackedApi: value === "on" })} />
        </Row>
        <Row label="Link parameters" hint="constants become part of the code; AOT needs it">
          <Choice label="Link parameters" value={options.linkParams ? "on" : "off"} options={[["on", "on"], ["off", "off"]]} onChange={(value) => set({ linkParams: value === "on" })} />
        </Row>
        <Row label="Module name" hint="letters, digits, _; symbols start tvmgen_NAME_">
          <TextField label="Module name" value={options.modName} valid={(text) => /^[A-Za-z_]\w*$/.test(text)} onChange={(modName) => set({ modName })} />
        </Row>
        <Row label="FuseOps max_depth" hint="operators in one primitive at most; empty = 256">
          <TextField label="FuseOps max depth" value={depth} valid={(text) => text === "" || /^[1-9]\d{0,5}$/.test(text)} onChange={(text) => {
            const rest = Object.fromEntries(Object.entries(options.config).filter(([key]) => key !== "relay.FuseOps.max_depth"));
            set({ config: text === "" ? rest : { ...rest, "relay.FuseOps.max_depth": text } });
          }} />
        </Row>
        <Row label="Bind parameters" hint="names of main's parameters to make constants, by the fill rule; comma between">
          <TextField label="Bind parameters" value={options.bindFill.join(", ")} valid={() => true} onChange={(text) => set({ bindFill: text.split(",").map((name) => name.trim()).filter((name) => name !== "") })} />
        </Row>
        <fieldset className="passes">
          <legend>Passes that may run</legend>
          {passNames.map((pass) => (
            <label key={pass}><input type="checkbox" checked={!options.disabledPasses.includes(pass)} onChange={() => toggle(pass)} /> {pass}</label>
          ))}
        </fieldset>
      </div>
      <p className="dlgrow btns">
        <span className="q">{changed === 0 ? "All as by default" : `${changed} differ from the defaults`}</span><span className="sp" />
        <button type="button" className="fix" disabled={changed === 0} onClick={() => set(defaultOptions)}>Defaults</button>
      </p>
    </Dialog>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly valid: (text: string) => boolean;
  readonly onChange: (text: string) => void;
}

/** Takes effect on Enter or when left, only if valid; starts afresh when the value changes elsewhere. */
function TextField(props: TextFieldProps): ReactNode {
  return <EditedField key={props.value} {...props} />;
}

function EditedField({ label, value, valid, onChange }: TextFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const good = valid(text);
  const commit = (): void => {
    if (good && text !== value) onChange(text);
  };
  return (
    <input className="tf mono" aria-label={label} aria-invalid={!good} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }} />
  );
}
