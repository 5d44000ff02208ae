// The command palette: type a few letters of what to do.
import { useState, type ReactNode } from "react";
import { useAppObject } from "../../kit/context.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { commandsFor, type Command } from "../commands/commands.ts";
import { keyText } from "../commands/keys.ts";

/** Letters of the query in order; earlier and denser is better. Null = no match. */
function fuzzyScore(text: string, query: string): number | null {
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

export function Palette(): ReactNode {
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
