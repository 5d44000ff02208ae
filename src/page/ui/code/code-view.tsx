// The one view of listings: virtual rows of 16 px with line numbers, the gutter mark of the owning primitive, small token
// colours, lit lines, folds, search, wrap and copy. Rows link by the listing's owner table; the text is never read for it.
import {
  memo,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import type { ListingView } from "../../../protocol/views.ts";
import {
  entityOfRow,
  lineIsHit,
  lineIsLit,
  primitiveOfRow,
  sameEntity,
  type Entity,
  type Lit,
} from "../../store/selection.ts";
import type { ShownRun } from "../../store/state.ts";
import { useActions, useApp, useHover, usePinned } from "../kit/context.tsx";
import { primitiveStyle, type ChainNumber } from "../kit/primitive-style.tsx";
import { FindBar, type FindState } from "./find-bar.tsx";
import { reveal } from "./glide.ts";
import { findAll, layRows, rowAt, rowOfLine, rowTops, type Fold, type Found, type Row } from "./rows.ts";
import { commentLines, tokenise, type ListingLanguage, type Token } from "./tokenise.ts";
import { Tokens } from "./tokens.tsx";

export const rowHeight = 16;
const overscan = 12;

export interface CodeViewProps {
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

/** 0 not lit, 1 in the extent, 2 the thing itself. */
type Level = 0 | 1 | 2;

function levels(lit: Lit | null, listing: ListingView): Uint8Array | null {
  if (lit === null) return null;
  const rows = new Uint8Array(listing.owners.call.length + 1);
  for (let row = 0; row < rows.length - 1; row++) {
    rows[row + 1] = lineIsHit(lit, listing.owners, row) ? 2 : lineIsLit(lit, listing.owners, row) ? 1 : 0;
  }
  return rows;
}

function levelOf(table: Uint8Array | null, listing: ListingView, line: number): Level {
  return table === null ? 0 : ((table[listing.lineOwner[line] ?? 0] ?? 0) as Level);
}

interface LineProps {
  readonly id: string;
  readonly line: number;
  readonly total: number;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly found: readonly { readonly start: number; readonly end: number; readonly current: boolean }[];
  readonly className: string;
  readonly gutter: string;
  readonly flag: ChainNumber | null;
  readonly fold: Fold | null;
  readonly top: number;
  readonly height: number;
  readonly selected: boolean;
}

const Line = memo(function Line(props: LineProps): ReactNode {
  const { fold } = props;
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={props.selected}
      aria-posinset={props.line + 1}
      aria-setsize={props.total}
      className={props.className}
      data-line={props.line}
      style={{ top: props.top, height: props.height }}
    >
      <i>{props.line + 1}</i>
      <u className={props.gutter} />
      <span className="tx">
        <Tokens text={props.text} tokens={props.tokens} found={props.found} />
        {fold !== null && (
          <span className="fold" data-fold={fold.key}>
            ⋯ {fold.count} lines
          </span>
        )}
      </span>
      {props.flag !== null && <b className="co">{props.flag}</b>}
    </div>
  );
});

/** Lines of a listing without the empty one that a final newline makes. */
export function listingLines(listing: ListingView): string[] {
  const lines = listing.text.split("\n");
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines;
}

function useColumns(element: HTMLElement | null, wrap: boolean): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    if (element === null || !wrap) return;
    const probe = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(element);
    if (probe) probe.font = `${style.fontSize} ${style.fontFamily}`;
    const width = probe?.measureText("0".repeat(100)).width ?? 722;
    const measure = (): void =>
      setColumns(Math.max(20, Math.floor((element.clientWidth - 56 - 8) / (width / 100))));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, wrap]);
  return wrap ? columns : 0;
}

/** First visible row and how many, following scroll and size. */
function useWindow(element: HTMLElement | null): { top: number; height: number } {
  const [view, setView] = useState({ top: 0, height: 0 });
  useLayoutEffect(() => {
    if (element === null) return;
    const read = (): void => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const height = Math.ceil(element.clientHeight / rowHeight) + 1;
      setView((old) => (old.top === top && old.height === height ? old : { top, height }));
    };
    read();
    element.addEventListener("scroll", read, { passive: true });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", read);
      observer.disconnect();
    };
  }, [element]);
  return view;
}

export function CodeView(props: CodeViewProps): ReactNode {
  const { run, listing, language, folds, flag } = props;
  const actions = useActions();
  const wrap = useApp((state) => state.settings.wrap);
  const foldUnlit = useApp((state) => state.settings.foldUnlit);
  const pinned = usePinned(run);
  const hover = useHover(run);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState(-1);
  const [find, setFind] = useState<FindState>({ query: "", at: 0 });
  const own = useRef<Entity | null>(null);
  const base = useId();

  const lines = useMemo(() => listingLines(listing), [listing]);
  const comments = useMemo(() => commentLines(language, lines), [language, lines]);
  const pinnedLevels = useMemo(() => levels(pinned, listing), [pinned, listing]);
  const hoverLevels = useMemo(() => levels(hover, listing), [hover, listing]);
  const found = useMemo(
    () => (props.findOpen ? findAll(lines, find.query) : []),
    [props.findOpen, lines, find.query],
  );
  const rows = useMemo(() => {
    const anyLit = pinnedLevels !== null && lines.some((_, line) => levelOf(pinnedLevels, listing, line) > 0);
    const closed =
      anyLit && foldUnlit && !props.findOpen && folds
        ? folds.filter((fold) => !opened.has(fold.key) && !rangeIsLit(pinnedLevels, listing, fold))
        : [];
    return layRows(lines.length, closed);
  }, [lines, listing, folds, pinnedLevels, foldUnlit, opened, props.findOpen]);
  const columns = useColumns(scroller, wrap);
  const tops = useMemo(() => rowTops(rows, lines, columns), [rows, lines, columns]);
  const view = useWindow(scroller);

  const [firstLit, lastLit] = useMemo(
    () => litRange(pinnedLevels, listing, lines.length),
    [pinnedLevels, listing, lines.length],
  );

  // Another pane pinned something: bring its first run of lines into view, once. An own click does not move the text.
  const pinnedKey = pinned === null ? "" : `${pinned.primary.kind}${pinned.primary.id}`;
  const revealed = useRef("");
  useEffect(() => {
    if (pinned === null) {
      own.current = null;
      revealed.current = "";
    }
    if (scroller === null || pinned === null || firstLit < 0 || revealed.current === pinnedKey) return;
    revealed.current = pinnedKey;
    if (own.current !== null && sameEntity(own.current, pinned.primary)) return;
    reveal(
      scroller,
      tops[rowOfLine(rows, firstLit)]! * rowHeight,
      tops[rowOfLine(rows, lastLit) + 1]! * rowHeight,
    );
  }, [scroller, pinned, pinnedKey, rows, tops, firstLit, lastLit]);

  const current = found[find.at];
  useEffect(() => {
    if (scroller === null || current === undefined) return;
    const row = rowOfLine(rows, current.line);
    reveal(scroller, tops[row]! * rowHeight, tops[row + 1]! * rowHeight);
  }, [scroller, current, rows, tops]);

  const entityAt = useCallback(
    (target: EventTarget): Entity | null => {
      const element = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
      if (element === null) return null;
      return entityOfRow(listing.owners, (listing.lineOwner[Number(element.dataset["line"])] ?? 0) - 1);
    },
    [listing],
  );

  function onClick(event: MouseEvent): void {
    const fold =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>("[data-fold]")?.dataset["fold"]
        : undefined;
    if (fold !== undefined) {
      setOpened(new Set([...opened, fold]));
      return;
    }
    // A drag that selected text is not a click on the line.
    if (getSelection()?.isCollapsed === false) return;
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-line]") : null;
    if (element) setCursor(Number(element.dataset["line"]));
    const entity = entityAt(event.target);
    own.current = entity;
    if (entity) actions.togglePin(entity);
  }

  function moveTo(line: number): void {
    setCursor(line);
    const row = rowOfLine(rows, line);
    if (scroller) {
      const top = tops[row]! * rowHeight;
      if (top < scroller.scrollTop) scroller.scrollTo({ top });
      else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight)
        scroller.scrollTo({ top: top + rowHeight - scroller.clientHeight });
    }
    actions.hover(entityOfRow(listing.owners, (listing.lineOwner[line] ?? 0) - 1));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = cursor < 0 ? rowAt(tops, view.top) : rowOfLine(rows, cursor);
    const go: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + view.height - 2,
      PageUp: at - view.height + 2,
      Home: 0,
      End: rows.length - 1,
    };
    const next = go[event.key];
    if (next !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      moveTo(rows[Math.max(0, Math.min(rows.length - 1, next))]?.line ?? 0);
    } else if (event.key === "Enter" && cursor >= 0) {
      event.preventDefault();
      const fold = rows[rowOfLine(rows, cursor)]?.fold;
      const entity = entityOfRow(listing.owners, (listing.lineOwner[cursor] ?? 0) - 1);
      own.current = entity;
      if (fold) setOpened(new Set([...opened, fold.key]));
      else if (entity) actions.togglePin(entity);
    }
  }

  const from = Math.max(0, rowAt(tops, view.top) - overscan);
  const to = Math.min(rows.length, rowAt(tops, view.top + view.height) + overscan + 1);
  const byLine = groupByLine(found, find.at);
  const shownRows: ReactNode[] = [];
  for (let index = from; index < to; index++) {
    const { line, fold } = rows[index]!;
    const text = lines[line] ?? "";
    const primitive = primitiveOfRow(run.summary, listing.owners, (listing.lineOwner[line] ?? 0) - 1);
    shownRows.push(
      <Line
        key={fold ? `f${line}` : line}
        id={`${base}-${line}`}
        line={line}
        total={lines.length}
        text={fold ? fold.label || text : text}
        tokens={
          comments.has(line)
            ? [{ start: 0, end: text.length, kind: "cm" }]
            : tokenise(language, fold ? fold.label || text : text)
        }
        found={fold ? noneFound : (byLine.get(line) ?? noneFound)}
        className={lineClass(rows, index, listing, pinnedLevels, hoverLevels, cursor, columns > 0)}
        gutter={primitive < 0 ? "" : primitiveStyle(primitive).gutterClass}
        flag={flag !== undefined && line === firstLit ? flag : null}
        fold={fold}
        top={tops[index]! * rowHeight}
        height={(tops[index + 1]! - tops[index]!) * rowHeight}
        selected={levelOf(pinnedLevels, listing, line) > 0}
      />,
    );
  }
  return (
    <>
      {props.findOpen && (
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
        onPointerOver={(event: PointerEvent) => actions.hover(entityAt(event.target))}
        onPointerLeave={() => actions.hover(null)}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onBlur={() => actions.hover(null)}
      >
        <div
          className="rows"
          role="presentation"
          style={{
            height: tops[tops.length - 1]! * rowHeight + 8,
            minWidth: wrap ? undefined : `calc(${longest(lines)}ch + 64px)`,
          }}
        >
          {shownRows}
        </div>
      </div>
    </>
  );
}

const noneFound: readonly { start: number; end: number; current: boolean }[] = [];

function rangeIsLit(table: Uint8Array | null, listing: ListingView, fold: Fold): boolean {
  for (let line = fold.from; line <= fold.to; line++) if (levelOf(table, listing, line) > 0) return true;
  return false;
}

/** First lit line and the end of its unbroken run; -1 if none. */
function litRange(table: Uint8Array | null, listing: ListingView, count: number): readonly [number, number] {
  for (let line = 0; line < count; line++) {
    if (levelOf(table, listing, line) === 0) continue;
    let end = line;
    while (end + 1 < count && levelOf(table, listing, end + 1) > 0) end++;
    return [line, end];
  }
  return [-1, -1];
}

function lineClass(
  rows: readonly Row[],
  index: number,
  listing: ListingView,
  pinned: Uint8Array | null,
  hover: Uint8Array | null,
  cursor: number,
  wrapped: boolean,
): string {
  const at = (table: Uint8Array | null, row: Row | undefined): Level =>
    row === undefined || row.fold ? 0 : levelOf(table, listing, row.line);
  const row = rows[index]!;
  const parts = ["ln"];
  const level = at(pinned, row);
  if (level > 0) {
    const first = at(pinned, rows[index - 1]) === 0;
    parts.push("sel");
    if (first) parts.push("first");
    if (at(pinned, rows[index + 1]) === 0) parts.push("last");
    if (level === 2 && partlyHit(pinned)) parts.push("hit");
  }
  if (at(hover, row) > 0) {
    parts.push("hov");
    if (at(hover, rows[index - 1]) === 0) parts.push("hfirst");
    if (at(hover, rows[index + 1]) === 0) parts.push("hlast");
  }
  if (row.fold) parts.push("folded");
  if (row.line === cursor) parts.push("cursor");
  if (wrapped) parts.push("wrap");
  return parts.join(" ");
}

/** Whether some lit rows are only extent: then the hit rows stand out, else all would. */
function partlyHit(table: Uint8Array | null): boolean {
  return table !== null && table.includes(1) && table.includes(2);
}

function groupByLine(
  found: readonly Found[],
  at: number,
): Map<number, { start: number; end: number; current: boolean }[]> {
  const map = new Map<number, { start: number; end: number; current: boolean }[]>();
  found.forEach((place, index) => {
    const list = map.get(place.line) ?? [];
    list.push({ start: place.start, end: place.end, current: index === at });
    map.set(place.line, list);
  });
  return map;
}

function longest(lines: readonly string[]): number {
  let most = 0;
  for (const line of lines) if (line.length > most) most = line.length;
  return Math.min(most, 4000);
}
