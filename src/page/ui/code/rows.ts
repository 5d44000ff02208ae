// Which rows a code view shows, and where: folds, wrapped heights, the window that is in sight. Pure.
import type { ListingView } from "../../../protocol/views.ts";
import { at } from "../../../support/assert.ts";

/** Px. */
export const rowHeight = 16;

/** Lines of a listing without the empty one that a final newline makes. */
export function listingLines(listing: ListingView): string[] {
  const lines = listing.text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

export interface Fold {
  /** Line indices, 0-based, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Lines as the closed row counts them: blank ones that close with it are not worth telling. */
  readonly count: number;
  /** Stays the same across listings, to remember what the reader opened. */
  readonly key: string;
  /** What stands in the row of the closed fold; the first line of the range if empty. */
  readonly label: string;
}

export interface Row {
  /** Line index; of a closed fold, its first line. */
  readonly line: number;
  readonly fold: Fold | null;
}

export interface LaidRows {
  readonly rows: readonly Row[];
  /** As `rowTops` makes them. */
  readonly tops: Uint32Array;
}

/**
 * All lines, the ranges of `closed` folds as one row each. Folds must not overlap; they may come in any
 * order.
 */
export function layRows(lineCount: number, closed: readonly Fold[]): Row[] {
  const folds = [...closed].sort((a, b) => a.from - b.from);
  const rows: Row[] = [];
  let next = 0;
  for (let line = 0; line < lineCount; line++) {
    const fold = folds[next];
    if (fold && line === fold.from && fold.to > fold.from && fold.to < lineCount) {
      rows.push({ line, fold });
      line = fold.to;
      next++;
    } else {
      if (fold && line >= fold.from) next++;
      rows.push({ line, fold: null });
    }
  }
  return rows;
}

/** Top of each row in row heights, one entry more than rows: `columns` = 0 means no wrapping. */
export function rowTops(rows: readonly Row[], lines: readonly string[], columns: number): Uint32Array {
  const tops = new Uint32Array(rows.length + 1);
  let top = 0;
  rows.forEach(({ line, fold }, i) => {
    top += columns <= 0 || fold ? 1 : Math.max(1, Math.ceil((lines[line] ?? "").length / columns));
    tops[i + 1] = top;
  });
  return tops;
}

/** Where row `index` begins, px; for as many as there are rows, where the last ends. */
export function rowTop(tops: Uint32Array, index: number): number {
  return at(tops, index, "row") * rowHeight;
}

/** Index of the row that covers `height` (in row heights). */
export function rowAt(tops: Uint32Array, height: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (at(tops, middle, "row") <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The row that shows `line`: its own or the fold that hides it. */
export function rowOfLine(rows: readonly Row[], line: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (at(rows, middle, "row").line <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Found {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Places of `query` in the lines, letter case ignored, at most `limit`. */
export function findAll(lines: readonly string[], query: string, limit = 10_000): Found[] {
  const needle = query.toLowerCase();
  const found: Found[] = [];
  if (needle === "") return found;
  for (const [line, text] of lines.entries()) {
    const hay = text.toLowerCase();
    for (
      let start = hay.indexOf(needle);
      start >= 0 && found.length < limit;
      start = hay.indexOf(needle, start + needle.length)
    )
      found.push({ line, start, end: start + needle.length });
    if (found.length >= limit) break;
  }
  return found;
}

/** A place found in a line; `current` is the one that the search stands on. */
export interface FoundRange {
  readonly start: number;
  readonly end: number;
  readonly current: boolean;
}

export function groupByLine(found: readonly Found[], current: number): ReadonlyMap<number, FoundRange[]> {
  const map = new Map<number, FoundRange[]>();
  found.forEach(({ line, start, end }, index) => {
    const range = { start, end, current: index === current };
    const list = map.get(line);
    if (list === undefined) map.set(line, [range]);
    else list.push(range);
  });
  return map;
}
