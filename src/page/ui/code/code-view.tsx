// The one view of listings: virtual rows of 16 px with line numbers, the gutter mark of the owning primitive,
// small token colours, lit lines, folds, search, wrap and copy. Rows link by the listing's owner table; the
// text is never read for it.
import { useId, useMemo, useRef, useState, type ReactNode } from "react";
import { at } from "../../../support/assert.ts";
import type { ListingView } from "../../../protocol/views.ts";
import { primitiveOfRow, type Entity } from "../../store/selection.ts";
import type { ShownRun } from "../../store/state.ts";
import { useApp, useHover, usePinned } from "../kit/context.tsx";
import { primitiveStyle, type ChainNumber } from "../kit/primitive-style.tsx";
import { FindBar, type FindState } from "./find-bar.tsx";
import { lineClass, litLines, litRange, ownerRow, rangeIsLit, type Marks } from "./levels.ts";
import { Line } from "./line.tsx";
import {
  findAll,
  groupByLine,
  layRows,
  listingLines,
  rowAt,
  rowTop,
  rowTops,
  type Fold,
  type Found,
  type FoundRange,
  type LaidRows,
} from "./rows.ts";
import { commentLines, tokenise, type ListingLanguage, type Token } from "./tokenise.ts";
import { useCodeEvents } from "./use-code-events.ts";
import { useRevealFound, useRevealPinned } from "./use-reveal.ts";
import { useColumns, useWindow, type Window } from "./use-window.ts";

const overscan = 12;

interface CodeViewProps {
  readonly run: ShownRun;
  readonly listing: ListingView;
  readonly language: ListingLanguage;
  readonly label: string;
  /** Number of the chain that stands on the first pinned line. */
  readonly flag?: ChainNumber;
  /** Ranges that may close; those with nothing pinned in them close while something is pinned. */
  readonly folds?: readonly Fold[];
  readonly findOpen: boolean;
  readonly onFind: (open: boolean) => void;
}

export function CodeView(props: CodeViewProps): ReactNode {
  const { run, listing, findOpen } = props;
  const wrap = useApp((state) => state.settings.wrap);
  const pinnedLit = usePinned(run);
  const hoverLit = useHover(run);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [find, setFind] = useState<FindState>({ query: "", at: 0 });
  const ownRef = useRef<Entity | null>(null);
  const base = useId();

  const lines = useMemo(() => listingLines(listing), [listing]);
  const pinned = useMemo(() => litLines(pinnedLit, listing), [pinnedLit, listing]);
  const hover = useMemo(() => litLines(hoverLit, listing), [hoverLit, listing]);
  const lit = useMemo(() => litRange(pinned.level, lines.length), [pinned, lines]);
  const found = useMemo(() => (findOpen ? findAll(lines, find.query) : []), [findOpen, lines, find.query]);
  const foldUnlit = useApp((state) => state.settings.foldUnlit) && lit[0] >= 0 && !findOpen;
  const rows = useMemo(() => {
    const closes = (fold: Fold): boolean => !opened.has(fold.key) && !rangeIsLit(pinned.level, fold);
    return layRows(lines.length, foldUnlit && props.folds ? props.folds.filter(closes) : []);
  }, [lines, props.folds, pinned, foldUnlit, opened]);
  const columns = useColumns(scroller, wrap);
  const laid = useMemo(() => ({ rows, tops: rowTops(rows, lines, columns) }), [rows, lines, columns]);
  const view = useWindow(scroller);
  useRevealPinned(scroller, laid, pinnedLit, lit, ownRef);
  useRevealFound(scroller, laid, found[find.at]);
  const openFold = (key: string): void => setOpened(new Set([...opened, key]));
  const { cursor, handlers } = useCodeEvents({ listing, laid, scroller, view, ownRef, openFold });
  return (
    <>
      {findOpen && (
        <FindBar
          state={find}
          count={found.length}
          onChange={setFind}
          onClose={() => {
            props.onFind(false);
            scroller?.focus();
          }}
        />
      )}
      <div
        ref={setScroller}
        className="code scroll"
        role="listbox"
        aria-label={props.label}
        tabIndex={0}
        data-code
        aria-activedescendant={cursor >= 0 ? `${base}-${cursor}` : undefined}
        {...handlers}
      >
        <div
          className="rows"
          role="presentation"
          style={{
            height: rowTop(laid.tops, rows.length) + 8,
            minWidth: wrap ? undefined : `calc(${longest(lines)}ch + 64px)`,
          }}
        >
          <ShownLines
            {...props}
            base={base}
            lines={lines}
            laid={laid}
            view={view}
            found={found}
            foundAt={find.at}
            flagged={lit[0]}
            marks={{ pinned, hover, cursor, wrapped: columns > 0 }}
          />
        </div>
      </div>
    </>
  );
}

interface ShownLinesProps extends CodeViewProps {
  /** Starts the id of each line. */
  readonly base: string;
  readonly lines: readonly string[];
  readonly laid: LaidRows;
  readonly view: Window;
  readonly found: readonly Found[];
  readonly foundAt: number;
  /** Line that bears the flag, -1 for none. */
  readonly flagged: number;
  readonly marks: Marks;
}

/** The rows in sight and a few around them. */
function ShownLines(props: ShownLinesProps): ReactNode {
  const { run, listing, language, base, lines, laid, view, marks } = props;
  const { rows, tops } = laid;
  const comments = useMemo(() => commentLines(language, lines), [language, lines]);
  const from = Math.max(0, rowAt(tops, view.top) - overscan);
  const to = Math.min(rows.length, rowAt(tops, view.top + view.height) + overscan + 1);
  const byLine = groupByLine(props.found, props.foundAt);
  return rows.slice(from, to).map((row, i) => {
    const { line, fold } = row;
    const index = from + i;
    const full = at(lines, line, "line");
    const text = fold ? fold.label || full : full;
    const primitive = primitiveOfRow(run.summary, listing.owners, ownerRow(listing, line));
    const comment: readonly Token[] = [{ start: 0, end: full.length, kind: "cm" }];
    return (
      <Line
        key={fold ? `f${line}` : line}
        id={`${base}-${line}`}
        line={line}
        total={lines.length}
        text={text}
        tokens={comments.has(line) ? comment : tokenise(language, text)}
        found={fold ? noneFound : (byLine.get(line) ?? noneFound)}
        className={lineClass(row, rows[index - 1], rows[index + 1], marks)}
        gutter={primitive < 0 ? "" : primitiveStyle(primitive).gutterClass}
        flag={props.flag !== undefined && line === props.flagged ? props.flag : null}
        fold={fold}
        top={rowTop(tops, index)}
        height={rowTop(tops, index + 1) - rowTop(tops, index)}
        selected={marks.pinned.level(line) > 0}
      />
    );
  });
}

const noneFound: readonly FoundRange[] = [];

function longest(lines: readonly string[]): number {
  let most = 0;
  for (const line of lines) if (line.length > most) most = line.length;
  return Math.min(most, 4000);
}
