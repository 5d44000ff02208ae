// One listing in a slot: fetches it, shows it in a CodeView, and puts search, wrap, fold, copy and download into the header.
import { useState, type ReactNode } from "react";
import type { ListingView } from "../../protocol/views.ts";
import type { ShownRun } from "../../store/state.ts";
import { useActions, useApp, useView } from "../app/context.tsx";
import { IconButton, PaneTools, useStale } from "../app/pane-tools.tsx";
import { saveFile } from "../app/save-file.ts";
import type { ChainNumber } from "../primitive-style.tsx";
import { CodeView } from "./code-view.tsx";
import type { Fold } from "./rows.ts";
import type { ListingLanguage } from "./tokenise.ts";

export interface ListingPaneProps {
  readonly run: ShownRun | null;
  readonly id: string;
  readonly language: ListingLanguage;
  readonly label: string;
  readonly fileName: string;
  readonly flag?: ChainNumber;
  readonly folds?: (run: ShownRun, listing: ListingView) => readonly Fold[];
  /** Buttons before the common ones. */
  readonly tools?: ReactNode;
  /** What stands under the listing. */
  readonly below?: (run: ShownRun, listing: ListingView) => ReactNode;
}

export function ListingPane(props: ListingPaneProps): ReactNode {
  const { run, id, language, label } = props;
  const view = useView(run, run === null ? null : { kind: "listing", id });
  const stale = useStale();
  const [find, setFind] = useState(false);
  const listing = view === null || view === "gone" ? null : view.view.listing;
  return (
    <>
      <PaneTools>
        {props.tools}
        <ListingTools text={listing?.text ?? ""} fileName={props.fileName} foldable={props.folds !== undefined} onFind={() => setFind(true)} />
      </PaneTools>
      <div className={stale === null ? "bd col" : "bd col stale"} aria-busy={view === null}>
        {view === "gone" && <p className="note">The worker does not keep this listing any more. Compile again to see it.</p>}
        {view === null && <p className="note qq">{run === null ? "Nothing compiled yet." : "…"}</p>}
        {view !== null && view !== "gone" && (
          <>
            <CodeView key={id} run={view.run} listing={view.view.listing} language={language} label={label} findOpen={find} onFind={setFind}
              {...(props.flag === undefined ? {} : { flag: props.flag })}
              {...(props.folds === undefined ? {} : { folds: props.folds(view.run, view.view.listing) })} />
            {props.below?.(view.run, view.view.listing)}
          </>
        )}
      </div>
    </>
  );
}

function ListingTools({ text, fileName, foldable, onFind }: {
  readonly text: string; readonly fileName: string; readonly foldable: boolean; readonly onFind: () => void;
}): ReactNode {
  const actions = useActions();
  const wrap = useApp((state) => state.settings.wrap);
  const foldUnlit = useApp((state) => state.settings.foldUnlit);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    actions.say(`Copied ${fileName}`);
  }
  return (
    <>
      <span data-find><IconButton icon="find" label="Find in this pane" title="Find (Ctrl+F)" onClick={onFind} /></span>
      <IconButton icon="wrap" label="Wrap lines" title="Wrap lines (W)" pressed={wrap} onClick={() => actions.setSettings({ wrap: !wrap })} />
      {foldable && (
        <IconButton icon="fold" label="Fold what is not pinned" pressed={foldUnlit} onClick={() => actions.setSettings({ foldUnlit: !foldUnlit })} />
      )}
      <IconButton icon="copy" label={`Copy ${fileName}`} onClick={() => void copy()} disabled={text === ""} />
      <IconButton icon="down" label={`Save ${fileName}`} onClick={() => saveFile(fileName, [text], "text/plain")} disabled={text === ""} />
    </>
  );
}
