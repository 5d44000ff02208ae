// Keys: every command that has one, and what acts inside panes.
import type { ReactNode } from "react";
import { useApp, useAppObject } from "../../kit/context.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { commandsFor } from "../commands/commands.ts";
import { keyText } from "../commands/keys.ts";

export function HelpDialog(): ReactNode {
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
