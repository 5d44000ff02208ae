// Sharing: a link to the state with how far it will travel, and everything as a zip or an issue.
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { App } from "../../../store/app.ts";
import { linkSize } from "../../../store/permalink.ts";
import { useAppObject } from "../../kit/context.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { linkWith, relayName, relayText, saveRepro } from "../../kit/share.ts";
import { issueText } from "../../panes/problems/issue-text.ts";

const limits: readonly (readonly [number, string])[] = [
  [2000, "chat message, 2,000"],
  [8192, "GitHub issue URL, 8,192"],
  [32_000, "address bar, 32,000"],
];

/**
 * The Relay text of the open model: undefined while it is fetched, null where the model could not be read.
 */
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

export function ShareDialog(): ReactNode {
  const app = useAppObject();
  const { source } = app.store.getState();
  const text = useRelayText(app);
  const link = useMemo(() => (text == null ? text : linkWith(app, text)), [app, text]);
  return (
    <Dialog title="Share">
      {link === null ? (
        <p className="dlgrow q">
          {source.name} could not be read, so there is no link to it. The zip carries the file, its options
          and what the compiler said.
        </p>
      ) : (
        <LinkRows app={app} link={link ?? ""} />
      )}
      <p className="dlgrow btns">
        {link !== null && <CopyButtons app={app} link={link} />}
        <SaveButtons app={app} link={link} text={text ?? ""} />
      </p>
      <p className="dlgrow q">
        The link holds everything after the #; it is never sent to a server. Opening it compiles, it does not
        run.
      </p>
    </Dialog>
  );
}

/** The link, how far it will travel, and what it does not carry. */
function LinkRows({ app, link }: { readonly app: App; readonly link: string }): ReactNode {
  const { source, compile } = app.store.getState();
  const size = linkSize(link.length);
  const imported = source.file !== null;
  const seeded = compile.shown?.summary.seededConstants ?? 0;
  return (
    <>
      <div className="dlgrow col">
        <label className="q" htmlFor="share-link">
          Link to this state: {imported ? "imported Relay" : "text"}, options, tabs and what is pinned
        </label>
        <input
          id="share-link"
          className="mono linkbox"
          readOnly
          value={link}
          onFocus={(event) => event.target.select()}
        />
      </div>
      <p className="dlgrow chips">
        <span className={`lchip ${size}`}>{link.length.toLocaleString("en")} characters</span>
        {limits.map(([limit, what]) => (
          <span key={limit} className={link.length <= limit ? "lchip fits" : "lchip over"}>
            {link.length <= limit ? "fits" : "too long for"} {what}
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
  );
}

function copy(app: App, words: string, what: string): void {
  void navigator.clipboard.writeText(words).then(() => app.actions.say(`Copied ${what}`));
}

/** `link` undefined: it is still being made. */
function CopyButtons({ app, link }: { readonly app: App; readonly link: string | undefined }): ReactNode {
  const { name } = app.store.getState().source;
  const made = link ?? "";
  const disabled = link === undefined;
  return (
    <>
      <button
        type="button"
        className="fix strong"
        disabled={disabled}
        onClick={() => copy(app, made, "the link")}
      >
        Copy link
      </button>
      <button
        type="button"
        className="fix"
        disabled={disabled}
        onClick={() => copy(app, `[${name} in Relayscope](${made})`, "Markdown")}
      >
        Copy Markdown
      </button>
    </>
  );
}

function SaveButtons({
  app,
  link,
  text,
}: {
  readonly app: App;
  /** null: there can be none; undefined: it is still being made. */
  readonly link: string | null | undefined;
  readonly text: string;
}): ReactNode {
  const { source, options, compile } = app.store.getState();
  const imported = source.file !== null;
  const issue = (): string =>
    `${issueText(text, options, compile.diagnostics)}${link == null ? "" : `\n${link}\n`}`;
  return (
    <>
      <button type="button" className="fix" onClick={() => copy(app, issue(), "as an issue")}>
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
    </>
  );
}

function saveText(name: string, text: string, imported: boolean): void {
  saveFile(imported ? relayName(name) : name.includes(".") ? name : `${name}.relay`, [text], "text/plain");
}
