// The dialogs: help, commands, share; options have a file of their own. Each is made only while it is open.
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { App } from "../../../store/app.ts";
import { linkSize } from "../../../store/permalink.ts";
import { useApp, useAppObject } from "../../kit/context.tsx";
import { commandsFor, keyText, type Command } from "../commands/commands.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { OptionsDialog } from "./options-dialog.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { linkWith, relayName, relayText, saveRepro } from "../../kit/share.ts";
import { issueText } from "../../panes/problems/issue-text.ts";

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
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <div key={command.id}>
                    <dt>
                      {command.keys.map((key) => (
                        <kbd key={key}>{keyText(key)}</kbd>
                      ))}
                    </dt>
                    <dd>{command.title}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <section>
          <h3 className="b">In panes</h3>
          <dl>
            <div>
              <dt>
                <kbd>↑</kbd>
                <kbd>↓</kbd>
              </dt>
              <dd>Move by row; Enter pins</dd>
            </div>
            <div>
              <dt>
                <kbd>Shift</kbd> click
              </dt>
              <dd>In the rail: pick the other side of the diff</dd>
            </div>
            <div>
              <dt>
                <kbd>Ctrl</kbd>
                <kbd>M</kbd>
              </dt>
              <dd>In the editor: Tab inserts or leaves</dd>
            </div>
          </dl>
        </section>
      </div>
      <p className="dlgrow">
        <label>
          <input
            type="checkbox"
            checked={singleKeys}
            onChange={(event) => app.actions.setSettings({ singleKeys: event.target.checked })}
          />{" "}
          Single-letter keys act outside editors
        </label>
      </p>
      <p className="dlgrow q">
        Relayscope compiles in this tab; nothing leaves it. Hover to see where a thing is in every pane, click
        to pin it, follow the numbers 1 to 7.
      </p>
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
      <input
        data-first
        className="pinput"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-label="Command"
        aria-activedescendant={scored[current] ? `cmd-${scored[current].command.id}` : undefined}
        placeholder="What to do"
        value={query}
        spellCheck={false}
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
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands" className="scroll plist">
        {scored.map(({ command }, index) => (
          <li
            key={command.id}
            id={`cmd-${command.id}`}
            role="option"
            aria-selected={index === current}
            className={index === current ? "on" : ""}
            ref={(element) => {
              if (index === current) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => choose(command)}
          >
            <span>{command.title}</span>
            <span className="sp" />
            <span className="qq">{command.keys.map(keyText).join("  ")}</span>
          </li>
        ))}
        {scored.length === 0 && (
          <li role="option" aria-selected="false" className="q">
            No such command
          </li>
        )}
      </ul>
    </Dialog>
  );
}

const limits: readonly (readonly [number, string])[] = [
  [2000, "chat message, 2,000"],
  [8192, "GitHub issue URL, 8,192"],
  [32_000, "address bar, 32,000"],
];

/** The Relay text of the open model: undefined while it is fetched, null where the model could not be read. */
function useRelayText(app: App): string | null | undefined {
  const [text, setText] = useState<string | null | undefined>(() => {
    const { source } = app.store.getState();
    return source.file === null ? source.text : undefined;
  });
  useEffect(() => {
    let gone = false;
    void relayText(app).then((found) => {
      if (!gone) setText(found);
    });
    return () => {
      gone = true;
    };
  }, [app]);
  return text;
}

function ShareDialog(): ReactNode {
  const app = useAppObject();
  const { source, options, compile } = app.store.getState();
  const found = useRelayText(app);
  const text = found ?? "";
  const link = useMemo(() => (found == null ? found : linkWith(app, found)), [app, found]);
  const { say } = app.actions;
  const made = link ?? "";
  const size = linkSize(made.length);
  const seeded = compile.shown?.summary.seededConstants ?? 0;
  const copy = (words: string, what: string) => () =>
    void navigator.clipboard.writeText(words).then(() => say(`Copied ${what}`));
  const imported = source.file !== null;
  return (
    <Dialog title="Share">
      {link === null ? (
        <p className="dlgrow q">
          {source.name} could not be read, so there is no link to it. The zip carries the file, its options
          and what the compiler said.
        </p>
      ) : (
        <>
          <div className="dlgrow col">
            <label className="q" htmlFor="share-link">
              Link to this state: {imported ? "imported Relay" : "text"}, options, tabs and what is pinned
            </label>
            <input
              id="share-link"
              className="mono linkbox"
              readOnly
              value={made}
              onFocus={(event) => event.target.select()}
            />
          </div>
          <p className="dlgrow chips">
            <span className={`lchip ${size}`}>{made.length.toLocaleString("en")} characters</span>
            {limits.map(([limit, what]) => (
              <span key={limit} className={made.length <= limit ? "lchip fits" : "lchip over"}>
                {made.length <= limit ? "fits" : "too long for"} {what}
              </span>
            ))}
          </p>
          {size === "bundle" && (
            <p className="dlgrow q">This is too long to travel well as a link. Save the zip and send that.</p>
          )}
          {imported && (
            <p className="dlgrow q">
              <b className="warn">The weights are not in the link.</b> Whoever opens it gets the Relay that{" "}
              {source.name} was imported as, with seeded values for its constants: the same compilation, other
              results. The zip carries the weights.
            </p>
          )}
          {!imported && seeded > 0 && (
            <p className="dlgrow q">
              {seeded} constants have no values in the text; whoever opens the link gets the same seeded ones.
            </p>
          )}
        </>
      )}
      <p className="dlgrow btns">
        {link !== null && (
          <button
            type="button"
            className="fix strong"
            disabled={link === undefined}
            onClick={copy(made, "the link")}
          >
            Copy link
          </button>
        )}
        {link !== null && (
          <button
            type="button"
            className="fix"
            disabled={link === undefined}
            onClick={copy(`[${source.name} in Relayscope](${made})`, "Markdown")}
          >
            Copy Markdown
          </button>
        )}
        <button
          type="button"
          className="fix"
          onClick={copy(
            `${issueText(text, options, compile.diagnostics)}${link == null ? "" : `\n${link}\n`}`,
            "as an issue",
          )}
        >
          Copy as issue
        </button>
        <button
          type="button"
          className={link === null ? "fix strong" : "fix"}
          title="Model, options, version, problems, C and WAT"
          onClick={() => void saveRepro(app)}
        >
          Save .repro.zip
        </button>
        <button
          type="button"
          className="fix"
          disabled={text === ""}
          onClick={() => saveText(source.name, text, imported)}
        >
          Save {imported ? "Relay" : "text"}
        </button>
      </p>
      <p className="dlgrow q">
        The link holds everything after the #; it is never sent to a server. Opening it compiles, it does not
        run.
      </p>
    </Dialog>
  );
}

function saveText(name: string, text: string, imported: boolean): void {
  saveFile(imported ? relayName(name) : name.includes(".") ? name : `${name}.relay`, [text], "text/plain");
}
