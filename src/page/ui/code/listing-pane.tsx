// One listing in a slot: fetches it, shows it in a CodeView, and puts search, wrap, fold, copy and download
// into the header.
import { useState, type ReactNode } from "react";
import { listingText, type ListingId } from "../../../protocol/listing-id.ts";
import type { ListingView } from "../../../protocol/views.ts";
import type { ShownRun } from "../../store/state.ts";
import { useActions, useApp, useView } from "../kit/context.tsx";
import { Icon } from "../kit/icons.tsx";
import { MenuButton, type MenuItem } from "../kit/menu.tsx";
import { IconButton, PaneTools } from "../kit/pane-tools.tsx";
import { saveFile } from "../kit/save-file.ts";
import type { ChainNumber } from "../kit/primitive-style.tsx";
import { CodeView } from "./code-view.tsx";
import type { Fold } from "./rows.ts";
import type { ListingLanguage } from "./tokenise.ts";

interface ListingPaneProps {
  readonly run: ShownRun | null;
  readonly id: ListingId;
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
  const [find, setFind] = useState(false);
  const listing = view === null || view === "gone" ? null : view.view.listing;
  return (
    <>
      <PaneTools>
        {props.tools}
        <ListingTools
          text={listing?.text ?? ""}
          fileName={props.fileName}
          foldable={props.folds !== undefined}
          onFind={() => setFind(true)}
        />
      </PaneTools>
      <div className="bd col" aria-busy={view === null}>
        {view === "gone" && (
          <p className="note">The worker does not keep this listing any more. Compile again to see it.</p>
        )}
        {view === null && <p className="note qq">{run === null ? "Nothing compiled yet." : "…"}</p>}
        {view !== null && view !== "gone" && (
          <>
            <CodeView
              key={listingText(id)}
              run={view.run}
              listing={view.view.listing}
              language={language}
              label={label}
              findOpen={find}
              onFind={setFind}
              {...(props.flag === undefined ? {} : { flag: props.flag })}
              {...(props.folds === undefined ? {} : { folds: props.folds(view.run, view.view.listing) })}
            />
            {props.below?.(view.run, view.view.listing)}
          </>
        )}
      </div>
    </>
  );
}

function ListingTools({
  text,
  fileName,
  foldable,
  onFind,
}: {
  readonly text: string;
  readonly fileName: string;
  readonly foldable: boolean;
  readonly onFind: () => void;
}): ReactNode {
  const actions = useActions();
  const wrap = useApp((state) => state.settings.wrap);
  const foldUnlit = useApp((state) => state.settings.foldUnlit);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    actions.say(`Copied ${fileName}`);
  }
  const items: MenuItem[] = [
    { key: "find", label: "Find", note: "Ctrl+F", onChoose: onFind },
    {
      key: "wrap",
      label: "Wrap lines",
      note: "W",
      checked: wrap,
      onChoose: () => actions.setSettings({ wrap: !wrap }),
    },
    ...(foldable
      ? [
          {
            key: "fold",
            label: "Fold what is not pinned",
            checked: foldUnlit,
            onChoose: () => actions.setSettings({ foldUnlit: !foldUnlit }),
          },
        ]
      : []),
    {
      key: "save",
      label: `Save ${fileName}`,
      parted: true,
      disabled: text === "",
      onChoose: () => saveFile(fileName, [text], "text/plain"),
    },
  ];
  return (
    <>
      <button type="button" data-find hidden tabIndex={-1} aria-hidden="true" onClick={onFind} />
      <IconButton icon="copy" label={`Copy ${fileName}`} onClick={() => void copy()} disabled={text === ""} />
      <MenuButton name="" value={<Icon name="more" />} label="More for this pane" items={items} icon right />
    </>
  );
}
