// Which lines of a listing are lit by what is pinned or under the pointer, and how they look. Pure.
import type { ListingView } from "../../../protocol/views.ts";
import { entityOfRow, lineIsHit, lineIsLit, type Entity, type Lit } from "../../store/selection.ts";
import type { Fold, Row } from "./rows.ts";

/** 0 not lit, 1 in the extent, 2 the thing itself. */
type Level = 0 | 1 | 2;

/** The level of each line, by its owner row. */
type LevelOf = (line: number) => Level;

const noLevel: LevelOf = () => 0;

interface LitLines {
  readonly level: LevelOf;
  /** Whether some lit rows are only extent: then the hit rows stand out, else all would. */
  readonly partlyHit: boolean;
}

/** Row of the listing's owner table for a line, -1 for none. */
export function ownerRow(listing: ListingView, line: number): number {
  return (listing.lineOwner[line] ?? 0) - 1;
}

export function entityOfLine(listing: ListingView, line: number): Entity | null {
  return entityOfRow(listing.owners, ownerRow(listing, line));
}

export function litLines(lit: Lit | null, listing: ListingView): LitLines {
  if (lit === null) return { level: noLevel, partlyHit: false };
  const rows: Level[] = Array.from(listing.owners.call, (_, row) =>
    lineIsHit(lit, listing.owners, row) ? 2 : lineIsLit(lit, listing.owners, row) ? 1 : 0,
  );
  return {
    level: (line) => rows[ownerRow(listing, line)] ?? 0,
    partlyHit: rows.includes(1) && rows.includes(2),
  };
}

export function rangeIsLit(level: LevelOf, fold: Fold): boolean {
  for (let line = fold.from; line <= fold.to; line++) if (level(line) > 0) return true;
  return false;
}

/** First lit line and the end of its unbroken run; -1 if none. */
export function litRange(level: LevelOf, count: number): readonly [first: number, last: number] {
  for (let line = 0; line < count; line++) {
    if (level(line) === 0) continue;
    let end = line;
    while (end + 1 < count && level(end + 1) > 0) end++;
    return [line, end];
  }
  return [-1, -1];
}

export interface Marks {
  readonly pinned: LitLines;
  readonly hover: LitLines;
  /** Line that the keys stand on, -1 for none. */
  readonly cursor: number;
  readonly wrapped: boolean;
}

/** CSS classes of a row, which tell the first and last lit row of a run from those between. */
export function lineClass(row: Row, above: Row | undefined, below: Row | undefined, marks: Marks): string {
  const { pinned, hover, cursor, wrapped } = marks;
  const of = ({ level }: LitLines, there: Row | undefined): Level =>
    there === undefined || there.fold ? 0 : level(there.line);
  const parts = ["ln"];
  const level = of(pinned, row);
  if (level > 0) {
    parts.push("sel");
    if (of(pinned, above) === 0) parts.push("first");
    if (of(pinned, below) === 0) parts.push("last");
    if (level === 2 && pinned.partlyHit) parts.push("hit");
  }
  if (of(hover, row) > 0) {
    parts.push("hov");
    if (of(hover, above) === 0) parts.push("hfirst");
    if (of(hover, below) === 0) parts.push("hlast");
  }
  if (row.fold) parts.push("folded");
  if (row.line === cursor) parts.push("cursor");
  if (wrapped) parts.push("wrap");
  return parts.join(" ");
}
